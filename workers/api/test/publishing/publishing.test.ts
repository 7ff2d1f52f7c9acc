/** From the commit to the edge: outbox, leases, the scheduled job, crashes at every step. */
import { setTimeout as delay } from "node:timers/promises";
import { arrivalsKeyOf } from "@hopline/core/feed/arrivals";
import { linkKeyOf, type LinkKey } from "@hopline/core/link/link-address";
import type { LinkRecord } from "@hopline/core/link/link-record";
import { afterEach, describe, expect, it } from "vitest";
import { deleteDomain, removeDomain } from "../../src/domains/remove-domain.ts";
import { changeLink } from "../../src/links/change-link.ts";
import { type LinkChange } from "../../src/links/plan-link-change.ts";
import { createLink } from "../../src/links/create-links.ts";
import { createLinks } from "../../src/links/create-links.ts";
import { FRESH_IDS } from "../../src/http/new-ids.ts";
import { readImportRow } from "../../src/imports/import-row.ts";
import { forgetLinks } from "../../src/links/store/link-store.ts";
import { updateLinks } from "../../src/links/store/update-link.ts";
import { createKvBudget } from "../../src/publishing/kv-budget.ts";
import type { Publisher } from "../../src/publishing/publish-changes.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, workspace } = await openKeyedStage("admin");
let linksMade = 0;

afterEach(async () => {
  Object.assign(stage.edge.state, { kvIsUp: true, feedIsUp: true, beforeWrite: null });
  await stage.client.query("DELETE FROM work");
});

describe("a change", () => {
  it("is published before the API answers, and a first version leaves nothing in the outbox", async () => {
    const link = await addLink();
    expect(inKv(link)).toMatchObject({ version: 1, state: "live", linkId: link.id });
    expect(stage.edge.inFeed.get(link.key)).toMatchObject({ version: 1 });
    expect(await outbox()).toEqual([]);
  });

  it("that is refused is not announced", async () => {
    const link = await addLink();
    const writesBefore = stage.edge.writes.length;
    await expect(addLink(link.slug)).rejects.toThrow("slug_taken");
    expect(stage.edge.writes.length).toBe(writesBefore);
    expect(await outbox()).toEqual([]);
  });

  it("has the next version in KV and in the feed", async () => {
    const link = await addLink();
    expect(await edit(link, { url: "https://example.com/second" })).toBe(2);
    expect(inKv(link)).toMatchObject({ version: 2, url: "https://example.com/second" });
    expect(stage.edge.inFeed.get(link.key)).toMatchObject({ version: 2 });
  });

  it("that deletes a link leaves a tombstone, not an absence that KV would cache for a minute", async () => {
    const link = await addLink();
    await edit(link, { state: "deleted" });
    expect(inKv(link)).toMatchObject({ version: 2, state: "deleted" });
  });

  it("of the slug is published at both addresses, and nobody else gets the former one", async () => {
    const link = await addLink();
    const moved = await addSlug();
    await edit(link, { slug: moved });
    for (const at of [link, { slug: moved }]) {
      expect(inKv(at)).toMatchObject({ version: 2, state: "live", linkId: link.id });
    }
    await expect(addLink(link.slug)).rejects.toThrow("slug_taken");
    await edit(link, { state: "deleted" });
    expect(inKv(link)).toMatchObject({ version: 3, state: "deleted" });
    await forgetLinks(stage.database, workspace.id, [link.id]);
    const successor = await addLink(link.slug);
    expect(inKv(successor)).toMatchObject({ version: 4, state: "live", linkId: successor.id });
    expect(stage.edge.inFeed.get(link.key)).toMatchObject({ version: 4, linkId: successor.id });
  });

  it("that comes too late changes nothing", async () => {
    const link = await addLink();
    await edit(link, { title: "meanwhile" });
    const lease = stage.publisher.newLease();
    const slug = await addSlug();
    const stale = { fromVersion: 1, columns: { slug }, record: "{}" };
    const update = { workspaceId: workspace.id, linkId: link.id, ...stale };
    expect((await updateLinks(stage.database, [update], lease)).versions.size).toBe(0);
    expect([inKv(link)?.version, inKv({ slug })]).toEqual([2, null]);
  });

  it("is not lost among four at once: each gets its own version", async () => {
    const link = await addLink();
    const titles = Array.from({ length: 4 }, (_, index) => `title ${index}`);
    const versions = await Promise.all(titles.map((title) => edit(link, { title })));
    expect(versions.toSorted((left, right) => Number(left) - Number(right))).toEqual([2, 3, 4, 5]);
    await runJob();
    expect(inKv(link)).toMatchObject({ version: 5 });
  });
});

