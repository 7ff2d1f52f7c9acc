/** GET /api/health says which dependency answers, to anybody. */
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterEach(() => {
  stage.endpoint.setFault(null);
  stage.edge.state.kvIsUp = true;
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
