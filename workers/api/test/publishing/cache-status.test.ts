import { afterEach, describe, expect, it } from "vitest";
import { judgeSpread, type PublishedCopies } from "../../src/publishing/cache-status.ts";
import { changeLink } from "../../src/links/change-link.ts";
import { parsePublicId } from "../../src/http/entity-id.ts";
import { WRITTEN_AT_MS } from "./fake-edge.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, workspace, key } = await openKeyedStage("links:read", "links:write");
const CHANGED_AT_MS = 1_000_000;

describe("how far a version has spread", () => {
  const everywhere: PublishedCopies = {
    database: { version: 3, changedAtMs: CHANGED_AT_MS },
    kv: { version: 3, writtenAtMs: CHANGED_AT_MS + 100 },
    feed: { version: 3, announcedAtMs: CHANGED_AT_MS + 50 },
    isPending: false,
  };
  const isolates = CHANGED_AT_MS + 2_050;
  const caches = CHANGED_AT_MS + 120_100;

  it.each<[string, Partial<PublishedCopies>, number, string, number | null, number | null]>([
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
      "in KV, since nobody knows when",
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
  afterEach(() => {
    stage.edge.state.kvIsUp = true;
  });

  it("GET …/cache-status shows which version each place holds, and when the worst case ends", async () => {
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

  it("POST …/publish publishes what an outage held back", async () => {
    const id = await addLink();
    stage.edge.state.kvIsUp = false;
    const linkId = parsePublicId("lnk", id) ?? "";
    await changeLink({ workspaceId: workspace.id, linkId }, { state: "disabled" }, stage);
    expect(await send("GET", `${id}/cache-status`)).toMatchObject({
      body: { state: "pending", database: { version: 2 }, kv: null, feed: { version: 2 } },
    });
    stage.edge.state.kvIsUp = true;
    expect(await send("POST", `${id}/publish`)).toMatchObject({
      status: 200,
      body: { state: "settled", database: { version: 2 }, kv: { version: 2 }, feed: { version: 2 } },
    });
  });

  it("POST …/publish accepts an empty body without a type, as curl -X POST and fetch send it", async () => {
    const response = await stage.app.request(`/api/v1/links/${await addLink()}/publish`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-length": "0" },
      body: new Blob([]),
    });
    expect(response.status).toBe(200);
  });

  async function addLink(): Promise<string> {
    const created = await callApi<{ readonly id: string }>(stage, "POST /api/v1/links", {
      key,
      body: { url: "https://example.com/" },
    });
    return created.body.id;
  }

  async function send(method: string, path: string) {
    const { status, body } = await callApi<unknown>(stage, `${method} /api/v1/links/${path}`, { key });
    return { status, body };
  }
});
