/** The change feed in workerd, in a Durable Object's SQLite. Each test has its own object. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { decodeChangePage } from "@hopline/core/feed/change-page";
import { decodeVersionBlock, hashOf } from "@hopline/core/feed/version-block";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { describe, expect, it } from "vitest";
import {
  type AnnouncedChange,
  type ChangeLog,
  KEPT_FOR_MS,
  MAX_RECORD_BYTES,
  openChangeLog,
} from "../../src/publishing/change-log.ts";

let feedsMade = 0;

describe("the change feed", () => {
  it("numbers changes from 1, across calls, and returns them as its head", async () => {
    const feed = openFeed();
    expect(await readHead(feed)).toMatchObject({ oldest: 1, last: 0, changes: [] });
    await feed.append([change("a", 1), change("b", 4)]);
    await feed.append([change("a", 2)]);
    const head = await readHead(feed);
    expect(head.changes.map(({ sequence, key, version }) => [sequence, key, version])).toEqual([
      [1, "go.example.com/a", 1],
      [2, "go.example.com/b", 4],
      [3, "go.example.com/a", 2],
    ]);
    expect(head.last).toBe(3);
  });

  it("sends how long an answer is fresh, when it was made, and its tag", async () => {
    const feed = openFeed();
    await feed.append([change("a", 1)]);
    const response = await feed.fetch("https://change-feed/head");
    const page = decodeChangePage(await response.text());
    expect(response.headers.get("cache-control")).toBe("max-age=10");
    expect(response.headers.get("etag")).toBe(`"${page.ok ? page.value.feedId : ""}-1"`);
    expect(Math.abs(Number(response.headers.get("hopline-feed-at")) - Date.now())).toBeLessThan(60_000);
  });

  it("ignores a version that it has announced, and older ones, so that republishing changes nothing", async () => {
    const feed = openFeed();
    await feed.append([change("a", 2), change("a", 1), change("a", 2)]);
    await feed.append([change("a", 2)]);
    expect((await readHead(feed)).last).toBe(1);
    expect(await feed.find(linkKeyOf("go.example.com", "a"))).toMatchObject({ version: 2, sequence: 1 });
    expect(await feed.find(linkKeyOf("go.example.com", "b"))).toBeNull();
  });

  it("serves the versions of older changes in blocks, the one that is filling for a second", async () => {
    const feed = openFeed();
    await feed.append([change("a", 1), change("b", 4)]);
    const { feedId } = await readHead(feed);
    const [filling, none, ofAnother] = await Promise.all(
      [`${feedId}/versions/0`, `${feedId}/versions/1`, "another/versions/0"].map((path) =>
        feed.fetch(`https://change-feed/${path}`),
      ),
    );
    expect([filling?.status, filling?.headers.get("cache-control")]).toEqual([200, "max-age=1"]);
    expect([none?.status, ofAnother?.status]).toEqual([404, 404]);
    const block = decodeVersionBlock((await filling?.arrayBuffer()) ?? new ArrayBuffer(0));
    expect([block?.first, [...(block?.pairs ?? [])]]).toEqual([
      1,
      [hashOf("go.example.com/a"), 1, hashOf("go.example.com/b"), 4],
    ]);
    await Promise.all([none, ofAnother].map(async (response) => response?.text()));
  });
});

describe("the feed's storage", () => {
  it("announces a large record without its text", () =>
    inLog((log) => {
      log.append(
        [change("a", 1, "x".repeat(MAX_RECORD_BYTES)), change("b", 1, "x".repeat(MAX_RECORD_BYTES + 1))],
        0,
      );
      expect(log.readHead().changes.map(({ recordText }) => recordText?.length ?? null)).toEqual([
        MAX_RECORD_BYTES,
        null,
      ]);
    }));

  it("forgets what is older than five minutes, and keeps counting", () =>
    inLog((log) => {
      log.append(manyChanges(100), 1_000);
      log.append([change("later", 1)], 1_000 + KEPT_FOR_MS + 1);
      expect(log.readHead()).toMatchObject({ oldest: 101, last: 101, forgottenAtMs: 0 });
      expect(log.readBlock(0)).toMatchObject({ first: 101 });
    }));

  it("keeps what is announced again and again, because KV does not take it, for as long as that lasts", () =>
    inLog((log) => {
      for (let nowMs = 0; nowMs <= 24 * 3_600_000; nowMs += 60_000) {
        log.append([change("deleted", 7)], nowMs);
        const [known] = log.readHead().changes.slice(-1);
        expect(known?.version).toBe(7);
        expect(nowMs - (known?.announcedAtMs ?? 0)).toBeLessThan(KEPT_FOR_MS);
      }
      const { last, oldest } = log.readHead();
      // Once in two and a half minutes, rounded up to the minute of the retry, and not with each retry.
      expect(last).toBe(481);
      expect(last - oldest).toBeLessThan(3);
    }));

  it("does not announce anew an older version than it has", () =>
    inLog((log) => {
      log.append([change("edited", 8)], 0);
      expect(log.append([change("edited", 7)], KEPT_FOR_MS - 1)).toBe(false);
    }));

  it("keeps a limited number of changes, and says when it had to forget one early", () =>
    inLog((log) => {
      for (let index = 0; index < 700; index += 1) {
        log.append([change(`slug-${index}`, 1)], index < 200 ? 1_000 : 2_000);
      }
      expect(log.readHead()).toMatchObject({ oldest: 201, last: 700, forgottenAtMs: 1_000 });
    }, 500));

  it("takes single edits when changes in bulk have used up their share, and more of those once it has room again", () =>
    inLog((log) => {
      log.append(manyChanges(400), 0);
      expect(() => log.append(manyChanges(100, "more"), 1_000)).toThrow(RangeError);
      expect(log.append([change("single", 1)], 1_000)).toBe(true);
      expect(log.append(manyChanges(100, "more"), KEPT_FOR_MS + 1)).toBe(true);
      expect(log.readHead()).toMatchObject({ last: 501, forgottenAtMs: 0 });
    }, 500));

  it("has what was announced in the last four seconds in its head, or the last 64 changes", () =>
    inLog((log) => {
      log.append(manyChanges(100), 0);
      log.append(manyChanges(200, "later"), 10_000);
      log.append(manyChanges(200, "now"), 14_000);
      expect(log.readHead().changes).toHaveLength(400);
      log.append([change("last", 1)], 60_000);
      expect(log.readHead().changes).toHaveLength(64);
    }));

  it("announces without their texts what its head has no room for", () =>
    inLog((log) => {
      const record = "x".repeat(MAX_RECORD_BYTES);
      log.append(
        Array.from({ length: 20 }, (_, index) => change(`slug-${index}`, 1, record)),
        0,
      );
      const withText = log.readHead().changes.filter(({ recordText }) => recordText !== null);
      expect(withText.map(({ sequence }) => sequence)).toEqual([17, 18, 19, 20]);
    }));
});

describe("the clock of the jobs", () => {
  it("has a Worker sweep once, rest, and look when something was announced; another path is 404", async () => {
    const clock = openFeed();
    const ask = async (path: string, body: string | null = null) => {
      const response = await clock.fetch(`https://clock/clock/${path}`, { method: "POST", body });
      return response.ok ? response.text() : response.status;
    };
    const found = (nextInMs: number | null) => JSON.stringify({ nextInMs, hasSwept: true });
    expect(await ask("take/api")).toBe("sweep");
    expect(await ask("settle/api", found(null))).toBe("");
    expect(await ask("take/api")).toBe("rest");
    expect(await ask("announce")).toBe("");
    expect(await ask("take/api")).toBe("look");
    expect(await ask("take/consumer")).toBe("sweep");
    expect(await ask("settle/consumer", "{}")).toBe(404);
    expect(await ask("take/producer")).toBe(404);
  });
});

describe("the watch over the alert rules", () => {
  it("has no alarm until something is announced, and looks again while the database can't be read", async () => {
    const clock = openFeed();
    const ask = (path: string) => clock.fetch(`https://clock/clock/${path}`, { method: "POST" });
    const alarm = () => runInDurableObject(clock, (_feed, { storage }) => storage.getAlarm());
    await readHead(clock);
    await (await ask("take/api")).text();
    expect(await alarm()).toBeNull();
    await (await ask("announce")).text();
    const firstAtMs = await alarm();
    expect(firstAtMs).toBeGreaterThan(Date.now());
    expect(await runDurableObjectAlarm(clock)).toBe(true);
    expect(await alarm()).toBeGreaterThanOrEqual(firstAtMs ?? Infinity);
    // It has to fail for three minutes.
    expect(await clock.listAlerts()).toEqual([]);
  });
});

function openFeed() {
  feedsMade += 1;
  return env.CHANGE_FEED.getByName(`feed-${feedsMade}`);
}

async function readHead(feed: ReturnType<typeof openFeed>) {
  const page = decodeChangePage(await (await feed.fetch("https://change-feed/head")).text());
  if (!page.ok) {
    throw new Error(`not a page: ${page.error.field}`);
  }
  return page.value;
}

/** Only the log, so that a test can set the time. */
function inLog(use: (log: ChangeLog) => void, maxChanges?: number): Promise<void> {
  return runInDurableObject(openFeed(), (_feed, state) =>
    use(openChangeLog(state.storage, () => "feed", maxChanges)),
  );
}

function change(slug: string, version: number, recordText = "{}"): AnnouncedChange {
  return { key: linkKeyOf("go.example.com", slug), version, recordText };
}

function manyChanges(count: number, name = "slug"): readonly AnnouncedChange[] {
  return Array.from({ length: count }, (_, index) => change(`${name}-${index}`, 1));
}
