/**
 * Links that decide, in several isolates of the production bundle: what must be the same everywhere at once, and what a
 * click cap gives to visitors of all of them.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Link, UpdateDomain } from "@hopline/client/openapi";
import { describe, expect, it, vi } from "vitest";
import {
  createLink,
  deaf,
  expectEverywhere,
  FIRST,
  isolates,
  keyOf,
  POLL,
  stack,
  uuidOf,
  visit,
} from "./isolate-stack.ts";
import { expectStrictCap } from "../expect-strict-cap.ts";
import type { IsolateAnswer } from "../visit-isolate.ts";

it("a scheduled switch-over happens at its instant in every isolate, without any publish", async () => {
  const everywhere = [...isolates, deaf];
  const makeAndVisit = async () => {
    const { slug } = await createLink();
    await Promise.all(everywhere.map((isolate) => visit(isolate, slug)));
  };
  // The first takes longer than any other.
  await makeAndVisit();
  const startedAtMs = Date.now();
  await makeAndVisit();
  // Enough for each isolate to show the first destination several times before, on a machine as slow as this one.
  const activateAtMs = Date.now() + 1_000 + 5 * (Date.now() - startedAtMs);
  const next = { url: "https://example.com/next", activateAt: new Date(activateAtMs).toISOString() };
  const link = await createLink({ next });
  const answers = await Promise.all(everywhere.map((isolate) => visitUntilNew(isolate, link)));
  for (const seen of answers) {
    // One clock for all: a visit after the instant gets the new destination, a visit before it does not.
    expect(seen.filter(({ location, sentAtMs }) => location === FIRST && sentAtMs >= activateAtMs)).toEqual(
      [],
    );
    expect(
      seen.filter(({ location, receivedAtMs }) => location === next.url && receivedAtMs < activateAtMs),
    ).toEqual([]);
    expect(seen.at(-1)).toMatchObject({ location: next.url, tier: "isolate" });
    expect(seen.filter(({ location }) => location === FIRST).length).toBeGreaterThan(1);
  }
  // Nothing was written or told since the link was made.
  const kv = await stack.runtime.getKv("LINKS");
  expect(JSON.parse((await kv.get(keyOf(link), "text")) ?? "{}")).toMatchObject({ version: 1 });
  const { rows } = await stack.database.query(
    "SELECT version::int, (SELECT count(*)::int FROM work WHERE kind = 'publish' AND key = $2) AS waiting FROM links WHERE id = $1",
    [uuidOf(link), keyOf(link)],
  );
  expect(rows).toEqual([{ version: 1, waiting: 0 }]);
});

describe("a click cap over several isolates", () => {
  it("that is strict gives exactly its number of redirects to 120 visitors at once", async () => {
    const link = await createLink({ cap: { mode: "strict", maxClicks: 25 } });
    const statuses = await Promise.all(
      Array.from({ length: 120 }, (_, index) => comeUntilAnswered(isolates[index % isolates.length], link)),
    );
    expectStrictCap(statuses, { maxClicks: 25, visitors: 120 });
  });

  it("that is fast gives at most the rate times queue and feed delay more", async () => {
    const maxClicks = 100;
    const link = await createLink({ cap: { mode: "fast", maxClicks } });
    const visitors = { atOnce: 6, everyMs: 30 };
    const seen = (
      await Promise.all(
        Array.from({ length: visitors.atOnce }, (_, index) => keepComing(index, link, visitors)),
      )
    ).flat();
    const delivered = seen.filter(({ status }) => status === 302);
    const { queueDelayMs, endedAtMs } = await measureEnd(link, maxClicks);
    // What queue, publishing and feed took, as measured: a slow machine delivers more and breaks no promise.
    const feedDelayMs = Math.max(0, Math.max(...delivered.map(({ sentAtMs }) => sentAtMs)) - endedAtMs);
    const visitsPerMs = visitors.atOnce / visitors.everyMs;
    // A visitor's first visit of the window comes at once, and one may be on its way when it begins.
    const bound = maxClicks + visitsPerMs * (queueDelayMs + feedDelayMs) + 2 * visitors.atOnce;
    expect(delivered.length).toBeGreaterThanOrEqual(maxClicks);
    expect(delivered.length).toBeLessThanOrEqual(bound);
    // And it is over: everybody was sent away in the end, and each redirect was counted once.
    await vi.waitFor(async () => expect(await countUses(link)).toBe(delivered.length), POLL);
  });
});

describe("a domain's settings are in effect in every isolate, by way of the feed, for links that are there already", () => {
  it("fallbacks of unknown and of ended links", async () => {
    const ended = await createLink({ expiresAt: "2020-01-01T00:00:00Z", startsAt: "2019-01-01T00:00:00Z" });
    await expectEverywhere(ended.slug, "410");
    await changeDomain({ endedUrl: "https://example.com/over", notFoundUrl: "https://example.com/lost" });
    await expectEverywhere(ended.slug, "302 https://example.com/over");
    await expectEverywhere("nobody-here", "302 https://example.com/lost");
    await changeDomain({ endedUrl: null, notFoundUrl: null });
    await expectEverywhere(ended.slug, "410");
    await expectEverywhere("nobody-here", "404");
  });

  it("the case rule, switched on and off", async () => {
    const link = await createLink({ slug: "lower-case" });
    await clearMixedCase();
    await expectEverywhere("LOWER-case", "404");
    await changeDomain({ ignoresCase: true });
    await expectEverywhere("LOWER-case", `302 ${FIRST}`);
    await changeDomain({ ignoresCase: false });
    await expectEverywhere("Lower-Case", "404");
    await expectEverywhere(link.slug, `302 ${FIRST}`);
  });

  it("the default redirect status, of links that name none", async () => {
    const [following, own] = [await createLink({}), await createLink({ redirectStatus: 307 })];
    await expectEverywhere(following.slug, `302 ${FIRST}`);
    await changeDomain({ redirectStatus: 308 });
    await expectEverywhere(following.slug, `308 ${FIRST}`);
    await expectEverywhere(own.slug, `307 ${FIRST}`);
    await changeDomain({ redirectStatus: null });
    await expectEverywhere(following.slug, `302 ${FIRST}`);
  });
});

async function changeDomain(body: UpdateDomain): Promise<void> {
  const { data } = await stack.hopline.listDomains();
  await stack.hopline.updateDomain({ domainId: data[0]?.id ?? "", body });
}

/** Every answer, the new destination's first one the last. */
async function visitUntilNew(origin: string, link: Link): Promise<readonly IsolateAnswer[]> {
  const answers: IsolateAnswer[] = [];
  for (;;) {
    const answer = await visit(origin, link.slug);
    answers.push(answer);
    if (answer.location !== FIRST) {
      return answers;
    }
    await delay(10);
  }
}

