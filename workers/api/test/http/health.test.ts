/** GET /api/health: which dependencies answer, without a key. */
import { SCHEMA_VERSION } from "@hopline/db/schema-version";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { afterEach, expect, it } from "vitest";
import { openKeyedStage } from "../keyed-stage.ts";
import { METRICS_TOKEN } from "../stage.ts";

const { stage } = await openKeyedStage("admin");

afterEach(() => {
  stage.endpoint.setFault(null);
  stage.edge.state.kvIsUp = true;
  stage.edge.state.feedHangs = false;
});

async function ask() {
  const response = await stage.app.request("/api/health");
  return {
    status: response.status,
    body: (await response.json()) as { status: string; dependencies: object },
  };
}

it("is ok when everything answers, with each latency", async () => {
  const answer = await ask();
  const up = { status: "ok", latencyMs: expect.any(Number) };
  expect(answer).toEqual({
    status: 200,
    body: {
      status: "ok",
      dependencies: { database: up, kv: up, feed: up },
      schema: { state: "current", database: SCHEMA_VERSION, code: SCHEMA_VERSION },
      faults: [],
    },
  });
});

it("knows the schema that this release was written for: the newest migration there is", () => {
  expect(readMigrations(inWorkspace("migrations")).at(-1)?.version).toBe(SCHEMA_VERSION);
});

it.each([
  ["older, and is degraded, without the newest migration", "degraded", "older", -1],
  ["newer, and is well, with one of a later release", "ok", "newer", 1],
])("says that the database is %s", async (_what, status, state, by) => {
  const other = SCHEMA_VERSION + by;
  await stage.client.query("CREATE TEMP TABLE kept AS SELECT * FROM schema_migrations");
  await stage.client.query("DELETE FROM schema_migrations WHERE version <> $1", [SCHEMA_VERSION]);
  await stage.client.query("UPDATE schema_migrations SET version = $1", [other]);
  expect(await ask()).toMatchObject({
    status: 200,
    body: { status, schema: { state, database: other, code: SCHEMA_VERSION } },
  });
  await stage.client.query("DELETE FROM schema_migrations");
  await stage.client.query("INSERT INTO schema_migrations SELECT * FROM kept");
  await stage.client.query("DROP TABLE kept");
});

it("says nothing of the schema where its role may not read it", async () => {
  await stage.client.query("REVOKE SELECT ON schema_migrations FROM hopline_api");
  expect(await ask()).toMatchObject({ body: { status: "ok", schema: { state: "unknown", database: null } } });
  await stage.client.query("GRANT SELECT ON schema_migrations TO hopline_api");
});

it("names what of the configuration is incomplete, and answers all the same", async () => {
  const faults = ["Custom hostnames are off"];
  const response = await stage.appWith({}, { faults }).request("/api/health");
  expect([response.status, await response.json()]).toEqual([
    200,
    expect.objectContaining({ status: "ok", faults }),
  ]);
});

it("names the alert rules that fire to who has the deployment's token, and to nobody else", async () => {
  const read = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await (await stage.app.request("/api/health", { headers })).json()) as object;
  };
  expect(await read(METRICS_TOKEN)).toMatchObject({ status: "ok", alerts: ["DeadLettersWait"] });
  expect(await read(`${METRICS_TOKEN}x`)).not.toHaveProperty("alerts");
});

it("is degraded without KV, which reads do not need", async () => {
  stage.edge.state.kvIsUp = false;
  expect(await ask()).toMatchObject({
    status: 200,
    body: { status: "degraded", dependencies: { kv: { status: "down" }, database: { status: "ok" } } },
  });
});

it("is down without the database", async () => {
  stage.endpoint.setFault(() => ({ kind: "reset" }));
  expect(await ask()).toMatchObject({
    status: 503,
    body: { status: "down", dependencies: { database: { status: "down" }, kv: { status: "ok" } } },
  });
});

it("waits for a hanging dependency no longer than its limit", async () => {
  stage.edge.state.feedHangs = true;
  stage.edge.state.kvIsUp = false;
  const answer = await ask();
  expect(answer).toMatchObject({
    status: 200,
    body: {
      status: "degraded",
      dependencies: { feed: { status: "down" }, kv: { status: "down" }, database: { status: "ok" } },
    },
  });
});

it("contains no host, no secret and no error", async () => {
  stage.endpoint.setFault(() => ({ kind: "reset" }));
  const { hostname, password } = new URL(stage.databaseUrl);
  const text = await (await stage.app.request("/api/health")).text();
  for (const secret of [hostname, password, "Error"].filter((word) => word !== "")) {
    expect(text).not.toContain(secret);
  }
});
