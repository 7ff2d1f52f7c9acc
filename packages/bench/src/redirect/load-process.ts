/** Starts the load generator and hands it jobs, one at a time. */
import { fork } from "node:child_process";
import { join } from "node:path";

import { Failure } from "@hopline/testkit/console/failure";

import { endWithUs } from "./child-process.ts";
import type { LoadJob, LoadResult } from "./load-job.ts";

export type LoadProcess = {
  readonly pid: number;
  /** Runs one job to its end. Rejects with a `Failure` when a request cannot be sent or its connection breaks. */
  run(job: LoadJob): Promise<LoadResult>;
  stop(): void;
};

export function startLoadProcess(): LoadProcess {
  const child = fork(join(import.meta.dirname, "load-generator.ts"), { serialization: "advanced" });
  const stop = endWithUs(child);
  return {
    pid: child.pid ?? 0,
    run: (job) =>
      new Promise((resolve, reject) => {
        const ended = (): void => reject(new Failure("The load generator ended in the middle of a run."));
        child.once("exit", ended);
        child.once("message", (message) => {
          child.off("exit", ended);
          const answer = message as LoadResult | { readonly error: string };
          if ("error" in answer) {
            reject(new Failure(`The load generator failed: ${answer.error}.`));
          } else {
            resolve(answer);
          }
        });
        child.send(job);
      }),
    stop,
  };
}
