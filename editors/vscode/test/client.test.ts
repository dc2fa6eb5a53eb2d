/** Tests with a real server, started as the extension starts it, over the client's own library. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import * as lsp from "vscode-languageserver-protocol/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { ARGUMENTS, expand, findCommand, serverSettings, startOptions, type Configuration } from "../src/server";

const DEFAULTS: Configuration = {
  path: "",
  model: "",
  level: "",
  language: "auto",
  dictionary: "",
  minConfidence: 0,
};
const URI = "file:///notes.md";

/** An editor with one document. */
class Client {
  private published: lsp.PublishDiagnosticsParams | undefined;
  private wake = (): void => undefined;
  readonly messages: string[] = [];

  private constructor(
    private readonly process: ReturnType<typeof spawn>,
    readonly connection: lsp.ProtocolConnection,
    public configuration: Configuration,
  ) {}

  static async start(command: string, configuration: Configuration): Promise<Client> {
    const process = spawn(command, ARGUMENTS, { stdio: ["pipe", "pipe", "inherit"] });
    const connection = lsp.createProtocolConnection(
      new lsp.StreamMessageReader(process.stdout),
      new lsp.StreamMessageWriter(process.stdin),
    );
    const client = new Client(process, connection, configuration);
    connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
      client.published = params;
      client.wake();
    });
    connection.onNotification(lsp.ShowMessageNotification.type, ({ message }) => void client.messages.push(message));
    connection.onRequest(lsp.ConfigurationRequest.type, ({ items }) =>
      items.map(() => serverSettings(client.configuration, undefined)),
    );
    connection.listen();
    await connection.sendRequest(lsp.InitializeRequest.type, {
      processId: null,
      rootUri: null,
      capabilities: { workspace: { configuration: true, workspaceEdit: { documentChanges: true } } },
      initializationOptions: startOptions(configuration, undefined),
    });
    await connection.sendNotification(lsp.InitializedNotification.type, {});
    return client;
  }

  async open(text: string): Promise<void> {
    await this.connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
      textDocument: { uri: URI, languageId: "markdown", version: 1, text },
    });
  }

  async configure(configuration: Configuration): Promise<void> {
    this.configuration = configuration;
    await this.connection.sendNotification(lsp.DidChangeConfigurationNotification.type, { settings: null });
  }

  /** Wait until what is shown is as it should be. */
  async shown(isRight: (diagnostics: lsp.Diagnostic[]) => boolean): Promise<lsp.Diagnostic[]> {
    while (!this.published || !isRight(this.published.diagnostics)) {
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    return this.published.diagnostics;
  }

  async actions(range: lsp.Range, ...only: string[]): Promise<lsp.CodeAction[]> {
    const found = await this.connection.sendRequest(lsp.CodeActionRequest.type, {
      textDocument: { uri: URI },
      range,
      context: { diagnostics: [], only },
    });
    return (found ?? []) as lsp.CodeAction[];
  }

  async stop(): Promise<void> {
    const exit = once(this.process, "exit");
    await this.connection.sendRequest(lsp.ShutdownRequest.type);
    await this.connection.sendNotification(lsp.ExitNotification.type);
    assert.deepEqual(await exit, [0, null]);
    assert.deepEqual(this.messages, []);
  }
}

function applied(text: string, action: lsp.CodeAction | undefined): string {
  const [change] = action?.edit?.documentChanges ?? [];
  assert.ok(lsp.TextDocumentEdit.is(change));
  assert.equal(change.textDocument.version, 1);
  return TextDocument.applyEdits(TextDocument.create(URI, "markdown", 1, text), change.edits as lsp.TextEdit[]);
}

function commandOf(variable: string): string {
  const command = findCommand(process.env[variable] ?? "", process.env);
  assert.ok(command, `${variable} must name a command`);
  return command;
}

test("a command is found by its path or in PATH, and nowhere else", () => {
  const folder = mkdtempSync(join(tmpdir(), "emendo-"));
  const command = join(folder, "emendo");
  writeFileSync(command, "");
  chmodSync(command, 0o644);
  assert.equal(findCommand(command, {}), undefined, "it cannot be executed");
  chmodSync(command, 0o755);
  assert.equal(findCommand(command, {}), command);
  assert.equal(findCommand("emendo", { PATH: ["/nowhere", folder].join(delimiter) }), command);
  assert.equal(findCommand("emendo", { PATH: "/nowhere" }), undefined);
  assert.equal(findCommand("emendo", {}), undefined);
  assert.equal(findCommand(folder, {}), undefined, "it is a folder");
  const working = process.cwd();
  try {
    process.chdir(folder);
    assert.equal(findCommand("emendo", { PATH: ["", "."].join(delimiter) }), undefined);
    assert.equal(findCommand("./emendo", {}), undefined);
  } finally {
    process.chdir(working);
  }
});

test("paths may name the home and the open folder", () => {
  assert.equal(expand("~/bin/emendo", undefined), `${homedir()}/bin/emendo`);
  assert.equal(expand("~me/emendo", undefined), "~me/emendo");
  assert.equal(expand("${workspaceFolder}/words.txt", "/notes"), "/notes/words.txt");
});

test("only what is set is sent", () => {
  assert.deepEqual(startOptions(DEFAULTS, undefined), {});
  assert.deepEqual(serverSettings(DEFAULTS, undefined), { language: "auto", minConfidence: 0 });
  const all = { ...DEFAULTS, model: "~", level: "precise", dictionary: "${workspaceFolder}/words.txt" };
  assert.deepEqual(startOptions(all, undefined), { model: homedir() });
  assert.deepEqual(serverSettings(all, "/notes"), {
    language: "auto",
    minConfidence: 0,
    level: "precise",
    dictionary: "/notes/words.txt",
  });
});

test("findings, quick fixes and settings, where every edit is known", async () => {
  const text = "This is teh 😀 cat.\n";
  const client = await Client.start(commandOf("EMENDO_KNOWN"), DEFAULTS);
  await client.open(text);
  const [first] = await client.shown((found) => found.length === 2);
  assert.ok(first);
  assert.equal(first.source, "emendo");
  const [fix] = await client.actions(first.range, "quickfix");
  assert.equal(fix?.title, "Replace “teh” by “the”");
  assert.equal(applied(text, fix), "This is the 😀 cat.\n");
  const [all] = await client.actions(first.range, "source.fixAll");
  assert.equal(applied(text, all), "This is the 😀 dog.\n");

  await client.configure({ ...DEFAULTS, level: "precise" });
  await client.shown((found) => found.length === 0);
  // A setting that is removed returns to its default.
  await client.configure(DEFAULTS);
  await client.shown((found) => found.length === 2);
  await client.configure({ ...DEFAULTS, dictionary: ["teh"] });
  await client.shown((found) => found.length === 1);
  await client.stop();
});

test("the real command with the model of the settings", async () => {
  const text = "He go to the 😀 store and likes a cat.\n\nThe quick brown fox jumps `over` it!\n";
  const client = await Client.start(commandOf("EMENDO_REAL"), {
    ...DEFAULTS,
    model: process.env["EMENDO_REAL_MODEL"] ?? "",
  });
  await client.open(text);
  const [first] = await client.shown((found) => found.length > 0);
  assert.ok(first);
  const [fix] = await client.actions(first.range, "quickfix");
  assert.notEqual(applied(text, fix), text);
  await client.stop();
});