describe("when publishing fails because", () => {
  it("KV refuses: the isolates still get the change, and the job writes it once", async () => {
    const link = await addLink();
    stage.edge.state.kvIsUp = false;
    await edit(link, { url: "https://example.com/b" });
    await edit(link, { url: "https://example.com/c" });
    expect(stage.edge.inFeed.get(link.key)).toMatchObject({ version: 3 });
    expect(inKv(link)).toMatchObject({ version: 1 });
    expect(await outbox()).toMatchObject([
      { key: link.key, payload: { version: 3 }, lease: null, last_error: "TypeError" },
    ]);
    expect(stage.log.at(-1)).toMatchObject({ event: "link.publish_failed", linkId: link.id, version: 3 });

    stage.edge.state.kvIsUp = true;
    const writesBefore = stage.edge.writes.length;
    expect(await runJob()).toEqual({ published: 1, failed: 0 });
    expect(inKv(link)).toMatchObject({ version: 3 });
    expect(stage.edge.writes.length - writesBefore).toBe(1);
  });

  it("the feed is down: KV has the change, and the feed gets it from the job", async () => {
    const link = await addLink();
    stage.edge.state.feedIsUp = false;
    await edit(link, { url: "https://example.com/b" });
    expect(inKv(link)).toMatchObject({ version: 2 });
    stage.edge.state.feedIsUp = true;
    await runJob();
    expect(stage.edge.inFeed.get(link.key)).toMatchObject({ version: 2 });
  });

  it("the database is lost after the commit: the change is published, and published again by the job", async () => {
    const link = await addLink();
    stage.endpoint.setFault(({ statements }) =>
      statements.some(({ query }) => query.includes("settled AS")) ? { kind: "reset" } : null,
    );
    await edit(link, { url: "https://example.com/b" }, { leaseSeconds: 0.2 });
    stage.endpoint.setFault(null);
    expect(inKv(link)).toMatchObject({ version: 2 });
    expect(stage.log.at(-1)).toMatchObject({ event: "outbox.settle_failed", changes: 1 });
    await runJob();
    expect(await outbox()).toMatchObject([{ payload: { isPublished: true } }]);
  });
});

describe("the API is killed", () => {
  const never = new Promise<never>(() => undefined);

  it.each([
    ["after the commit and before KV", { kvHangs: true, feedHangs: true }, 1, 1],
    ["after KV and before the feed", { kvHangs: false, feedHangs: true }, 2, 1],
    ["after the feed and before KV", { kvHangs: true, feedHangs: false }, 1, 2],
    ["after both and before the outbox is cleared", { kvHangs: false, feedHangs: false }, 2, 2],
  ])(
    "%s: the edge is up to date after one run of the job",
    async (_when, { kvHangs, feedHangs }, kvVersion, feedVersion) => {
      const link = await addLink();
      const doomed = stage.openPublisher({
        kv: kvHangs ? { ...stage.edge.kv, write: () => never } : stage.edge.kv,
        feed: feedHangs ? { ...stage.edge.feed, append: () => never } : stage.edge.feed,
        // It never reaches the database again.
        database: Object.create(stage.database, { execute: { value: () => never } }),
        leaseSeconds: 0.5,
      });
      void changeLink(address(link), { state: "disabled" }, { ...stage, publisher: doomed });
      await expect.poll(async () => (await outbox()).length).toBe(1);
      await expect.poll(() => inKv(link)?.version).toBe(kvVersion);
      await expect.poll(() => stage.edge.inFeed.get(link.key)?.version).toBe(feedVersion);

      await runJob();
      expect(inKv(link)).toMatchObject({ version: 2, state: "disabled" });
      expect(stage.edge.inFeed.get(link.key)).toMatchObject({ version: 2 });
    },
  );
});

