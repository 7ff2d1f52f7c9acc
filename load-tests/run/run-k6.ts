/** Finds k6 and runs one script to its end. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

import { Failure } from "@hopline/testkit/console/failure";
import { execa } from "execa";

import { decodeSummary, type K6Summary } from "./k6-summary.ts";

/** Checks or thresholds failed: the test ran, and its verdict is no. */
const EXIT_THRESHOLDS = 99;
/** How long k6 may take to end after it was asked to. */
const KILL_AFTER_MS = 20_000;

export type K6 = { readonly path: string; readonly version: string };

/** On the PATH, or where `go install` puts it. Rejects with a `Failure` that says how to get it. */
export async function findK6(): Promise<K6> {
  for (const path of ["k6", join(process.env["GOPATH"] ?? join(homedir(), "go"), "bin/k6")]) {
    const { stdout } = await execa(path, ["version"], { reject: false });
    // The k6 of the npm registry is an empty package with the same name: only one that tells its version counts.
    const version = /^k6(?:\.exe)? v(\S+)/.exec(stdout ?? "")?.[1];
    if (version !== undefined) {
      return { path, version };
    }
  }
  throw new Failure(
    "k6 is not installed: `go install go.k6.io/k6@v1.8.1`, or see https://grafana.com/docs/k6/latest/set-up/install-k6/",
  );
}

export type K6Options = {
  readonly k6: K6;
  readonly scriptPath: string;
  /** For the script, as `__ENV`: secrets too, which a command line would show. */
  readonly environment: { readonly [name: string]: string };
  /** Where k6's own report goes, one file that loads nothing; `null`: nowhere. */
  readonly htmlPath: string | null;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** k6's own status line, every second. */
  readonly onStatus: (line: string) => void;
};

/** Rejects with a `Failure` when k6 broke or ran over its time; a test that missed its bars resolves. */
export async function runK6(options: K6Options): Promise<K6Summary> {
  const { k6, scriptPath, environment, htmlPath, signal, timeoutMs, onStatus } = options;
  const directory = await mkdtemp(join(tmpdir(), "hopline-k6-"));
  const summaryPath = join(directory, "summary.json");
  const report = {
    K6_WEB_DASHBOARD: "true",
    K6_WEB_DASHBOARD_EXPORT: htmlPath ?? "",
    K6_WEB_DASHBOARD_PERIOD: "1s",
    // Only the file: no server.
    K6_WEB_DASHBOARD_PORT: "-1",
  };
  try {
    const run = execa(
      k6.path,
      ["run", "--address=", "--no-color", "--no-usage-report", `--summary-export=${summaryPath}`, scriptPath],
      {
        env: { ...environment, ...(htmlPath === null ? {} : report) },
        stdin: "ignore",
        all: true,
        reject: false,
        cancelSignal: signal,
        timeout: timeoutMs,
        killSignal: "SIGINT",
        forceKillAfterDelay: KILL_AFTER_MS,
      },
    );
    const output: string[] = [];
    for await (const line of run.iterable({ from: "all" })) {
      if (line.startsWith("running (")) {
        onStatus(line);
      } else if (line.trim() !== "") {
        output.push(line);
      }
    }
    const { exitCode, timedOut } = await run;
    signal.throwIfAborted();
    if (timedOut) {
      throw new Failure(`k6 did not end within ${timeoutMs / 1_000} s.`);
    }
    if (exitCode !== 0 && exitCode !== EXIT_THRESHOLDS) {
      throw new Failure(`k6 ended with code ${exitCode}: ${output.slice(-5).join(" ")}`);
    }
    return decodeSummary(await readFile(summaryPath, "utf8"));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
