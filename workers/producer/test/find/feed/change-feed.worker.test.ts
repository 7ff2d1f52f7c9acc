/**
 * The producer in workerd against a change feed that a test writes itself (see vitest.config.ts). The clock goes on by itself,
 * because what waits for it would never end, and is moved ahead by hand. One isolate for the whole file.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { CHANGE_FEED_NAME, encodeChangePage } from "@hopline/core/feed/change-page";
import { domainKeyOf, encodeDomainRecord } from "@hopline/core/link/domain-record";
import { encodeLinkRecord } from "@hopline/core/link/link-record";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../../src/index.ts";
import { aChange, aRecord, HOST } from "./a-feed.ts";

const readClock = Date.now;
let aheadMs = 0;
let logged: string[];
/** What the database has, by address. */
let stored: Record<string, string>;
/** Changes so far. */
let announced = 0;
let feedId = "test";

beforeEach(() => {
  logged = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => logged.push(line));
  vi.spyOn(Date, "now").mockImplementation(() => readClock() + aheadMs);
  stored = {};
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
    const rows = Object.entries(stored).map((row) => [...row]);
    const fields = ["key", "record"].map((name) => ({ name, dataTypeID: 25 }));
    return Response.json({ command: "SELECT", rowCount: rows.length, rowAsArray: true, rows, fields });
  });
});

afterEach(() => vi.restoreAllMocks());

describe("with the feed", () => {
  it("answers with what was announced, whatever KV says", async () => {
    await env.LINKS.put(`${HOST}/old`, textOf(1));
    await announce({ old: textOf(2), gone: textOf(3, "deleted"), fresh: textOf(1) });
    await env.LINKS.put(`${HOST}/gone`, textOf(2));
    await pass(60_000);
    expect(await visit("old")).toBe("302 https://example.com/2");
    expect(await visit("gone")).toBe("404");
    expect(await visit("fresh")).toBe("302 https://example.com/1");
  });

  it("answers any spelling with what was announced, where a domain ignores case: the held link is not older", async () => {
    const domain = { domainId: crypto.randomUUID(), version: 1, ignoresCase: true };
    await env.LINKS.put(domainKeyOf(HOST), encodeDomainRecord(domain));
    await env.LINKS.put(`${HOST}/spring`, textOf(1));
    await pass(60_000);
    expect(await visit("Spring")).toBe("302 https://example.com/1");
    await announce({ spring: textOf(2) });
    await pass(20_000);
    expect(await visit("Spring")).toBe("302 https://example.com/2");
  });
});

describe("without the feed", () => {
  it("answers all the same, says so, and an edit is in effect when the isolate's own time is over", async () => {
    await env.LINKS.put(`${HOST}/edited`, textOf(1));
    expect(await visit("edited")).toBe("302 https://example.com/1");
    await breakFeed();
    await env.LINKS.put(`${HOST}/edited`, textOf(2));
    await pass(20_000);
    expect(await visit("edited")).toBe("302 https://example.com/1");
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      { event: "feed.unreachable", reason: "TypeError", failures: 1 },
    ]);
    await pass(40_000);
    expect(await visit("edited")).toBe("302 https://example.com/2");
  });
});

it("knows of the database that domains have ended of which it has missed that, with settings or without", async () => {
  const hosts = ["with.example.com", "without.example.com"] as const;
  const domain = { domainId: crypto.randomUUID(), version: 3, ignoresCase: false };
  await env.LINKS.put(domainKeyOf(hosts[0]), encodeDomainRecord(domain));
  for (const host of hosts) {
    stored[`${host}/left`] = textOf(1);
    await env.LINKS.put(`${host}/left`, textOf(1));
  }
  await announce({ other: textOf(1) });
  await pass(20_000);
  for (const host of hosts) {
    expect(await visit("left", host)).toBe("302 https://example.com/1");
    stored[domainKeyOf(host)] = textOf(4, "deleted");
  }
  // The feed begins anew.
  announced = 0;
  feedId = "another";
  await announce({ other: textOf(1) });
  await pass(20_000);
  for (const host of hosts) {
    expect(await visit("left", host)).toBe("404");
  }
});

async function announce(texts: Readonly<Record<string, string>>): Promise<void> {
  const changes = Object.entries(texts).map(([slug, recordText], index) =>
    aChange(slug, {
      sequence: announced + index + 1,
      version: (JSON.parse(recordText) as { version: number }).version,
      announcedAtMs: Date.now(),
      recordText,
    }),
  );
  announced += changes.length;
  const body = encodeChangePage({ feedId, oldest: 1, last: announced, forgottenAtMs: 0, changes });
  await env.CHANGE_FEED.getByName(CHANGE_FEED_NAME).fetch("https://change-feed/", { method: "PUT", body });
}

async function breakFeed(): Promise<void> {
  const headers = { status: "500" };
  await env.CHANGE_FEED.getByName(CHANGE_FEED_NAME).fetch("https://change-feed/", { method: "PUT", headers });
  await caches.default.delete(`https://${env.FEED_CACHE_HOST}/.hopline/change-feed/head`);
}

/** The Cache API has a clock of its own, so what it holds of the feed is deleted. */
async function pass(ms: number): Promise<void> {
  aheadMs += ms;
  await caches.default.delete(`https://${env.FEED_CACHE_HOST}/.hopline/change-feed/head`);
}

async function visit(slug: string, host = HOST): Promise<string> {
  const ctx = createExecutionContext();
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://${host}/${slug}`);
  const response = await worker.fetch(request, env, ctx);
  await waitOnExecutionContext(ctx);
  const location = response.headers.get("location");
  return location === null ? `${response.status}` : `${response.status} ${location}`;
}

function textOf(version: number, state: "live" | "deleted" = "live"): string {
  return encodeLinkRecord(aRecord({ version, state, url: `https://example.com/${version}` }));
}