describe("imported links", () => {
  it("are announced by the job if the API was killed after the commit", async () => {
    const never = new Promise<never>(() => undefined);
    const doomed = stage.openPublisher({
      feed: { ...stage.edge.feed, append: () => never },
      database: Object.create(stage.database, { execute: { value: () => never } }),
      leaseSeconds: 0.5,
    });
    void bring([await addSlug()], doomed);
    await expect.poll(async () => (await outbox()).map((row) => row["key"])).toEqual([arrivalsKey]);
    const before = stage.edge.inFeed.get(arrivalsKey)?.version ?? 0;
    await runJob();
    expect(stage.edge.inFeed.get(arrivalsKey)?.version).toBe(before + 1);
    expect(await outbox()).toEqual([]);
  });

  it("of several files at once are announced in the order of their commits: none is skipped", async () => {
    const counts: number[] = [];
    const counting = stage.openPublisher({
      feed: {
        ...stage.edge.feed,
        append: async (changes) => void counts.push(...changes.map(({ version }) => version)),
      },
    });
    const slugs = await Promise.all(Array.from({ length: 6 }, addSlug));
    await Promise.all(slugs.map((slug) => bring([slug], counting)));
    await runJob(counting);
    const last = Math.max(...counts);
    expect(await countArrivals()).toBe(last);
    expect(new Set(counts).size).toBe(slugs.length);
    expect(await outbox()).toEqual([]);
  });

  it("wake the publishing queue up, which brings them to KV; the request itself writes nothing", async () => {
    const slugs = await Promise.all(Array.from({ length: 3 }, addSlug));
    const [writesBefore, sentBefore] = [stage.edge.writes.length, stage.edge.sent.length];
    await bring(slugs);
    expect(stage.edge.writes.length).toBe(writesBefore);
    expect(stage.edge.sent.slice(sentBefore)).toEqual([1]);
    expect(await runWakeUp()).toEqual({ published: 3, failed: 0 });
    expect(slugs.map((slug) => inKv({ slug }))).toMatchObject(
      slugs.map(() => ({ version: 1, state: "live" })),
    );
    expect(await waiting()).toEqual([]);
  });

  it("are written evenly, so that visitors do not wait behind them: six at once, each for 8 ms at least", async () => {
    await bring(await Promise.all(Array.from({ length: 60 }, addSlug)));
    const writtenAtMs: number[] = [];
    stage.edge.state.beforeWrite = async () => void writtenAtMs.push(performance.now());
    expect(await runWakeUp()).toMatchObject({ published: 60 });
    stage.edge.state.beforeWrite = null;
    // A timer may fire a fraction of a millisecond early.
    expect((writtenAtMs[59] ?? 0) - (writtenAtMs[0] ?? 0)).toBeGreaterThan(9 * 7);
  });

  it("are published by the job when no message reaches the queue", async () => {
    const slug = await addSlug();
    await bring(
      [slug],
      stage.openPublisher({ wakeUps: { send: () => Promise.reject(new TypeError("no")) } }),
    );
    expect(stage.log.at(-1)).toEqual({ event: "publish.wake_up_failed", changes: 1, reason: "TypeError" });
    await runJob();
    expect(inKv({ slug })).toMatchObject({ version: 1 });
  });

  it("are tried again, each alone, when KV refuses them", async () => {
    const slugs = await Promise.all(Array.from({ length: 3 }, addSlug));
    await bring(slugs);
    stage.edge.state.beforeWrite = async ({ key }) => {
      if (key === keyOf(slugs[1] ?? "")) {
        throw new TypeError("429 Too Many Requests");
      }
    };
    expect(await runWakeUp()).toEqual({ published: 2, failed: 1 });
    expect(await waiting()).toMatchObject([{ key: keyOf(slugs[1] ?? ""), last_error: "TypeError" }]);
    stage.edge.state.beforeWrite = null;
    await stage.client.query("UPDATE work SET due_at = now()");
    expect(await runWakeUp()).toEqual({ published: 1, failed: 0 });
  });

  it("wait while KV is down, with one line in the log for many links", async () => {
    await bring(await Promise.all(Array.from({ length: 220 }, addSlug)));
    stage.edge.state.kvIsUp = false;
    const before = stage.log.length;
    expect(await runWakeUp()).toEqual({ published: 0, failed: 150 });
    expect(stage.log.slice(before)).toEqual([
      { event: "import.publish_failed", links: 150, reason: "TypeError" },
    ]);
    stage.edge.state.kvIsUp = true;
    await stage.client.query("UPDATE work SET due_at = now()");
    expect(await runWakeUp()).toEqual({ published: 220, failed: 0 });
  });

  it("never replace what an edit has published meanwhile", async () => {
    const slug = await addSlug();
    await bring([slug]);
    await edit({ id: await idOf(slug), slug, key: keyOf(slug) }, { state: "disabled" });
    expect(await runWakeUp()).toMatchObject({ published: 0, failed: 0 });
    expect(inKv({ slug })).toMatchObject({ version: 2, state: "disabled" });
    expect(await waiting()).toMatchObject([{ kind: "publish" }]);
  });

  it("that are edited while they are written do not come back when their write ends after the edit's", async () => {
    const slug = await addSlug();
    await bring([slug]);
    const link = { id: await idOf(slug), slug, key: keyOf(slug) };
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const write: typeof stage.edge.kv.write = async (change) => {
      begun.resolve();
      await gate.promise;
      await stage.edge.kv.write(change);
    };
    const slow = runWakeUp(stage.openPublisher({ kv: { ...stage.edge.kv, write } }));
    await begun.promise;
    await edit(link, { url: "https://example.com/b" });
    gate.resolve();
    await slow;
    expect(writesOf(link)).toEqual([2, 1, 2]);
  });

  it("come after edits that wait too", async () => {
    stage.edge.state.kvIsUp = false;
    const link = await addLink();
    stage.edge.state.kvIsUp = true;
    await bring(await Promise.all(Array.from({ length: 3 }, addSlug)));
    await stage.client.query("UPDATE work SET due_at = now()");
    const writesBefore = stage.edge.writes.length;
    await runWakeUp();
    expect(stage.edge.writes.slice(writesBefore).map(({ key }) => key)[0]).toBe(link.key);
  });

  it("at an address that holds a tombstone are announced at once, and written to KV by the queue", async () => {
    const link = await addLink();
    await edit(link, { state: "deleted" });
    await forgetLinks(stage.database, workspace.id, [link.id]);
    await bring([link.slug]);
    expect(stage.edge.inFeed.get(link.key)).toMatchObject({ version: 3 });
    expect(inKv(link)).toMatchObject({ version: 2, state: "deleted" });
    await runWakeUp();
    expect(inKv(link)).toMatchObject({ version: 3, state: "live" });
  });
});

