/**
 * What a visitor waits for by tier and region: the redirect's own look-up, in virtual time, over tiers that take as long as their
 * operators say. Exact and the same on every machine; a local stack with delays would measure the machine as well.
 */
import { DEFAULT_LIMITS } from "@hopline/edge-cache/read-through-ports";

import { createRandom } from "../../edge-cache/test/workloads.ts";
import { aWorld, live, type World } from "../../edge-cache/test/read-through-world.ts";
import type { Figure, Section, SectionReport } from "./section.ts";
import { percentile } from "./statistics.ts";
import { formatTable } from "./table.ts";

/** Milliseconds at p0, p50, p95, p99, p99.9 and p100; between them on a logarithmic scale. */
type Delays = readonly [number, number, number, number, number, number];

const SHARES = [0, 0.5, 0.95, 0.99, 0.999, 1] as const;

/** Published are the figures whose source is named. The rest of each tail is assumed, and rather long. */
const KV_HOT: Delays = [0.3, 1, 3, 5, 20, 100]; // p50: blog.cloudflare.com/faster-workers-kv (2024); p99: its article on the storage of 2025.
const KV_COLD: Delays = [8, 20, 50, 250, 400, 1_000]; // p95, p99 outside the Americas: Cloudflare's changelog of KV, 2025-08-22.
const KV_COLD_BEFORE: Delays = [10, 50, 150, 350, 600, 1_500]; // The same before that day.
const DATABASE_NEAR: Delays = [3, 8, 20, 40, 150, 500]; // p0: one region of AWS (cloudping.co, 1 ms) and a statement.
const DATABASE_FAR: Delays = [153, 158, 170, 190, 300, 650]; // An ocean: 150 ms more (github.com/neondatabase/neon/discussions/2423).

type Question = {
  readonly name: string;
  readonly title: string;
  readonly kv: Delays;
  readonly database: Delays;
  /** KV has the link. */
  readonly isPublished: boolean;
};

const near = { database: DATABASE_NEAR };
const far = { database: DATABASE_FAR };
const QUESTIONS: readonly Question[] = [
  { name: "kv-hot", title: "KV, hot", kv: KV_HOT, ...near, isPublished: true },
  { name: "kv-cold", title: "KV, cold, database near", kv: KV_COLD, ...near, isPublished: true },
  { name: "kv-cold-far", title: "KV, cold, database far", kv: KV_COLD, ...far, isPublished: true },
  { name: "kv-slow", title: "KV as before 2025-08", kv: KV_COLD_BEFORE, ...near, isPublished: true },
  { name: "database", title: "not in KV yet, database near", kv: KV_HOT, ...near, isPublished: false },
  { name: "database-far", title: "not in KV yet, database far", kv: KV_HOT, ...far, isPublished: false },
];

const { kvTimeoutMs } = DEFAULT_LIMITS;
const VISITS = 20_000;
const SEED = 20_261_126;
const PERCENTILES = [50, 95, 99, 99.9, 100] as const;

export const waitsSection: Section = {
  title: `What a visitor waits for, in virtual time: ${VISITS.toLocaleString("en-US")} visits of each kind`,
  run: runWaits,
};

async function runWaits({ say }: { readonly say: (status: string) => void }): Promise<SectionReport> {
  const figures: Figure[] = [];
  const rows: string[][] = [
    [
      "ms",
      ...PERCENTILES.map((percent) => (percent === 100 ? "worst" : `p${percent}`)),
      "hedged",
      "p99 without",
    ],
  ];
  for (const question of QUESTIONS) {
    say(question.title);
    const { waits, alone, hedgedPercent } = await visitMany(question);
    const values = PERCENTILES.map((percent) => percentile(waits, percent));
    const cells = [...values.map((ms) => ms.toFixed(1)), `${hedgedPercent.toFixed(2)} %`];
    rows.push([question.title, ...cells, question.isPublished ? percentile(alone, 99).toFixed(1) : "-"]);
    figures.push(
      { name: `waits.${question.name}.p99`, value: values[2] ?? Number.NaN, unit: "ms" },
      { name: `waits.${question.name}.worst`, value: values[4] ?? Number.NaN, unit: "ms" },
    );
  }
  return { figures, lines: formatTable(rows) };
}

/** One after the other, each of another link; an isolate has learned from the first thousand, which are not counted. */
async function visitMany(question: Question) {
  const world = aWorld({ statementEveryMs: 75 });
  Object.assign(world.kv, { mode: "slow" });
  Object.assign(world.db, { mode: "slow" });
  const random = createRandom(SEED);
  const waits: number[] = [];
  /** What the same visitors would have waited for KV alone, and for the database only when KV's time is up. */
  const alone: number[] = [];
  let hedged = 0;
  for (let visit = -1_000; visit < VISITS; visit += 1) {
    const key = `link ${visit}`;
    // Now and then a link that KV lacks: the database is awake, and may be asked beside KV.
    const isOnlyStored = !question.isPublished || visit % 500 === 0;
    world.db.texts.set(key, live(1, "A"));
    if (!isOnlyStored) {
      world.kv.texts.set(key, live(1, "A"));
    }
    world.kv.slowMs = draw(question.kv, random());
    world.db.slowMs = draw(question.database, random());
    const waitedMs = await visitOnce(world, key);
    world.kv.texts.clear();
    world.db.texts.clear();
    if (visit >= 0 && isOnlyStored === !question.isPublished) {
      waits.push(waitedMs);
      const { kv, db } = world;
      alone.push(kv.slowMs <= kvTimeoutMs ? kv.slowMs : kvTimeoutMs + db.slowMs);
    }
    const events = world.takeEvents();
    hedged += visit >= 0 && events.includes("hedged") ? 1 : 0;
  }
  return { waits, alone, hedgedPercent: (100 * hedged) / VISITS };
}

async function visitOnce(world: World, key: string): Promise<number> {
  const startedAtMs = world.nowMs();
  let waitedMs = -1;
  void world.ask(key).then(() => {
    waitedMs = world.nowMs() - startedAtMs;
  });
  // What goes on behind the answer ends before the next visit.
  await world.pass(2_000);
  if (waitedMs < 0) {
    throw new Error(`invariant: a visitor of ${key} had no answer after two seconds`);
  }
  return waitedMs;
}

function draw(delays: Delays, share: number): number {
  const above = Math.max(
    1,
    SHARES.findIndex((limit) => limit >= share),
  );
  const [from = 0, to = 1] = [SHARES[above - 1], SHARES[above]];
  const [low = 1, high = 1] = [delays[above - 1], delays[above]];
  return low * (high / low) ** ((share - from) / (to - from));
}
