/**
 * Look-ups in the database, many keys to a statement. A statement starts every 50 ms at most, the first one at once; keys
 * that are asked for meanwhile wait together for the next.
 *
 * No visitor depends on another's request, which workerd may end at any moment together with its timers and promises.
 * Each waits for its turn by a timer of its own, and whoever finds that a statement is due sends it for all. The others
 * wait for that statement in bounded time; where it was lost with its request, their keys join the next one.
 */
import { createSlots } from "./slots.ts";
import { type Wait, withTimeout } from "./with-timeout.ts";

export interface GroupedLookUps<Key extends string, Said> {
  /**
   * What the database says of `key`. `late`: no answer came in time; `busy`: too many keys wait. `isFirst`: no other visitor
   * has been given this answer.
   */
  find(key: Key, defer: (work: Promise<unknown>) => void): Promise<LookUp<Said>>;
  /** How many keys wait for a statement or for its answer. */
  countKeys(nowMs: number): number;
}

export type LookUp<Said> =
  | { readonly kind: "done"; readonly said: Said; readonly isFirst: boolean }
  | { readonly kind: "late" | "busy" };

export type GroupLimits = {
  /** Statements that may run at once. */
  readonly statements: number;
  /** From the start of one to the start of the next, milliseconds. */
  readonly everyMs: number;
  /** The same while the database fails. */
  readonly everyMsFailing: number;
  /** Keys that may wait; others are refused. */
  readonly maxKeys: number;
  /** After this a statement is given up for lost, milliseconds. */
  readonly statementMs: number;
  /** No visitor waits longer, milliseconds. */
  readonly waitMs: number;
};

/** In one statement. */
export const MAX_GROUP_KEYS = 100;

/** While all statements run, a visitor looks this often whether one has ended. */
const LOOK_AGAIN_MS = 25;

type Statement<Key, Said> = {
  /** Plain data: it is handed from one request to others. */
  readonly answer: Promise<ReadonlyMap<Key, Said>>;
  /** Epoch milliseconds. After this no visitor waits for it any longer. */
  readonly untilMs: number;
};

type Wanted<Key, Said> = {
  /** The one that asks for the key; `null`: none yet, or it was lost. */
  statement: Statement<Key, Said> | null;
  /** When the last visitor who waits for the key gives up, epoch milliseconds. Who has left may be among them. */
  untilMs: number;
  /** A visitor has been given the answer. */
  isAnswered: boolean;
};

export function createGroupedLookUps<Key extends string, Said>(
  { ask, isFailing, nowMs, wait }: LookUpPorts<Key, Said>,
  limits: GroupLimits,
): GroupedLookUps<Key, Said> {
  /** About in the order in which visitors give up. */
  const wanted = new Map<Key, Wanted<Key, Said>>();
  const slots = createSlots(limits.statements, limits.statementMs);
  let nextAtMs = -Infinity;

  function sendIfDue(now: number, defer: (work: Promise<unknown>) => void): void {
    const slot = now < nextAtMs ? null : slots.take(now);
    if (slot === null) {
      return;
    }
    const group = [...wanted].filter(([, entry]) => isWaiting(entry, now)).slice(0, MAX_GROUP_KEYS);
    if (group.length === 0) {
      slots.release(slot);
      return;
    }
    nextAtMs = now + (isFailing(now) ? limits.everyMsFailing : limits.everyMs);
    const answer = ask(group.map(([key]) => key));
    const statement = { answer, untilMs: now + limits.statementMs };
    for (const [, entry] of group) {
      entry.statement = statement;
    }
    const settle = (): void => {
      slots.release(slot);
      for (const [key, entry] of group) {
        if (entry.statement === statement && wanted.get(key) === entry) {
          wanted.delete(key);
        }
      }
    };
    // Kept alive beyond the visitor who sends it, because others wait for it.
    defer(answer.then(settle, settle));
  }

  /** A request that was cut off can't take its key back: without this, enough of them would hold all the room for ever. */
  function forgetAbandoned(now: number): void {
    for (const [key, entry] of wanted) {
      if (now < entry.untilMs || !isWaiting(entry, now)) {
        return;
      }
      wanted.delete(key);
    }
  }

  return {
    async find(key, defer) {
      const giveUpAtMs = nowMs() + limits.waitMs;
      forgetAbandoned(nowMs());
      if (!wanted.has(key) && wanted.size >= limits.maxKeys) {
        return { kind: "busy" };
      }
      const entry = wanted.get(key) ?? { statement: null, untilMs: 0, isAnswered: false };
      entry.untilMs = giveUpAtMs;
      wanted.set(key, entry);
      for (let now = nowMs(); now < giveUpAtMs; now = nowMs()) {
        sendIfDue(now, defer);
        const { statement } = entry;
        if (statement === null || isWaiting(entry, now)) {
          const turnAtMs = now < nextAtMs ? nextAtMs : now + LOOK_AGAIN_MS;
          await wait(Math.min(giveUpAtMs, turnAtMs) - now);
          continue;
        }
        const untilMs = Math.min(giveUpAtMs, statement.untilMs);
        const timed = await withTimeout(() => statement.answer, untilMs - now, wait);
        const said = timed.kind === "done" ? timed.value.get(key) : undefined;
        if (said !== undefined) {
          const isFirst = !entry.isAnswered;
          entry.isAnswered = true;
          return { kind: "done", said, isFirst };
        }
        if (entry.statement === statement && nowMs() < giveUpAtMs) {
          entry.statement = null;
          wanted.set(key, entry);
        }
      }
      // The key stays for others who wait for it too; once all have given up it is forgotten.
      return { kind: entry.statement === null ? "busy" : "late" };
    },
    countKeys(now) {
      forgetAbandoned(now);
      return wanted.size;
    },
  };
}

function isWaiting<Key, Said>({ statement }: Wanted<Key, Said>, now: number): boolean {
  return statement === null || statement.untilMs <= now;
}

export type LookUpPorts<Key extends string, Said> = {
  /** One statement: what it says of each of the keys. Rejects only on a bug. */
  readonly ask: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Said>>;
  readonly isFailing: (nowMs: number) => boolean;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly wait: Wait;
};
