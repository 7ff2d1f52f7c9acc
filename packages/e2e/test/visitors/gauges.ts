/** The Grafana page over the running stack: a real Prometheus scrapes it and is asked what each panel asks. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PANELS } from "@hopline/ops/gauges/panels";
import { findFreePort } from "@hopline/testkit/postgres/free-port";
import { expect, it, onTestFinished, vi } from "vitest";
import { IS_FULL } from "../../../core/test/runs.ts";
import { createLink, POLL, stack, visit } from "./visitor-stack.ts";

const IS_THERE = IS_FULL && spawnSync("prometheus", ["--version"]).status === 0;

it.skipIf(!IS_THERE)("has numbers in every panel of the Grafana page", async () => {
  const origin = await startPrometheus();
  const link = await createLink();
  const empty = async (): Promise<readonly string[]> => {
    const lines = PANELS.flatMap(({ title, lines }) => Object.values(lines).map((expr) => ({ title, expr })));
    const asked = lines.map(async ({ title, expr }) =>
      (await ask(origin, expr)) ? [] : [`${title}: ${expr}`],
    );
    return (await Promise.all(asked)).flat();
  };
  await vi.waitFor(
    async () => {
      await visit(link.slug);
      expect(await empty()).toEqual([]);
    },
    { timeout: 90_000, interval: 500 },
  );
});

/** Whether a query has an answer, and numbers in it: a share of nothing is none. */
async function ask(origin: string, expr: string): Promise<boolean> {
  const query = expr.replaceAll("$colo", ".*").replaceAll("$__rate_interval", "1m");
  const response = await fetch(`${origin}/api/v1/query?${new URLSearchParams({ query })}`);
  const answer: unknown = await response.json();
  expect(answer).toMatchObject({ status: "success", data: { resultType: "vector" } });
  return /"value":\[[\d.]+,"(?!NaN)/.test(JSON.stringify(answer));
}

/** Scrapes once a second until the test is over. */
async function startPrometheus(): Promise<string> {
  const { METRICS_TOKEN } = await stack.runtime.getBindings<{ readonly METRICS_TOKEN: string }>(
    "hopline-api",
  );
  const directory = await mkdtemp(join(tmpdir(), "hopline-prometheus-"));
  const path = join(directory, "prometheus.yml");
  const { host } = new URL(stack.url);
  const job = {
    job_name: "hopline",
    scrape_interval: "1s",
    metrics_path: "/api/metrics",
    authorization: { credentials: METRICS_TOKEN },
    static_configs: [{ targets: [host] }],
  };
  // JSON is YAML.
  await writeFile(path, JSON.stringify({ scrape_configs: [job] }), { mode: 0o600 });
  const address = `127.0.0.1:${await findFreePort()}`;
  const flags = [
    `--config.file=${path}`,
    `--storage.tsdb.path=${directory}/data`,
    `--web.listen-address=${address}`,
  ];
  const child = spawn("prometheus", flags, { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill();
    await ended;
    await rm(directory, { recursive: true });
  });
  await vi.waitFor(async () => expect((await fetch(`http://${address}/-/ready`)).status).toBe(200), POLL);
  return `http://${address}`;
}
