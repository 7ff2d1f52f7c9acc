/**
 * A clean clone of this checkout, as a newcomer or CI has one, and a shell in it. `pnpm` and `npx -y pnpm@12` are the pnpm that has
 * started this process, so that no package is fetched.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";
import { execa } from "execa";

export type Ended = {
  readonly exitCode: number;
  readonly output: string;
  /** The shell's variables at its end; none where it failed. */
  readonly variables: Readonly<Record<string, string>>;
};

type RunOptions = {
  readonly variables?: Ended["variables"];
  /** What is piped into it, or typed. */
  readonly input?: string;
  /** Whether it believes that a person is there. */
  readonly hasTerminal?: boolean;
};

/** What programs need of this process's environment: never a token or a database. */
const KEPT = ["HOME", "LANG", "TMPDIR", "NODE_COMPILE_CACHE", "NODE_EXTRA_CA_CERTS"];
const AUTHOR = ["-c", "user.name=Rehearsal", "-c", "user.email=rehearsal@example.com"];

export type Clone = Awaited<ReturnType<typeof openClone>>;

/** @param source the checkout to clone. */
export async function openClone(source: string = WORKSPACE_ROOT) {
  const root = await mkdtemp(join(tmpdir(), "hopline-clone-"));
  const [folder, programs] = [join(root, "hopline"), join(root, "bin")];
  const git = async (...line: readonly string[]) => (await execa("git", line, { cwd: folder })).stdout;
  await Promise.all([mkdir(folder), mkdir(programs)]);
  // With what is not committed yet.
  const { stdout: changed } = await execa("git", ["stash", "create"], { cwd: source });
  const archive = join(root, "archive.tar");
  await execa("git", ["archive", "--output", archive, changed || "HEAD"], { cwd: source });
  await execa("tar", ["-xf", archive, "-C", folder]);
  await git("init", "--quiet", "--initial-branch", "main");
  const commit = async (): Promise<void> => {
    await git("add", "--all");
    await git(...AUTHOR, "commit", "--quiet", "--allow-empty", "--message", "Rehearse");
  };
  await commit();

  const pnpm = process.env["npm_execpath"] ?? "pnpm";
  await writeProgram(join(programs, "pnpm"), `exec "${pnpm}" "$@"`);
  await writeProgram(join(programs, "npx"), `[ "$1 $2" = "-y pnpm@12" ] && shift 2 && exec "${pnpm}" "$@"`);
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((one) => !/node_modules/.test(one));
  const kept = Object.fromEntries(KEPT.map((name) => [name, process.env[name]]));

  return {
    folder,
    /** Commits what was changed. */
    commit,
    /** Runs lines of a shell, each of which has to succeed, with these variables alone. */
    async run(
      script: string,
      { variables = {}, input = "", hasTerminal = false }: RunOptions = {},
    ): Promise<Ended> {
      const [file, left] = [join(root, "script.sh"), join(root, "variables")];
      await writeFile(file, `set -aeu -o pipefail\n${script}\nenv -0 > "${left}"\n`);
      await rm(left, { force: true });
      const ended = await execa(
        hasTerminal ? "script" : "bash",
        hasTerminal ? ["--quiet", "--return", "--command", `bash ${file}`, "/dev/null"] : [file],
        {
          cwd: folder,
          env: { ...kept, ...variables, PATH: [programs, ...path].join(delimiter) },
          extendEnv: false,
          input,
          all: true,
          reject: false,
        },
      );
      return {
        exitCode: ended.exitCode ?? 1,
        output: stripVTControlCharacters(ended.all),
        variables: toVariables(await readFile(left, "utf8").catch(() => "")),
      };
    },
    stop: () => rm(root, { recursive: true, force: true }),
  };
}

async function writeProgram(path: string, line: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${line}\n`);
  await chmod(path, 0o755);
}

function toVariables(text: string): Ended["variables"] {
  const entries = text.split("\0").filter((entry) => entry.includes("="));
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );
}