it("bulk changes (an import, a domain's removal) are announced behind single edits", async () => {
  const LINKS = 270;
  const { id: workspaceId, domainId } = await stage.addWorkspace();
  await stage.client.query(
    `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
     SELECT gen_random_uuid(), $1, $2, 'n' || n, 'https://example.net/', '{"format":1}' FROM generate_series(1, $3) AS n`,
    [workspaceId, domainId, LINKS],
  );
  const edited = await addLink();
  const announced: string[] = [];
  const written: string[] = [];
  const publisher = stage.openPublisher({
    kv: {
      ...stage.edge.kv,
      write: async (change) => {
        await stage.edge.kv.write(change);
        written.push(change.key);
      },
    },
    feed: {
      ...stage.edge.feed,
      // As the feed does when bulk changes have used up their share of its room (change-log.ts).
      append: async (changes) => {
        if (changes.length > 20) {
          throw new RangeError("no room for changes in bulk");
        }
        await stage.edge.feed.append(changes);
        announced.push(...changes.map(({ key }) => key));
      },
    },
  });
  const deps = { ...stage, publisher, customHostnames: null };
  const target = { workspaceId, domainId, ifMatch: null };
  expect(await deleteDomain(target, { withLinks: true, withClicks: false }, deps)).toBe(true);
  await removeDomain({ key: domainId, payload: {} }, deps);
  const imported = await Promise.all(Array.from({ length: 30 }, addSlug));
  await bring(imported, publisher);
  const mass = new Set(
    (await waiting()).filter(({ kind }) => kind === "publish-import").map(({ key }) => String(key)),
  );
  expect(mass.size).toBe(LINKS - 250 + imported.length);
  // An edit after all of them. Its own publisher dies; the next one has everything before it.
  stage.edge.state.feedIsUp = false;
  await edit(edited, { url: "https://example.com/b" });
  stage.edge.state.feedIsUp = true;
  await stage.client.query("UPDATE work SET due_at = now() - interval '1 hour' WHERE key <> $1", [
    edited.key,
  ]);
  await stage.client.query("UPDATE work SET due_at = now() WHERE key = $1", [edited.key]);
  [announced, written].forEach((list) => list.splice(0));
  await runWakeUp(publisher);
  expect(announced).toContain(edited.key);
  // Not one by one: the arrivals on a host are one change, and the end of a domain is its own tombstone.
  expect(announced.filter((key) => mass.has(key))).toEqual([]);
  expect(written.filter((key) => mass.has(key)).length).toBe(mass.size);
  expect(written.indexOf(edited.key)).toBeLessThan(written.findIndex((key) => mass.has(key)));
});

