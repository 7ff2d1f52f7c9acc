/**
 * `pnpm types`: what is generated and committed. The env types of the Workers, by `wrangler types` from their wrangler.jsonc,
 * the operations of the client, from the API's routes, and the page and alert rules for Grafana and Prometheus.
 *
 * Of the Workers only the bindings: the runtime's own types come from @cloudflare/workers-types, 600 KB that are not worth a
 * review.
 */
import { readFile, writeFile } from "node:fs/promises";
import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { runTool } from "@hopline/testkit/console/run-tool";
import { summariseWranglerError } from "@hopline/testkit/workspace/build-workers";
import { inWorkspace, WORKERS, type WorkerSource } from "@hopline/testkit/workspace/workspace";
import { defineCommand } from "citty";
import { ALERTS_PATH, writeAlerts } from "../gauges/alerts-file.ts";
import { DASHBOARD_PATH, writeDashboard } from "../gauges/dashboard-file.ts";

export const example = "pnpm types";
export const exitCodes = { 1: "types could not be generated, or do not match what they are made from" };

const CLIENT_PATH = "packages/client/src/openapi.ts";

export default defineCommand({
  meta: { name: "pnpm types", description: "Generates the Workers' env types and the client's operations" },
  args: {
    check: { type: "boolean", default: false, description: "Only compare: fails when a file is out of date" },
  },
  async run({ args }) {
    const progress = consoleProgress();
    const settled = await Promise.allSettled([
      ...WORKERS.map((worker) => progress.step(worker.envTypesPath, () => generateTypes(worker, args.check))),
      progress.step(CLIENT_PATH, () => generateOperations(args.check)),
      progress.step(DASHBOARD_PATH, () => put(DASHBOARD_PATH, writeDashboard(), args.check)),
      progress.step(ALERTS_PATH, () => put(ALERTS_PATH, writeAlerts(), args.check)),
    ]);
    const failures = settled.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    for (const failure of failures) {
      if (!(failure instanceof Failure)) {
        throw failure;
      }
      progress.line(`✗ ${failure.message}`);
    }
    return failures.length === 0 ? 0 : 1;
  },
});

async function generateTypes(worker: WorkerSource, isCheck: boolean): Promise<void> {
  const { exitCode, output } = await runTool("wrangler", [
    "types",
    // Relative, because it is repeated in the file's first line; tools run at the root.
    worker.envTypesPath,
    "--config",
    worker.configPath,
    "--env-interface",
    worker.envInterface,
    "--include-runtime=false",
    "--strict-vars=false",
    ...(isCheck ? ["--check"] : []),
  ]);
  if (exitCode === 0) {
    return;
  }
  if (isCheck && /out of date|not.*up.to.date/i.test(output)) {
    throw new Failure(`${worker.envTypesPath} does not match ${worker.configPath}: run \`pnpm types\`.`);
  }
  throw new Failure(
    `The types of ${worker.configPath} could not be generated: ${summariseWranglerError(output)}`,
  );
}

async function generateOperations(isCheck: boolean): Promise<void> {
  const { exitCode, output } = await runTool("node", ["workers/api/src/print-document.ts"]);
  if (exitCode !== 0) {
    throw new Failure(`The API's document could not be printed: ${output}`);
  }
  // Loaded here, because it is large.
  const { generateClient } = await import("@hopline/client/generate");
  await put(CLIENT_PATH, await generateClient(output), isCheck);
}

/** Writes a file, or only compares it. */
async function put(relativePath: string, source: string, isCheck: boolean): Promise<void> {
  const path = inWorkspace(relativePath);
  if (!isCheck) {
    await writeFile(path, source);
  } else if (source !== (await readFile(path, "utf8").catch(() => null))) {
    throw new Failure(`${relativePath} does not match what it is made from: run \`pnpm types\`.`);
  }
}
