/** The live stream over a real database: every new click once, in any order of commits and disconnects. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { eventIdOf } from "@hopline/core/click/event-id";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { toPublicClickId } from "../../src/analytics/click-shape.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import { createCursorSeal } from "../../src/http/sealed-cursor.ts";
import { type LiveCursor, openLiveCursor, sealLiveCursor } from "../../src/live/live-cursor.ts";
import { LIVE_SETTINGS } from "../../src/live/stream-clicks.ts";
import type { Document } from "../http/hold-to-document.ts";
import { createChecker } from "../http/json-schema.ts";
import { type EventReader, readEvents } from "./read-events.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { METRICS_TOKEN, type Workspace } from "../stage.ts";

const LIVE = { ...LIVE_SETTINGS, pollMs: 10, maxStreamMs: 60_000, maxStreams: 8 };

const cursors = await createCursorSeal(METRICS_TOKEN);

async function openCursor(text: string): Promise<LiveCursor> {
  const cursor = await openLiveCursor(text, cursors);
  if (cursor === null) {
    throw new Error("This is no cursor.");
  }
  return cursor;
}

const { stage, workspace, key } = await openKeyedStage("analytics:read");
const app = stage.appWithStreams(LIVE);
const linkId = randomUUID();
let open: EventReader[] = [];

beforeEach(settled);

afterEach(async () => {
  await Promise.all(open.map((reader) => reader.cancel().catch(() => undefined)));
  open = [];
});

let sequence = 0;

type Clicked = {
  readonly of?: Workspace;
  readonly class?: string;
  readonly link?: string;
  readonly agoMs?: number;
};

/** Writes one click on a connection, within its transaction if there is one; resolves to its public id. */
async function click(change: Clicked = {}, client: pg.Client = stage.client): Promise<string> {
  sequence += 1;
  const eventId = eventIdOf("00c0ffee0000aaaa", sequence);
  const of = change.of ?? workspace;
  await client.query(
    `INSERT INTO click_events (event_id, clicked_at, link_id, link_version, workspace_id, domain_id, source, class)
     VALUES ($1, now() - $2::int * interval '1 millisecond', $3, 1, $4, $5, 'link', $6)`,
    [eventId, change.agoMs ?? 0, change.link ?? linkId, of.id, of.domainId, change.class ?? "human"],
  );
  return toPublicClickId(eventId);
}

/**
 * Waits until no transaction of the server is older than what is committed now. A new stream begins at the oldest one,
 * which may be another test file's.
 */
async function settled(): Promise<void> {
  const ask = async (text: string, values: unknown[] = []) =>
    (await stage.client.query<{ answer: string | boolean }>(`SELECT ${text} AS answer`, values)).rows[0]
      ?.answer;
  const end = await ask("pg_snapshot_xmax(pg_current_snapshot())::text");
  const isPast = () => ask("pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8", [end]);
  await vi.waitUntil(async () => (await isPast()) === true, { timeout: 60_000 });
}

async function connect(
  options: { readonly query?: string; readonly lastEventId?: string; readonly key?: string } = {},
): Promise<{ readonly response: Response; readonly events: EventReader }> {
  const response = await app.request(`/api/v1/analytics/live${options.query ?? ""}`, {
    headers: {
      authorization: `Bearer ${options.key ?? key}`,
      ...(options.lastEventId === undefined ? {} : { "last-event-id": options.lastEventId }),
    },
  });
  expect(response.status).toBe(200);
  const events = readEvents(response);
  open.push(events);
  return { response, events };
}

/** A stream that has started: every click from now on is new to it. */
async function listen(query = ""): Promise<EventReader> {
  const { events } = await connect({ query });
  expect((await events.next()).name).toBe("ready");
  return events;
}

async function nextIds(events: EventReader, count: number): Promise<readonly unknown[]> {
  const ids: unknown[] = [];
  while (ids.length < count) {
    ids.push((await events.next()).data["id"]);
  }
  return ids;
}

