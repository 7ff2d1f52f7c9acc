/**
 * `--full`: many isolates on one strict cap, by the producer's own claims, against a Postgres that commits to disk. Prints what
 * it measured and the machine's load. Its machine may be as slow as it likes: a rate is judged against what was offered.
 */
import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { IS_FULL } from "../../../core/test/runs.ts";
import { createCapClaims } from "../../../../workers/producer/src/answer/cap-claims.ts";
import { claimUses, returnUses } from "../../src/links/claim-uses.ts";
import type { RunSql } from "../../src/neon-client.ts";
import { LINK_ID } from "../click-batch.ts";
import { openDurableDatabase } from "../durable-database.ts";

const TIMEOUT_MS = 1_500;
/** As a pooler has them. */
const CONNECTIONS = 90;

type Crowd = {
  readonly isolates: number;
  readonly visitsPerSecond: number;
  readonly cap: number;
  readonly forMs: number;
};

async function measure(crowds: readonly Crowd[]) {
  const { select, runSql, close } = await openDurableDatabase(CONNECTIONS);
  try {
    await select(
      `INSERT INTO link_caps (link_id, workspace_id, mode, max_clicks)
     SELECT id, workspace_id, 'strict', 1 FROM links WHERE id = $1`,
      [LINK_ID],
    );
    const [row] = await select("SELECT version FROM links WHERE id = $1", [LINK_ID]);
    const link = { linkId: LINK_ID, version: Number(row?.["version"]) };
    // A pooler's connections have run the statements before.
    const stranger = "SELECT pg_sleep(0.5), claim_uses(gen_random_uuid(), 0, 0)";
    await Promise.all(Array.from({ length: CONNECTIONS }, () => select(stranger)));
    const results = [];
    for (const crowd of crowds) {
      await select("UPDATE link_caps SET used = 0, max_clicks = $1", [crowd.cap]);
      const seen = await visit(crowd, { link, runSql });
      const [cap] = await select("SELECT used FROM link_caps");
      const result = { ...crowd, ...seen, used: Number(cap?.["used"]), load: loadavg()[0]?.toFixed(1) };
      console.log(JSON.stringify(result));
      results.push(result);
    }
    return results;
  } finally {
    await close();
  }
}

async function visit(
  { isolates, visitsPerSecond, forMs }: Crowd,
  {
    link,
    runSql,
  }: { readonly link: { readonly linkId: string; readonly version: number }; readonly runSql: RunSql },
) {
  const deferred = new Set<Promise<unknown>>();
  const all = Array.from({ length: isolates }, () =>
    createCapClaims({
      claim: (wanted) => claimUses(runSql, wanted, TIMEOUT_MS),
      giveBack: (unused) => returnUses(runSql, unused, TIMEOUT_MS),
      timeoutMs: TIMEOUT_MS,
      usedUp: new Map(),
      nowMs: Date.now,
      random: Math.random,
      wait: delay,
    }),
  );
  const defer = (work: Promise<unknown>): void => {
    deferred.add(work);
    void work.finally(() => deferred.delete(work));
  };
  const seen = { visits: 0, granted: 0, usedUp: 0, refusedBefore: 0, visitsBefore: 0, seconds: 0 };
  const startedAtMs = performance.now();
  const elapsedMs = () => performance.now() - startedAtMs;
  const answers: Promise<void>[] = [];
  while (elapsedMs() < forMs && (seen.usedUp === 0 || elapsedMs() < 1_000 * seen.seconds + 6_000)) {
    for (; seen.visits < (elapsedMs() * visitsPerSecond) / 1_000; seen.visits += 1) {
      const isolate = all[Math.floor(Math.random() * isolates)];
      const answer = isolate?.claim(link, { defer, untilMs: Date.now() + TIMEOUT_MS }).then(
        (isGranted) => {
          seen.granted += isGranted ? 1 : 0;
          seen.usedUp += isGranted ? 0 : 1;
        },
        () => {
          seen.refusedBefore += seen.usedUp === 0 ? 1 : 0;
        },
      );
      answers.push(answer ?? Promise.resolve());
    }
    if (seen.usedUp === 0) {
      seen.visitsBefore = seen.visits;
      seen.seconds = elapsedMs() / 1_000;
    }
    await delay(2);
  }
  await Promise.all(answers);
  while (deferred.size > 0) {
    await Promise.all(deferred);
  }
  return { ...seen, grantedPerSecond: Math.round(seen.granted / seen.seconds) };
}

describe.skipIf(!IS_FULL)("a crowd on one strict cap", () => {
  it("gets 300 uses a second and more, whether ten isolates claim them or two hundred, and never too many", async () => {
    const hot = { visitsPerSecond: 1_000, cap: 1_000_000, forMs: 10_000 };
    const results = await measure([
      { ...hot, isolates: 10 },
      { ...hot, isolates: 100 },
      { ...hot, isolates: 200 },
      { isolates: 100, visitsPerSecond: 2_000, cap: 10_000, forMs: 20_000 },
    ]);
    for (const { grantedPerSecond, granted, used, cap, refusedBefore, visitsBefore } of results) {
      expect(grantedPerSecond).toBeGreaterThanOrEqual(300);
      expect(granted).toBeLessThanOrEqual(used);
      expect(used).toBeLessThanOrEqual(cap);
      expect(refusedBefore).toBeLessThanOrEqual(visitsBefore * 0.01);
    }
    expect(results.at(-1)?.granted).toBeGreaterThanOrEqual(9_900);
  }, 120_000);
});
