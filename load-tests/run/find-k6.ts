/** Finds k6: on the PATH, or where `go install` puts it. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { Failure } from "@hopline/testkit/console/failure";

const run = promisify(execFile);
const VERSION_TIMEOUT_MS = 10_000;

export type K6 = { readonly path: string; readonly version: string };

/** Rejects with a `Failure` that says how to get it. */
export async function findK6(): Promise<K6> {
  for (const path of ["k6", ...(await goBinary())]) {
    const version = await askVersion(path);
    if (version !== null) {
      return { path, version };
    }
  }
  throw new Failure(
    "k6 is not installed: `go install go.k6.io/k6@v1.8.1`, or see https://grafana.com/docs/k6/latest/set-up/install-k6/",
  );
}

async function goBinary(): Promise<readonly string[]> {
  const goPath = await answerOf("go", ["env", "GOPATH"]);
  return goPath === null || goPath === "" ? [] : [join(goPath, "bin", "k6")];
}

/** The k6 of the npm registry is an empty package with the same name: only one that tells its version counts. */
async function askVersion(path: string): Promise<string | null> {
  return /^k6(?:\.exe)? v(\S+)/.exec((await answerOf(path, ["version"])) ?? "")?.[1] ?? null;
}

async function answerOf(program: string, programArguments: readonly string[]): Promise<string | null> {
  return run(program, [...programArguments], { timeout: VERSION_TIMEOUT_MS }).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
}
