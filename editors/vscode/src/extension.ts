/** The extension: runs `emendo lsp` with the user's settings and shows its state. */
import { homedir } from "node:os";
import {
  commands,
  ConfigurationTarget,
  languages,
  window,
  workspace,
  type Disposable,
  type ExtensionContext,
  type Uri,
} from "vscode";
import { DidChangeConfigurationNotification, LanguageClient, State } from "vscode-languageclient/node";
import { activationEvents, contributes } from "../package.json";
import { ARGUMENTS, expand, findCommand, serverSettings, startOptions, type Configuration } from "./server";
import { StatusItem, type Status } from "./status";

const SELECTOR = activationEvents
  .map((event) => event.replace("onLanguage:", ""))
  .flatMap((language) => ["file", "untitled"].map((scheme) => ({ language, scheme })));
const LEVELS = contributes.configuration.properties["emendo.level"].enum;

let server: Server | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  server = new Server();
  context.subscriptions.push(
    server,
    commands.registerCommand("emendo.chooseLevel", chooseLevel),
    commands.registerCommand("emendo.restart", () => server?.restart()),
    commands.registerCommand("emendo.showLog", () => server?.log.show()),
  );
  await server.restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** The language server: one process at a time, restarted when its command or model changes. */
class Server implements Disposable {
  readonly log = window.createOutputChannel("emendo", { log: true });
  private readonly status = new StatusItem();
  private readonly listeners: Disposable[];
  private client: LanguageClient | undefined;
  private problem = "";
  /** Starts and stops run one after the other. */
  private turn: Promise<void> = Promise.resolve();

  constructor() {
    this.listeners = [
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("emendo.path") || event.affectsConfiguration("emendo.model")) {
          void this.restart();
        } else if (event.affectsConfiguration("emendo")) {
          this.show();
          // Without settings, so that the server asks for them.
          void this.runningClient()?.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
        }
      }),
      // From now on the settings of the trusted folder apply.
      workspace.onDidGrantWorkspaceTrust(() => void this.restart()),
      window.onDidChangeActiveTextEditor(() => this.show()),
      languages.onDidChangeDiagnostics(() => this.show()),
    ];
  }

  restart(): Promise<void> {
    return this.next(async () => {
      await this.halt();
      await this.start();
    });
  }

  stop(): Promise<void> {
    return this.next(() => this.halt());
  }

  dispose(): void {
    for (const each of [...this.listeners, this.status, this.log]) {
      each.dispose();
    }
  }

  private next(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work).catch((error: unknown) => this.log.error(String(error)));
    return this.turn;
  }

  private async halt(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // It also ends a process that does not answer.
    await client?.dispose().catch((error: unknown) => this.log.warn(String(error)));
  }

  private async start(): Promise<void> {
    const given = configuration();
    const wanted = expand(given.path, folder()) || "emendo";
    const command = findCommand(wanted, process.env);
    if (command === undefined) {
      this.complain(
        given.path === ""
          ? "The command “emendo” is not on your PATH. Install it (pip install 'emendo[lsp]'), or set “emendo.path”."
          : `“emendo.path” is ${wanted}, but there is no such command. Set an absolute path, or a name on your PATH.`,
      );
      return;
    }
    this.problem = "";
    this.log.info(`starting ${command} ${ARGUMENTS.join(" ")}`);
    const client = new LanguageClient(
      "emendo",
      "emendo",
      { command, args: ARGUMENTS, options: { cwd: homedir() } },
      {
        documentSelector: SELECTOR,
        outputChannel: this.log,
        initializationOptions: startOptions(given, folder()),
        middleware: {
          workspace: {
            configuration: ({ items }) => items.map(() => serverSettings(configuration(), folder())),
          },
        },
      },
    );
    this.client = client;
    client.onDidChangeState(() => this.show());
    try {
      await client.start();
    } catch {
      // The client has shown an error, and the log contains what the command printed.
      this.problem = `${command} could not be started.`;
    }
    this.show();
  }

  private complain(problem: string): void {
    this.problem = problem;
    this.log.error(problem);
    this.show();
    const settings = "Open Settings";
    void window.showErrorMessage(`emendo: ${problem}`, settings).then((chosen) => {
      if (chosen === settings) {
        void commands.executeCommand("workbench.action.openSettings", "emendo.path");
      }
    });
  }

  private runningClient(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  private show(): void {
    const document = window.activeTextEditor?.document;
    if (document?.uri.scheme === "output") {
      return; // The log is active; the status is still that of the document.
    }
    const isChecked = document !== undefined && languages.match(SELECTOR, document) > 0;
    this.status.show(isChecked ? this.statusOf(document.uri) : undefined);
  }

  private statusOf(uri: Uri): Status {
    if (this.problem === "" && this.client?.state === State.Starting) {
      return { kind: "starting" };
    }
    const client = this.runningClient();
    if (client === undefined) {
      return { kind: "stopped", reason: this.problem || "emendo has stopped." };
    }
    return { kind: "running", findings: client.diagnostics?.get(uri)?.length ?? 0, level: configuration().level };
  }
}

function configuration(): Configuration {
  return workspace.getConfiguration().get<Configuration>("emendo") as Configuration;
}

function folder(): string | undefined {
  return workspace.workspaceFolders?.[0]?.uri.fsPath;
}

async function chooseLevel(): Promise<void> {
  const now = configuration().level;
  const chosen = await window.showQuickPick(
    LEVELS.map((level) => ({ label: level || "default", level, ...(level === now ? { description: "current" } : {}) })),
    { title: "emendo: how many corrections are suggested" },
  );
  if (chosen === undefined) {
    return;
  }
  const settings = workspace.getConfiguration("emendo");
  const isOfWorkspace = settings.inspect("level")?.workspaceValue !== undefined;
  const target = isOfWorkspace ? ConfigurationTarget.Workspace : ConfigurationTarget.Global;
  await settings.update("level", chosen.level === "" ? undefined : chosen.level, target);
}
