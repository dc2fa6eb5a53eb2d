/** Finds the server and prepares its settings. Nothing here needs VS Code, so tests run without it. */
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

export const ARGUMENTS = ["lsp"];

/** The section `emendo` of the user's settings; an empty string is a setting without a value. */
export interface Configuration {
  readonly path: string;
  readonly model: string;
  readonly level: string;
  readonly language: string;
  readonly dictionary: string | readonly string[];
  readonly minConfidence: number;
}

/** Replace `~` and `${workspaceFolder}` in a path from the settings. */
export function expand(path: string, folder: string | undefined): string {
  const home = /^~(?=$|[/\\])/.test(path) ? homedir() + path.slice(1) : path;
  return folder === undefined ? home : home.replaceAll("${workspaceFolder}", folder);
}

/**
 * Return the absolute path of a command, or undefined if there is none.
 *
 * A name without a folder is looked up only in PATH: Windows would also start a program of that name
 * from the folder that is open.
 */
export function findCommand(path: string, environment: NodeJS.ProcessEnv): string | undefined {
  if (isAbsolute(path)) {
    return isExecutable(path) ? path : undefined;
  }
  if (/[/\\]/.test(path)) {
    return undefined;
  }
  const suffixes = process.platform === "win32" ? [".exe", ""] : [""];
  return (environment["PATH"] ?? environment["Path"] ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .flatMap((folder) => suffixes.map((suffix) => join(folder, path + suffix)))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Return the options for the start of the server: the model, so that no other one is loaded first. */
export function startOptions(given: Configuration, folder: string | undefined): object {
  return given.model === "" ? {} : { model: expand(given.model, folder) };
}

/** Return the settings that the server requests; those that are missing return to their defaults. */
export function serverSettings(given: Configuration, folder: string | undefined): object {
  const { level, dictionary } = given;
  return {
    language: given.language === "" ? "auto" : given.language,
    minConfidence: given.minConfidence,
    ...(level === "" ? {} : { level }),
    ...(dictionary === ""
      ? {}
      : { dictionary: typeof dictionary === "string" ? expand(dictionary, folder) : dictionary }),
  };
}