describe("with a daily budget of KV writes", () => {
  it("imports get half of it, edits and deletions all they need, and the rest waits for the next day", async () => {
    await stage.client.query("DELETE FROM kv_writes");
    const publisher = stage.openPublisher({ budget: createKvBudget(10, stage.database) });
    const slugs = await Promise.all(Array.from({ length: 8 }, addSlug));
    await bring(slugs, publisher);
    const [first = ""] = slugs;
    await edit({ id: await idOf(first), slug: first, key: keyOf(first) }, { title: "edited" }, { publisher });
    // One write is taken: four more make half. One of the eight was edited since, so that nothing is to be written of it.
    expect(await runWakeUp(publisher)).toEqual({ published: 4, failed: 0 });
    expect(slugs.filter((slug) => inKv({ slug }) !== null)).toHaveLength(5);
    const links = await Promise.all(Array.from({ length: 7 }, () => addLink(undefined, publisher)));
    expect(links.map((link) => inKv(link)?.version)).toEqual(links.map(() => 1));
    expect(await runWakeUp(publisher)).toEqual({ published: 0, failed: 0 });
    await stage.client.query("UPDATE kv_writes SET day = day - 1");
    expect(await runWakeUp(publisher)).toEqual({ published: 3, failed: 0 });
    expect(slugs.map((slug) => inKv({ slug }) !== null)).toEqual(slugs.map(() => true));
  });
});

it("the 1,001st KV write of a day, which Workers Free refuses, fails nothing: the edit is announced, and waits for KV", async () => {
  const link = await addLink();
  await stage.client.query("DELETE FROM kv_writes");
  await stage.client.query(
    "INSERT INTO kv_writes (day, writes) VALUES ((now() AT TIME ZONE 'UTC')::date, 999)",
  );
  let left = 1;
  const publisher = stage.openPublisher({
    budget: createKvBudget(1_000, stage.database),
    kv: {
      ...stage.edge.kv,
      write: async (change) => {
        left -= 1;
        if (left < 0) {
          throw new Error("KV put() limit exceeded for the day.");
        }
        await stage.edge.kv.write(change);
      },
    },
  });
  await edit(link, { title: "the 1,000th" }, { publisher });
  await edit(link, { title: "the 1,001st" }, { publisher });
  expect(inKv(link)).toMatchObject({ version: 2 });
  expect(stage.edge.inFeed.get(link.key)).toMatchObject({ version: 3 });
  left = 1_000;
  await stage.client.query("UPDATE kv_writes SET day = day - 1");
  await stage.client.query("UPDATE work SET due_at = now()");
  await runJob(publisher);
  expect(inKv(link)).toMatchObject({ version: 3 });
});

