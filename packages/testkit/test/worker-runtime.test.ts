/** Drives the local runtime with a small house of its own: what a binding does here, it does for the real Workers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { LOCAL_CF, LOCAL_CF_HEADER } from "../src/runtime/front-door.ts";
import { type LocalLog, startWorkers, type WorkerRuntime } from "../src/runtime/worker-runtime.ts";

const HOUSE = new URL("fixtures/house/", import.meta.url).pathname;
const DATABASE_URL = "postgresql://user:password@database.test.invalid/name";

const logs: LocalLog[] = [];
let runtime: WorkerRuntime;

beforeAll(async () => {
  runtime = await startWorkers({
    bundles: ["front", "back", "sink"].map((name) => bundle(name)),
    databaseUrl: DATABASE_URL,
    sqlEndpointUrl: "http://127.0.0.1:1/sql",
    port: 0,
    persistDirectory: null,
    vars: { GREETING: "from the caller" },
    onLog: (log) => logs.push(log),
  });
}, 30_000);
afterAll(() => runtime.stop());

function bundle(name: string, script = "worker.js") {
  return { configPath: `${HOUSE}${name}/wrangler.jsonc`, scriptPath: `${HOUSE}${name}/${script}` };
}

async function seen(path: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  return (await fetch(`${runtime.url}${path}`, { headers })).json();
}

describe("the front door", () => {
  it("adds the visitor's address and a cf object, and leaves the rest of the request alone", async () => {
    expect(await seen("/seen", { "accept-encoding": "identity" })).toEqual({
      country: LOCAL_CF.country,
      address: "127.0.0.1",
      host: new URL(runtime.url).host,
      acceptEncoding: "identity",
      url: `${runtime.url}/seen`,
    });
  });

  it("lets a client bring its own address and cf object", async () => {
    const headers = { "cf-connecting-ip": "203.0.113.9", [LOCAL_CF_HEADER]: '{"country":"FR"}' };
    expect(await seen("/seen", headers)).toMatchObject({ country: "FR", address: "203.0.113.9" });
  });

  it("hands a redirect to the visitor instead of following it", async () => {
    const response = await fetch(`${runtime.url}/click`, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([302, "https://example.com/"]);
  });

  it("can be gone round: the first Worker's own port adds nothing", async () => {
    const response = await fetch(`${runtime.producerUrl}/seen`);
    expect(await response.json()).toMatchObject({ country: null, address: null });
  });
});

describe("the bindings of a configuration", () => {
  it("are completed by the database's address and the caller's variables", async () => {
    expect(await seen("/vars")).toEqual({
      greeting: "from the caller",
      url: DATABASE_URL,
      endpoint: "http://127.0.0.1:1/sql",
    });
  });

  it("reach another Worker with the cf object and the address, and share its KV namespace", async () => {
    expect(await seen("/back")).toEqual({ country: LOCAL_CF.country, address: "127.0.0.1" });
    expect(await (await fetch(`${runtime.url}/read`)).text()).toBe("written at the back");
    expect(await (await runtime.getKv("LINKS")).get("key")).toBe("written at the back");
  });

  it("reach a Durable Object of another Worker, with its SQL storage", async () => {
    expect(await seen("/feed")).toEqual({ changes: 1 });
  });

  it("limit a rate", async () => {
    const outcomes = [await seen("/limit"), await seen("/limit"), await seen("/limit")];
    expect(outcomes).toEqual([{ success: true }, { success: true }, { success: false }]);
  });
});

it("delivers what was queued before it calls the queues empty", async () => {
  await runtime.drain(10_000);
  logs.length = 0;
  await fetch(`${runtime.url}/click`, { redirect: "manual" });
  expect(await runtime.drain(10_000)).toBe(0);
  expect(logs).toContainEqual({ level: "log", message: '{"event":"batch.taken","messages":1}' });
});

it("runs a scheduled handler when asked to", async () => {
  await runtime.dispatchScheduled("fixture-sink", "*/5 * * * *");
  await expect
    .poll(() => logs)
    .toContainEqual({
      level: "log",
      message: '{"event":"cron.ran","cron":"*/5 * * * *"}',
    });
});

it("leaves signals to its caller", () => {
  const texts = [...process.listeners("SIGTERM"), ...process.listeners("SIGINT")].map(String);
  expect(texts.filter((text) => text.includes("process.exit(128"))).toEqual([]);
});

it("replaces the code on reload, on the same ports, with KV as it was", async () => {
  const { url } = runtime;
  await runtime.reload([bundle("front", "worker.next.js"), bundle("back"), bundle("sink")]);
  expect(await (await fetch(`${url}/anything`)).text()).toBe("the next version");
  expect(await (await runtime.getKv("LINKS")).get("key")).toBe("written at the back");
});

it("says in one line that its port is taken", async () => {
  const second = startWorkers({
    bundles: [bundle("back")],
    databaseUrl: DATABASE_URL,
    sqlEndpointUrl: "http://127.0.0.1:1/sql",
    port: Number(new URL(runtime.url).port),
    persistDirectory: null,
    onLog: () => undefined,
  });
  await expect(second).rejects.toThrow(
    /^The Workers' runtime did not start on port \d+: .*Address already in use/,
  );
});