/** Every status that a visitor is given: who gets a 503, because the database was late, comes again. */
async function comeUntilAnswered(origin = "", link: Link): Promise<readonly number[]> {
  const { status } = await visit(origin, link.slug);
  return status === 503 ? [status, ...(await comeUntilAnswered(origin, link))] : [status];
}

/** Visits at a known pace at most, never two at a time, until the isolate says that the link has ended. */
async function keepComing(
  index: number,
  link: Link,
  { everyMs }: { readonly everyMs: number },
): Promise<readonly IsolateAnswer[]> {
  const answers: IsolateAnswer[] = [];
  for (;;) {
    const answer = await visit(isolates[index % isolates.length] ?? "", link.slug);
    answers.push(answer);
    if (answer.status !== 302) {
      expect(answer.status).toBe(410);
      return answers;
    }
    await delay(Math.max(0, answer.sentAtMs + everyMs - Date.now()));
  }
}

/** When the link's end was committed, and how long after the click that reached its cap that was. */
async function measureEnd(link: Link, maxClicks: number) {
  return vi.waitFor(async () => {
    const { rows } = await stack.database.query<{ ended: number; reached: number }>(
      `SELECT (extract(epoch FROM links.updated_at) * 1000)::float8 AS ended, (
         SELECT (extract(epoch FROM clicked_at) * 1000)::float8 FROM click_events WHERE link_id = links.id
         ORDER BY clicked_at OFFSET $2 LIMIT 1
       ) AS reached FROM links WHERE id = $1 AND version > 1`,
      [uuidOf(link), maxClicks - 1],
    );
    const { ended = 0, reached = 0 } = rows[0] ?? {};
    expect(reached).toBeGreaterThan(0);
    return { queueDelayMs: ended - reached, endedAtMs: ended };
  }, POLL);
}

async function countUses(link: Link): Promise<number> {
  const { rows } = await stack.database.query<{ used: number }>(
    "SELECT used::int FROM link_caps WHERE link_id = $1",
    [uuidOf(link)],
  );
  return rows[0]?.used ?? 0;
}

/** Links of the demo with upper case in their slugs stand against the case rule. */
async function clearMixedCase(): Promise<void> {
  await stack.database.query("UPDATE links SET state = 'deleted' WHERE slug <> lower(slug)");
}