describe("two publishers of one address", () => {
  it("do not interleave: the holder of the lease finds the newer version and writes it last", async () => {
    const link = await addLink();
    const gate = Promise.withResolvers<void>();
    stage.edge.state.beforeWrite = ({ version }) => (version === 2 ? gate.promise : Promise.resolve());
    const slow = edit(link, { url: "https://example.com/b" });
    await expect.poll(async () => (await outbox()).length).toBe(1);
    await edit(link, { url: "https://example.com/c" });
    expect(inKv(link)).toMatchObject({ version: 1 });
    // The isolates do not wait for the slow one.
    expect(stage.edge.inFeed.get(link.key)).toMatchObject({ version: 3 });
    gate.resolve();
    await slow;
    expect(writesOf(link)).toEqual([1, 2, 3]);
  });

  it("that overtake each other anyway are corrected by the confirming write", async () => {
    const link = await addLink();
    const gate = Promise.withResolvers<void>();
    const overtaken = stage.openPublisher({
      kv: { ...stage.edge.kv, write: (change) => gate.promise.then(() => stage.edge.kv.write(change)) },
      database: Object.create(stage.database, { execute: { value: () => new Promise(() => undefined) } }),
      leaseSeconds: 0.1,
    });
    void changeLink(address(link), { title: "b" }, { ...stage, publisher: overtaken });
    await expect.poll(async () => (await outbox()).length).toBe(1);
    // The lease ends before the next edit.
    await expect.poll(async () => (await outbox())[0]?.["due_at"]).toBeInstanceOf(Date);
    await stage.client.query("UPDATE work SET due_at = now()");
    await edit(link, { title: "c" });
    gate.resolve();
    await expect.poll(() => writesOf(link)).toEqual([1, 3, 2]);

    await letMinutesPass(16);
    await runJob();
    expect(writesOf(link)).toEqual([1, 3, 2, 3]);
    expect(await outbox()).toEqual([]);
  });

  it("a write that hung for as long as an invocation lives, 15 minutes, does not win for good", async () => {
    const link = await addLink();
    const gate = Promise.withResolvers<void>();
    const hanging = stage.openPublisher({
      kv: { ...stage.edge.kv, write: (change) => gate.promise.then(() => stage.edge.kv.write(change)) },
      leaseSeconds: 0.1,
    });
    await changeLink(address(link), { title: "b" }, { ...stage, publisher: hanging });
    await edit(link, { title: "c" });
    expect(writesOf(link)).toEqual([1, 3]);

    await letMinutesPass(15);
    await runJob();
    gate.resolve();
    await expect.poll(() => writesOf(link)).toEqual([1, 3, 2]);
    await letMinutesPass(1);
    await runJob();
    expect(writesOf(link)).toEqual([1, 3, 2, 3]);
    expect(await outbox()).toEqual([]);
  });

  it("of the scheduled job share the work and repeat none of it", async () => {
    stage.edge.state.kvIsUp = false;
    const links = await Promise.all(Array.from({ length: 30 }, () => addLink()));
    stage.edge.state.kvIsUp = true;
    await stage.client.query("UPDATE work SET due_at = now()");
    const writesBefore = stage.edge.writes.length;
    const totals = await Promise.all([runJob(), runJob(stage.openPublisher())]);
    expect(totals.reduce((sum, { published }) => sum + published, 0)).toBe(links.length);
    expect(stage.edge.writes.length - writesBefore).toBe(links.length);
  });

  it("end with the newest version in KV, and no lease holder ever writes a lower one, whatever fails", async () => {
    const links = await Promise.all([addLink(), addLink()]);
    let step = 0;
    stage.edge.state.beforeWrite = async () => {
      step += 1;
      await delay((step * 7) % 5);
      if (step % 4 === 0) {
        throw new TypeError("429 Too Many Requests");
      }
    };
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(links.flatMap((link) => [1, 2].map((by) => edit(link, { title: `${round} ${by}` }))));
    }
    stage.edge.state.beforeWrite = null;
    await runJob();
    for (const link of links) {
      expect(inKv(link)).toMatchObject({ version: 13 });
      expect(writesOf(link)).toEqual(writesOf(link).toSorted((left, right) => left - right));
    }
  });
});