describe("a stream", () => {
  it("starts now, and shows each new click as the list of clicks does", async () => {
    await click();
    await settled();
    const { response, events } = await connect();
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect((await events.next()).name).toBe("ready");
    const id = await click();
    const seen = await events.next();
    const list = await app.request("/api/v1/analytics/events?limit=1", {
      headers: { authorization: `Bearer ${key}` },
    });
    const { data } = (await list.json()) as { readonly data: readonly { readonly id: string }[] };
    expect(data[0]?.id).toBe(id);
    expect([seen.name, seen.data]).toEqual(["click", data[0]]);
  });

  it("is opened by EventSource with a session's cookie, and by no page of another origin", async () => {
    const { cookie } = await stage.addPerson(workspace, "viewer");
    const asEventSource = { accept: "text/event-stream", "cache-control": "no-cache", cookie };
    const path = `/api/v1/analytics/live?workspace=${toPublicId("ws", workspace.id)}`;
    const response = await app.request(path, { headers: asEventSource });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
    ]);
    const events = readEvents(response);
    open.push(events);
    expect((await events.next()).name).toBe("ready");
    const id = await click();
    await events.next();
    const again = await app.request(path, {
      headers: { ...asEventSource, "last-event-id": events.lastEventId() },
    });
    const later = readEvents(again);
    open.push(later);
    const next = await click();
    expect([(await later.next()).data["id"], next === id]).toEqual([next, false]);
    // A browser lets no page of another origin read an answer to a request with cookies.
    const strange = await stage
      .appWith({ corsOrigins: ["https://dashboard.example"] })
      .request("/api/v1/analytics/live", {
        headers: { ...asEventSource, origin: "https://dashboard.example" },
      });
    await strange.body?.cancel();
    expect(strange.headers.get("access-control-allow-credentials")).toBeNull();
  });

  it("sends no data but what the document describes: ready, click, reset", async () => {
    const document = (await (await app.request("/api/openapi.json")).json()) as Document;
    const { content } = document.paths["/api/v1/analytics/live"]?.["get"]?.responses["200"] ?? {};
    const schema = content?.["text/event-stream"]?.schema ?? {};
    const faultsOf = createChecker(document.components);
    const faultsOfNext = async (events: EventReader) => {
      const { name, data } = await events.next();
      const event = { event: name, id: events.lastEventId(), data: JSON.stringify(data) };
      const its = schema.oneOf?.find((one) => one.properties?.["event"]?.enum?.[0] === name);
      const contentSchema = its?.properties?.["data"]?.contentSchema ?? { not: {} };
      return [name, faultsOf(event, schema), faultsOf(data, contentSchema)];
    };
    const { events } = await connect();
    const ready = await faultsOfNext(events);
    await click();
    const seen = await faultsOfNext(events);
    const lost = { ...(await openCursor(events.lastEventId())), atMs: Date.now() - 3_600_000 };
    const again = await connect({ lastEventId: await sealLiveCursor(lost, cursors) });
    expect([ready, seen, await faultsOfNext(again.events)]).toEqual([
      ["ready", [], []],
      ["click", [], []],
      ["reset", [], []],
    ]);
  });

  it("continues without gaps or duplicates wherever the connection broke, even inside a transaction", async () => {
    const first = await listen();
    await stage.client.query("BEGIN");
    const ids = [await click(), await click(), await click()];
    await stage.client.query("COMMIT");
    expect(await nextIds(first, 2)).toEqual(ids.slice(0, 2));
    await first.cancel();
    ids.push(await click(), await click());
    const second = (await connect({ lastEventId: first.lastEventId() })).events;
    expect(await nextIds(second, 3)).toEqual(ids.slice(2));
    await second.cancel();
    const third = (await connect({ query: `?lastEventId=${encodeURIComponent(second.lastEventId())}` }))
      .events;
    const last = await click();
    expect(await nextIds(third, 1)).toEqual([last]);
  });

  it("shows a click whose transaction began early and committed late, once and only after the commit", async () => {
    const early = new pg.Client({ connectionString: stage.databaseUrl });
    await early.connect();
    try {
      const events = await listen();
      await early.query("BEGIN");
      const lateId = await click({ agoMs: 60_000 }, early);
      // Committed first, written second: a cursor of times or ids would skip the other one here.
      const soonId = await click();
      const before = await listen();
      const meanwhile = await click();
      await early.query("COMMIT");
      const all = await nextIds(events, 3);
      expect([...all].toSorted()).toEqual([lateId, soonId, meanwhile].toSorted());
      // A stream that started in between starts before all unsettled clicks, and shows them.
      expect((await nextIds(before, 3)).toSorted()).toEqual([lateId, soonId, meanwhile].toSorted());
      const again = (await connect({ lastEventId: events.lastEventId() })).events;
      const next = await click();
      expect(await nextIds(again, 1)).toEqual([next]);
    } finally {
      await early.end();
    }
  });

  it("loses and repeats nothing while writers commit in any order and the client reconnects again and again", async () => {
    const writers = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const client = new pg.Client({ connectionString: stage.databaseUrl });
        await client.connect();
        return client;
      }),
    );
    const committed: string[] = [];
    const started = await listen();
    const writing = Promise.all(
      writers.map(async (client, writer) => {
        for (let round = 0; round < 15; round += 1) {
          await client.query("BEGIN");
          const ids = [await click({}, client), await click({}, client)];
          await sleep((writer * 7 + round * 3) % 20);
          const isKept = (writer + round) % 5 !== 0;
          await client.query(isKept ? "COMMIT" : "ROLLBACK");
          committed.push(...(isKept ? ids : []));
        }
      }),
    );
    const seen: unknown[] = [];
    let events = started;
    const expected = 4 * 12 * 2;
    for (let turn = 1; seen.length < expected; turn += 1) {
      seen.push(...(await nextIds(events, Math.min((turn % 8) + 1, expected - seen.length))));
      await events.cancel();
      events = (await connect({ lastEventId: events.lastEventId() })).events;
    }
    await writing;
    const end = await click();
    expect(await nextIds(events, 1)).toEqual([end]);
    expect(committed).toHaveLength(expected);
    expect(seen.toSorted()).toEqual(committed.toSorted());
    await Promise.all(writers.map((client) => client.end()));
  });

  it("reads a backlog of many polls in order", async () => {
    const events = await listen();
    await events.cancel();
    const from = sequence;
    await stage.client.query("BEGIN");
    for (let index = 0; index < 450; index += 1) {
      await click();
    }
    await stage.client.query("COMMIT");
    const again = (await connect({ lastEventId: events.lastEventId() })).events;
    expect(await nextIds(again, 450)).toEqual(
      Array.from({ length: 450 }, (_, index) =>
        toPublicClickId(eventIdOf("00c0ffee0000aaaa", from + index + 1)),
      ),
    );
  });

  it("shows clicks of humans, or those that match its filters", async () => {
    const other = randomUUID();
    const humans = await listen();
    const bots = await listen("?class=bot");
    const ofLink = await listen(`?class=all&link=${toPublicId("lnk", other)}&domain=${workspace.host}`);
    await click({ class: "bot" });
    const human = await click();
    const otherBot = await click({ class: "bot", link: other });
    expect(await nextIds(humans, 1)).toEqual([human]);
    expect(await nextIds(ofLink, 1)).toEqual([otherBot]);
    expect((await nextIds(bots, 2))[1]).toBe(otherBot);
  });

  it("shows nothing of another workspace", async () => {
    const theirs = await stage.addWorkspace();
    const theirKey = await stage.addKey(theirs, ["analytics:read"]);
    const ours = await listen();
    const { events } = await connect({ key: theirKey });
    expect((await events.next()).name).toBe("ready");
    await click();
    const theirId = await click({ of: theirs });
    const oursId = await click();
    expect(await nextIds(events, 1)).toEqual([theirId]);
    expect((await nextIds(ours, 2))[1]).toBe(oursId);
  });
});

