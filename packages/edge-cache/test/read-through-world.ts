/**
 * A world for the read-through: two tiers that can be broken, a clock that only tests move, requests that can be cut
 * off, and the sequence of events.
 */
import { setImmediate as turn } from "node:timers/promises";
import { IsolateCache } from "../src/isolate-cache.ts";
import { createReadThrough, heldTier, type ReadThrough } from "../src/read-through.ts";
import {
  type Answer,
  DEFAULT_LIMITS,
  type Decoded,
  type ReadThroughLimits,
  type Visit,
} from "../src/read-through-ports.ts";

/** `works` answers from `texts`; `slow` does so after `slowMs`. */
export type Mode = "works" | "throws" | "hangs" | "slow";

export type TierStub = {
  readonly texts: Map<string, string>;
  mode: Mode;
  slowMs: number;
  /** Keys that were asked for, in order. */
  readonly asked: string[];
  /** How many of them each call asked for. */
  readonly groups: number[];
};

export type Reply = {
  readonly kind: "live" | "negative" | "unavailable" | "visitor" | "busy" | "exhausted";
  readonly tier: string | null;
  readonly value: string | null;
  /** No promise was involved. */
  readonly isImmediate: boolean;
};

export type World = {
  readonly cache: IsolateCache<string>;
  readonly kv: TierStub;
  readonly db: TierStub;
  readonly events: string[];
  readonly deferred: Promise<unknown>[];
  readonly readThrough: ReadThrough<string, string>;
  decodes: number;
  /** While true, timers that are set never fire: those of a request that has been cut off. */
  timersDie: boolean;
  nowMs(): number;
  /** Moves the clock, firing timers in order, and lets everything settle. */
  pass(ms: number): Promise<void>;
  /** One visitor, as the redirect does it: get, then load. */
  ask(key: string, visit?: Partial<Visit>): Promise<Reply>;
  /** Keys that were charged to their visitors as absent. */
  charged: number;
  /** Keys that were credited to their visitors as found in the database. */
  credited: number;
  /** What the change feed has said, by key. */
  readonly announced: Map<string, { readonly version: number; readonly text: string | null }>;
  arrivals: number;
  isKvDoubted: boolean;
  /** The feed was last read then, and has lost what came before `missedUntilMs`. */
  heardUntilMs: number;
  missedUntilMs: number;
  /** Events since the last call. */
  takeEvents(): readonly string[];
};

export const live = (version: number, value: string): string => `live:${version}:${value}`;
export const deleted = (version: number): string => `deleted:${version}`;

export function aWorld(limits: Partial<ReadThroughLimits> = {}): World {
  let clockMs = 1_000_000;
  /** What fires at an instant, by instant. */
  const timers = new Map<number, (() => void)[]>();
  const nowMs = (): number => clockMs;
  const wait = (ms: number): Promise<unknown> =>
    new Promise<void>((resolve) => {
      if (!world.timersDie) {
        const atMs = clockMs + ms;
        const due = timers.get(atMs);
        if (due === undefined) {
          timers.set(atMs, [resolve]);
        } else {
          due.push(resolve);
        }
      }
    });
  const cache = new IsolateCache<string>({ nowMs, random: () => 0 });
  const events: string[] = [];
  const deferred: Promise<unknown>[] = [];
  const kv = aTier();
  const db = aTier();
  const decode = (text: string): Decoded<string> => {
    world.decodes += 1;
    return decodeText(text);
  };
  const readThrough = createReadThrough<string, string>(
    {
      cache,
      kv: {
        load: async (key) => (await load(kv, [key], wait)).get(key) ?? null,
      },
      origin: { load: (keys) => load(db, keys, wait) },
      decode,
      announced: {
        newerThan(key, version) {
          const change = world.announced.get(key);
          return change !== undefined && change.version > version ? change.text : undefined;
        },
        versionOf: (key) => world.announced.get(key)?.version ?? 0,
        isKvDoubted: () => world.isKvDoubted,
        heardUntilMs: () => world.heardUntilMs,
        missedUntilMs: () => world.missedUntilMs,
        arrivals: () => world.arrivals,
      },
      nowMs,
      wait,
      emit: (event) => events.push(Object.values(event).join(" ")),
    },
    { ...DEFAULT_LIMITS, statementEveryMs: 0, ...limits },
  );
  const world: World = {
    cache,
    kv,
    db,
    events,
    deferred,
    readThrough,
    decodes: 0,
    timersDie: false,
    nowMs,
    async pass(ms) {
      const untilMs = clockMs + ms;
      await settle();
      for (;;) {
        const atMs = Math.min(...timers.keys());
        if (atMs > untilMs) {
          break;
        }
        clockMs = atMs;
        const due = timers.get(atMs) ?? [];
        timers.delete(atMs);
        for (const fire of due) {
          fire();
        }
        await settle();
      }
      clockMs = untilMs;
    },
    charged: 0,
    credited: 0,
    announced: new Map(),
    arrivals: 0,
    isKvDoubted: false,
    heardUntilMs: Infinity,
    missedUntilMs: -Infinity,
    async ask(key, change = {}) {
      const visit: Visit = {
        defer: (work) => void deferred.push(work.catch(() => undefined)),
        untilMs: clockMs + 800,
        announced: null,
        isRateLimited: () => false,
        chargeMiss: async () => void (world.charged += 1),
        creditHit: () => void (world.credited += 1),
        ...change,
      };
      const held = readThrough.get(key, clockMs, visit);
      if (held !== undefined) {
        const answer = { kind: "found", entry: held, tier: heldTier(held, clockMs) } as const;
        return toReply(answer, true);
      }
      return toReply(await readThrough.load(key, visit), false);
    },
    takeEvents: () => events.splice(0),
  };
  return world;
}

/** Lets everything run that can run without the clock. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) {
    await turn();
  }
}

function aTier(): TierStub {
  return { texts: new Map(), mode: "works", slowMs: 0, asked: [], groups: [] };
}

async function load(
  tier: TierStub,
  keys: readonly string[],
  wait: (ms: number) => Promise<unknown>,
): Promise<ReadonlyMap<string, string>> {
  tier.asked.push(...keys);
  tier.groups.push(keys.length);
  switch (tier.mode) {
    case "throws":
      throw new TypeError("broken on purpose");
    case "hangs":
      return new Promise(() => undefined);
    case "slow":
      await wait(tier.slowMs);
      return find(tier, keys);
    case "works":
      return find(tier, keys);
  }
}

function find(tier: TierStub, keys: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    keys.flatMap((key) => {
      const text = tier.texts.get(key);
      return text === undefined ? [] : [[key, text]];
    }),
  );
}

function decodeText(text: string): Decoded<string> {
  const [kind, version, value = ""] = text.split(":");
  if (kind === "bomb") {
    throw new Error("a fault of our own");
  }
  if (kind === "deleted") {
    return { kind: "negative", version: Number(version), costBytes: 0 };
  }
  return kind === "live"
    ? { kind, value, version: Number(version), costBytes: text.length * 2 }
    : { kind: "rejected", field: "(whole)" };
}

function toReply(answer: Answer<string>, isImmediate: boolean): Reply {
  switch (answer.kind) {
    case "found": {
      const { entry, tier } = answer;
      return {
        kind: entry.kind,
        tier,
        value: entry.kind === "live" ? `${entry.value}@${entry.version}` : null,
        isImmediate,
      };
    }
    case "refused":
      return { kind: answer.reason, tier: null, value: null, isImmediate };
    case "unavailable":
      return { kind: "unavailable", tier: null, value: null, isImmediate };
  }
}
