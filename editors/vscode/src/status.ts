/** The status bar item: the state of the server, and the number of findings in the current document. */
import { StatusBarAlignment, ThemeColor, window, type Disposable } from "vscode";

export type Status =
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly findings: number; readonly level: string }
  | { readonly kind: "stopped"; readonly reason: string };

export class StatusItem implements Disposable {
  private readonly item = window.createStatusBarItem("emendo.status", StatusBarAlignment.Right, 100);

  constructor() {
    this.item.name = "emendo";
  }

  /** Show a status, or nothing if the current document cannot be checked. */
  show(status: Status | undefined): void {
    if (status === undefined) {
      this.item.hide();
      return;
    }
    this.item.backgroundColor = undefined;
    this.item.command = "emendo.chooseLevel";
    switch (status.kind) {
      case "starting":
        this.item.text = "$(sync~spin) emendo";
        this.item.tooltip = "emendo is starting";
        break;
      case "running":
        this.item.text = status.findings > 0 ? `$(edit) emendo: ${status.findings}` : "$(check) emendo";
        this.item.tooltip = `emendo: ${counted(status.findings)} in this document (level: ${status.level || "default"}). Click to choose a level.`;
        break;
      case "stopped":
        this.item.text = "$(error) emendo";
        this.item.tooltip = `${status.reason} Click to see the log.`;
        this.item.backgroundColor = new ThemeColor("statusBarItem.errorBackground");
        this.item.command = "emendo.showLog";
        break;
    }
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}

function counted(findings: number): string {
  return findings === 1 ? "1 finding" : `${findings} findings`;
}
