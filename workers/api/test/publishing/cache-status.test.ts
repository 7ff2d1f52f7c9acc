import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { judgeSpread, type PlacesOfLink } from "../../src/publishing/cache-status.ts";
import { changeLink } from "../../src/links/change-link.ts";
import { parsePublicId } from "../../src/http/entity-id.ts";
import { WRITTEN_AT_MS } from "./fake-edge.ts";
import { openStage, type Stage, type Workspace } from "../stage.ts";

const CHANGED_AT_MS = 1_000_000;

describe("the verdict on where a version has got to", () => {
  const everywhere: PlacesOfLink = {
    database: { version: 3, changedAtMs: CHANGED_AT_MS },
    kv: { version: 3, writtenAtMs: CHANGED_AT_MS + 100 },
    feed: { version: 3, announcedAtMs: CHANGED_AT_MS + 50 },
    isPending: false,
  };
  const isolates = CHANGED_AT_MS + 2_050;
  const caches = CHANGED_AT_MS + 120_100;

  it.each<[string, Partial<PlacesOfLink>, number, string, number | null, number | null]>([
    ["just published", {}, CHANGED_AT_MS + 200, "spreading", isolates, caches],
    ["two minutes later", {}, caches, "settled", isolates, caches],
    ["long forgotten by the feed", { feed: null }, caches, "settled", null, caches],
    ["not in KV yet", { kv: { version: 2, writtenAtMs: 5 } }, caches, "pending", isolates, null],
    [
      "not in the feed yet",
      { feed: { version: 2, announcedAtMs: 5 }, isPending: true },
      caches,
      "pending",
      null,
      caches,
    ],
    ["nowhere yet", { kv: null, feed: null, isPending: true }, caches, "pending", null, null],
    [
      "filled into KV by the edge itself",
      { kv: { version: 3, writtenAtMs: null } },
      caches,
      "settled",
      isolates,
      CHANGED_AT_MS + 120_000,
    ],
  ])("%s", (_when, change, nowMs, state, expectedByMs, worstCaseEndsAtMs) => {
    expect(judgeSpread({ ...everywhere, ...change }, nowMs)).toEqual({
      state,
      expectedByMs,
      worstCaseEndsAtMs,
    });
  });
});

describe("over the API", () => {
  let stage: Stage;
  let workspace: Workspace;
  let key: string;

  beforeAll(async () => {
    stage = await openStage();
    workspace = await stage.addWorkspace();
    key = await stage.addKey(workspace, ["links:read", "links:write"]);
  });

  afterAll(() => stage.close());

  afterEach(() => {
    stage.edge.state.kvIsUp = true;
  });

  it("GET …/cache-status shows which version each place holds, and by when the worst case ends", async () => {
    const id = await addLink();
    expect(await send("GET", `${id}/cache-status`)).toEqual({
      status: 200,
      body: {
        state: "settled",
        database: { version: 1 },
        kv: { version: 1 },
        feed: { version: 1, announcedAt: new Date(WRITTEN_AT_MS).toISOString() },
        expectedBy: new Date(WRITTEN_AT_MS + 2_000).toISOString(),
        worstCaseEndsAt: new Date(WRITTEN_AT_MS + 120_000).toISOString(),
      },
    });
  });

  it("GET …/cache-status answers when KV does not", async () => {
    const id = await addLink();
    stage.edge.state.kvIsUp = false;
    expect(await send("GET", `${id}/cache-status`)).toMatchObject({
      status: 200,
      body: { state: "pending", kv: null, feed: { version: 1 } },
    });
  });

  it("POST …/purge publishes what an outage kept back", async () => {
    const id = await addLink();
    stage.edge.state.kvIsUp = false;
    const linkId = parsePublicId("lnk", id) ?? "";
    await changeLink({ workspaceId: workspace.id, linkId }, { state: "disabled" }, stage);
    expect(await send("GET", `${id}/cache-status`)).toMatchObject({
      body: { state: "pending", database: { version: 2 }, kv: null, feed: { version: 2 } },
    });
    stage.edge.state.kvIsUp = true;
    expect(await send("POST", `${id}/purge`)).toMatchObject({
      status: 200,
      body: { state: "settled", database: { version: 2 }, kv: { version: 2 }, feed: { version: 2 } },
    });
  });

  it("POST …/purge takes a body of no length and no type, as curl -X POST and fetch send it", async () => {
    const response = await stage.app.request(`/api/v1/links/${await addLink()}/purge`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-length": "0" },
      body: new Blob([]),
    });
    expect(response.status).toBe(200);
  });

  it.each(["GET …/cache-status", "POST …/purge"])("%s knows no link of another workspace", async (route) => {
    const id = await addLink();
    const stranger = await stage.addKey(await stage.addWorkspace(), ["admin"]);
    const [method = "", path = ""] = route.split(" …");
    expect((await send(method, `${id}${path}`, stranger)).status).toBe(404);
    expect((await send(method, `lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f${path}`)).status).toBe(404);
  });

  async function addLink(): Promise<string> {
    const { body } = await send("POST", "", key, { url: "https://example.com/" });
    return typeof body === "object" && body !== null && "id" in body ? String(body.id) : "";
  }

  async function send(
    method: string,
    path: string,
    bearer = key,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const response = await stage.app.request(`/api/v1/links${path === "" ? "" : `/${path}`}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }
});
