/** GET /api/health says which dependency answers, to anybody. */
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openStage, type Stage } from "../stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterEach(() => {
  stage.endpoint.setFault(null);
  stage.edge.state.kvIsUp = true;
  stage.edge.state.feedHangs = false;
});

afterAll(() => stage.close());

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
    body: { status: "ok", dependencies: { database: up, kv: up, feed: up } },
  });
});

it("is degraded without KV, which redirects and reads do not need", async () => {
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

it("waits for none of them longer than its limit, and for all at the same time", async () => {
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

it("names no host, no secret and no error", async () => {
  stage.endpoint.setFault(() => ({ kind: "reset" }));
  const { hostname, password } = new URL(stage.databaseUrl);
  const text = await (await stage.app.request("/api/health")).text();
  for (const secret of [hostname, password, "Error"].filter((word) => word !== "")) {
    expect(text).not.toContain(secret);
  }
});