describe("a client that was away for too long", () => {
  it("gets a reset with the time since when to read the lists, and continues from now", async () => {
    const events = await listen();
    const cursor = await openCursor(events.lastEventId());
    const sinceMs = cursor.atMs - 16 * 60_000;
    const old = await sealLiveCursor({ ...cursor, atMs: sinceMs }, cursors);
    await click();
    await settled();
    const again = (await connect({ lastEventId: old })).events;
    const told = await again.next();
    expect([told.name, told.data]).toEqual(["reset", { since: new Date(sinceMs).toISOString() }]);
    const id = await click();
    expect(await nextIds(again, 1)).toEqual([id]);
  });

  it("gets a reset after the database was restored to an earlier moment", async () => {
    const events = await listen();
    const cursor = await openCursor(events.lastEventId());
    const later = await sealLiveCursor({ ...cursor, xid: "999999999999999998" }, cursors);
    expect((await (await connect({ lastEventId: later })).events.next()).name).toBe("reset");
  });

  it.each([
    ["after METRICS_TOKEN was replaced", "another token", "reset"],
    ["not while METRICS_TOKEN is rotated", `another token,${METRICS_TOKEN}`, "click"],
  ])("gets a reset %s", async (_when, metricsToken, name) => {
    const events = await listen();
    await events.cancel();
    const { atMs } = await openCursor(events.lastEventId());
    await click();
    await settled();
    const rotated = stage.appWith({}, { metricsToken, live: { ...LIVE, maxStreamMs: 0 } });
    const headers = { authorization: `Bearer ${key}`, "last-event-id": events.lastEventId() };
    const [told] = await readEvents(await rotated.request("/api/v1/analytics/live", { headers })).rest();
    expect(told?.name).toBe(name);
    expect(name === "click" || told?.data["since"] === new Date(atMs).toISOString()).toBe(true);
  });
});

