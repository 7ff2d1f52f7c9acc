/**
 * The local runtime with one small Worker. What bindings, queues and crons do in it is tested with the real Workers, in
 * packages/e2e.
 */
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { LOCAL_CF, LOCAL_CF_HEADER } from "../src/runtime/front-door.ts";
import { startWorkers, type WorkerRuntime } from "../src/runtime/worker-runtime.ts";

const FIXTURE = join(import.meta.dirname, "fixtures/worker");
let runtime: WorkerRuntime;

const bundle = (script = "worker.js") => ({
  configPath: join(FIXTURE, "wrangler.jsonc"),
  scriptPath: join(FIXTURE, script),
});

const start = (port: number) =>
  startWorkers({
    bundles: [bundle()],
    databaseUrl: "postgresql://user:password@database.test.invalid/name",
    sqlEndpointUrl: "http://127.0.0.1:1/sql",
    port,
    persistDirectory: null,
    vars: { GREETING: "from the caller" },
    onLog: () => undefined,
  });

beforeAll(async () => {
  runtime = await start(0);
});
afterAll(() => runtime.stop());

async function seen(headers: Readonly<Record<string, string>>, path = "/seen"): Promise<unknown> {
  return (await fetch(`${runtime.url}${path}`, { headers })).json();
}

describe("the front door", () => {
  it("adds the visitor's address and a cf object, and leaves the rest of the request alone", async () => {
    expect(await seen({ "accept-encoding": "identity" })).toEqual({
      country: LOCAL_CF.country,
      address: "127.0.0.1",
      host: new URL(runtime.url).host,
      acceptEncoding: "identity",
      url: `${runtime.url}/seen`,
    });
  });

  it("lets a client bring its own address and cf object", async () => {
    const headers = { "cf-connecting-ip": "203.0.113.9", [LOCAL_CF_HEADER]: '{"country":"FR"}' };
    expect(await seen(headers)).toMatchObject({ country: "FR", address: "203.0.113.9" });
  });

  it("hands a redirect to the visitor instead of following it", async () => {
    const response = await fetch(`${runtime.url}/leave`, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([302, "https://example.com/"]);
  });

  it("can be bypassed: the first Worker's own port adds nothing", async () => {
    const response = await fetch(`${runtime.producerUrl}/seen`);
    expect(await response.json()).toMatchObject({ country: null, address: null });
  });
});

it("puts the caller's variables over those of the configuration", async () => {
  expect(await seen({}, "/vars")).toEqual({
    greeting: "from the caller",
    endpoint: "http://127.0.0.1:1/sql",
  });
});

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("leaves %s to its caller", async (signal) => {
  const ends = [vi.spyOn(process, "exit"), vi.spyOn(process, "kill")];
  ends.forEach((end) => end.mockImplementation(() => undefined as never));
  process.once(signal, () => undefined);
  process.emit(signal);
  // Still there, and the process has not been ended.
  expect(await seen({}, "/vars")).toMatchObject({ greeting: "from the caller" });
  expect(ends.map((end) => end.mock.calls)).toEqual([[], []]);
  vi.restoreAllMocks();
});

it("replaces the code on reload, on the same ports, with KV as it was", async () => {
  const { url } = runtime;
  await (await runtime.getKv("LINKS")).put("key", "written before");
  await runtime.reload([bundle("worker.next.js")]);
  expect(await (await fetch(`${url}/anything`)).text()).toBe("the next version");
  expect(await (await runtime.getKv("LINKS")).get("key")).toBe("written before");
});

it("says in one line that its port is taken", async () => {
  await expect(start(Number(new URL(runtime.url).port))).rejects.toThrow(
    /^The Workers' runtime did not start on port \d+: .*Address already in use/,
  );
});