type TestLink = { readonly id: string; readonly slug: string; readonly key: LinkKey };

async function addSlug(): Promise<string> {
  linksMade += 1;
  return `published-${linksMade}`;
}

/** Nothing is generated. */
const NO_CHANCE = { randomBytes: () => new Uint8Array(), nowMs: Date.now };

async function addLink(wanted?: string, publisher: Publisher = stage.publisher): Promise<TestLink> {
  const slug = wanted ?? (await addSlug());
  const rest = { redirectStatus: 302, title: null, tags: [], externalId: null } as const;
  const body = { url: "https://example.com/a", slug, ...rest, tags: [] };
  const { linkId } = await createLink({ workspaceId: workspace.id, ids: FRESH_IDS }, body, {
    ...stage,
    ...NO_CHANCE,
    publisher,
  });
  return { id: linkId, slug, key: keyOf(slug) };
}

/** Imports links. */
async function bring(slugs: readonly string[], publisher: Publisher = stage.publisher): Promise<void> {
  const { appSchemes } = stage;
  const links = slugs.flatMap((slug) => {
    const row = { slug, url: "https://example.com/" };
    const read = readImportRow(row, { format: "hopline", domain: undefined, reuse: false, appSchemes });
    return read.isValid ? [read.link] : [];
  });
  const made = await createLinks(
    links,
    { workspaceId: workspace.id, ids: FRESH_IDS, isAtomic: false, isDryRun: false, publish: "later" },
    { database: stage.database, publisher, appSchemes, ...NO_CHANCE },
  );
  expect(made).toMatchObject(slugs.map(() => ({ isCreated: true })));
}

async function idOf(slug: string): Promise<string> {
  const { rows } = await stage.client.query("SELECT id FROM links WHERE slug = $1 AND domain_id = $2", [
    slug,
    workspace.domainId,
  ]);
  return rows[0]?.id;
}

const arrivalsKey = arrivalsKeyOf(workspace.host);

async function countArrivals(): Promise<number> {
  const { rows } = await stage.client.query(
    "SELECT version::int FROM addresses WHERE host = $1 AND slug = '*'",
    [workspace.host],
  );
  return rows[0]?.version ?? 0;
}

function keyOf(slug: string): LinkKey {
  return linkKeyOf(workspace.host, slug);
}

function address(link: TestLink) {
  return { workspaceId: workspace.id, linkId: link.id };
}

type EditOptions = { readonly leaseSeconds?: number; readonly publisher?: Publisher };

function edit(link: TestLink, change: LinkChange, { publisher: given, ...options }: EditOptions = {}) {
  const publisher = given ?? stage.openPublisher(options);
  return changeLink(address(link), change, { ...stage, publisher });
}

function runJob(publisher: Publisher = stage.publisher) {
  const limits = { maxChanges: 1_000, maxDurationMs: 20_000, nowMs: () => performance.now(), wait: delay };
  return publisher.publishDue(limits);
}

/** As the publishing queue's handler does: without waiting for other publishers. */
function runWakeUp(publisher: Publisher = stage.publisher) {
  return publisher.publishDue({ maxChanges: 900, maxDurationMs: 20_000, nowMs: () => performance.now() });
}

async function waiting(): Promise<readonly Record<string, unknown>[]> {
  return (await stage.client.query("SELECT * FROM work ORDER BY kind, key")).rows;
}

function inKv({ slug }: Pick<TestLink, "slug">): LinkRecord | null {
  return stage.edge.recordAt(workspace.host, slug);
}

function writesOf({ key }: TestLink): readonly number[] {
  return stage.edge.writes.filter((write) => write.key === key).map(({ version }) => version);
}

async function outbox(): Promise<readonly Record<string, unknown>[]> {
  return (await stage.client.query("SELECT * FROM work WHERE kind = 'publish' ORDER BY key")).rows;
}

async function letMinutesPass(minutes: number): Promise<void> {
  await stage.client.query("UPDATE work SET due_at = due_at - make_interval(mins => $1)", [minutes]);
}