it("event ids and cursors do not count the clicks of other workspaces: nothing of them is readable", async () => {
  const { response, events } = await connect();
  await events.next();
  const id = await click();
  const eventId = eventIdOf("00c0ffee0000aaaa", sequence);
  await settled();
  const seen = await events.next();
  const { rows } = await stage.client.query<{ xid: string }>(
    "SELECT inserted_xid::text AS xid FROM click_events WHERE event_id = $1",
    [eventId],
  );
  expect([response.status, seen.data["id"]]).toEqual([200, id]);
  const headers = { authorization: `Bearer ${key}` };
  const lists = await Promise.all(
    ["events?limit=1", "events.csv"].map(async (path) =>
      (await stage.app.request(`/api/v1/analytics/${path}`, { headers })).text(),
    ),
  );
  const cursor = String(JSON.parse(lists[0] ?? "").nextCursor);
  const plain = [events.lastEventId(), cursor, Buffer.from(cursor, "base64url").toString("latin1"), ...lists];
  for (const text of plain) {
    expect(text).not.toContain(eventId);
    expect(text).not.toContain(eventId.replaceAll("-", ""));
  }
  expect(events.lastEventId()).not.toContain(`.${rows[0]?.xid}.`);
});

describe("the end of a stream", () => {
  it("comes after its time limit, and the next connection continues", async () => {
    const short = stage.appWithStreams({ ...LIVE, maxStreamMs: 50 });
    const headers = { authorization: `Bearer ${key}` };
    const first = readEvents(await short.request("/api/v1/analytics/live", { headers }));
    expect((await first.rest()).map(({ name }) => name)).toEqual(["ready"]);
    const id = await click();
    await settled();
    const second = readEvents(
      await short.request("/api/v1/analytics/live", {
        headers: { ...headers, "last-event-id": first.lastEventId() },
      }),
    );
    expect((await second.rest()).map(({ data }) => data["id"])).toEqual([id]);
  });

  it("comes when the database fails, and is logged", async () => {
    const events = await listen();
    stage.endpoint.setFault(() => ({ kind: "reset" }));
    expect(await events.rest()).toEqual([]);
    stage.endpoint.setFault(null);
    expect(stage.log.at(-1)).toMatchObject({ event: "live.broken" });
    const id = await click();
    const again = (await connect({ lastEventId: events.lastEventId() })).events;
    expect(await nextIds(again, 1)).toEqual([id]);
  });

  const keyed = async (own: Workspace) => ({
    authorization: `Bearer ${await stage.addKey(own, ["analytics:read"])}`,
  });
  const signedIn = async (own: Workspace) => (await stage.addPerson(own, "viewer")).headers;

  it.each<[string, (own: Workspace) => Promise<Record<string, string>>, string]>([
    ["a member is removed", signedIn, "DELETE FROM members WHERE workspace_id = $1"],
    [
      "a session has ended",
      signedIn,
      "DELETE FROM sessions WHERE person_id IN (SELECT person_id FROM members WHERE workspace_id = $1)",
    ],
    ["a member gets bounds", signedIn, `UPDATE members SET bounds = '{"own": true}' WHERE workspace_id = $1`],
    ["a key is revoked", keyed, "UPDATE api_keys SET revoked_at = now() WHERE workspace_id = $1"],
    ["a key expires", keyed, "UPDATE api_keys SET expires_at = now() WHERE workspace_id = $1"],
    ["a key loses the scope", keyed, "UPDATE api_keys SET scopes = '{links:read}' WHERE workspace_id = $1"],
    ["the workspace is deleted", keyed, "UPDATE workspaces SET deleted_at = now() WHERE id = $1"],
  ])(
    "comes with the next poll when %s: nobody who may not sees another click",
    async (_what, toHeaders, end) => {
      const own = await stage.addWorkspace();
      const headers = await toHeaders(own);
      const events = readEvents(await app.request("/api/v1/analytics/live", { headers }));
      open.push(events);
      expect((await events.next()).name).toBe("ready");
      const seen = await click({ of: own });
      expect((await events.next()).data["id"]).toBe(seen);
      // The click and the end of the right are seen together, or the end before.
      await stage.client.query("BEGIN");
      await stage.client.query(end, [own.id]);
      await click({ of: own });
      await stage.client.query("COMMIT");
      expect(await events.rest()).toEqual([]);
    },
  );

  it("is noticed soon when the client leaves: something is written after every poll", async () => {
    const response = await app.request("/api/v1/analytics/live", {
      headers: { authorization: `Bearer ${key}` },
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const pieces: (string | undefined)[] = [];
    for (let poll = 0; poll < 4; poll += 1) {
      pieces.push((await reader?.read())?.value);
    }
    await reader?.cancel();
    const heartbeat = expect.stringMatching(/^: still here\nid: \d+\.sealed\./);
    expect(pieces).toEqual([expect.stringContaining("event: ready"), heartbeat, heartbeat, heartbeat]);
  });

  it("releases its place", async () => {
    const crowded = await stage.addKey(await stage.addWorkspace(), ["analytics:read"]);
    const headers = { authorization: `Bearer ${crowded}` };
    const ask = () => app.request("/api/v1/analytics/live", { headers });
    const streams: EventReader[] = [];
    while (streams.length < LIVE.maxStreams) {
      streams.push(readEvents(await ask()));
    }
    open.push(...streams);
    const refused = await ask();
    expect([refused.status, await refused.json()]).toEqual([
      429,
      expect.objectContaining({ code: "too_many_streams" }),
    ]);
    await streams[0]?.cancel();
    await expect.poll(async () => (await ask()).status).toBe(200);
  });
});

it("refuses a malformed last event id", async () => {
  const refused = await app.request("/api/v1/analytics/live?lastEventId=7", {
    headers: { authorization: `Bearer ${key}` },
  });
  expect([refused.status, await refused.json()]).toEqual([
    422,
    expect.objectContaining({ code: "cursor_invalid" }),
  ]);
});
