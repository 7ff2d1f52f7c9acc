/** Visits of hosts on what an account has received: from the moment on in which every Worker is there. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type SqlEndpoint, startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import type { LocalLog } from "@hopline/testkit/runtime/worker-runtime";
import type { FakeAccount } from "./account-state.ts";
import { isComplete, runUploaded, type UploadedOptions } from "./run-uploaded.ts";

export type Uploaded = ReturnType<typeof openUploaded>;

/** The versions of the first visit answer until `stop`: workerd has no versions of its own. */
export function openUploaded(
  account: FakeAccount,
  suffix: string,
  databaseUrl: string,
  vars: UploadedOptions["vars"] = {},
) {
  const faults: string[] = [];
  const endings: (() => Promise<unknown>)[] = [];
  let starting: ReturnType<typeof start> | null = null;

  async function start() {
    const endpoint: SqlEndpoint = await startSqlEndpoint({ databaseUrl, maxConnections: 10 });
    endings.push(() => endpoint.stop());
    const folder = await mkdtemp(join(tmpdir(), "hopline-uploaded-"));
    endings.push(() => rm(folder, { recursive: true }));
    const onLog = ({ level, message }: LocalLog): void => {
      faults.push(...(level === "error" || level === "warn" ? [message] : []));
    };
    const sqlEndpointUrl = endpoint.url;
    const runtime = await runUploaded({ account, suffix, databaseUrl, sqlEndpointUrl, vars, folder, onLog });
    endings.push(() => runtime.stop());
    return { runtime, endpoint, folder };
  }

  return {
    /** What the Workers have logged as one. */
    faults,
    run: () => (starting ??= start()),
    /** A visit of a host that one of the Workers has, be it on workers.dev. */
    visit: async (url: string, init: RequestInit = {}): Promise<Response> => {
      if (!isComplete(account, suffix)) {
        throw new Error("nobody is there");
      }
      const { runtime } = await (starting ??= start());
      const { hostname } = new URL(url);
      const worker =
        account.hosts.find((host) => host.hostname === hostname)?.service ?? hostname.split(".", 1)[0] ?? "";
      return runtime.send(worker, url, init);
    },
    stop: async (): Promise<void> => {
      for (const end of endings.toReversed()) {
        await end();
      }
    },
  };
}
