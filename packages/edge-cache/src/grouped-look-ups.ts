/**
 * Look-ups in the database, many keys to a statement. A statement starts every 75 ms at most, the first one at once; keys
 * that are asked for meanwhile wait together for the next.
 *
 * No visitor depends on another's request, which workerd may end at any moment together with its timers and promises.
 * Each waits by a timer of its own, and the first to find that a statement is due sends it for all. The others
 * wait for that statement in bounded time; where it was lost with its request, their keys join the next one.
 */
import type { ReadThroughLimits, Visit } from "./read-through-ports.ts";
import { Slots } from "./slots.ts";
import { pollUntil } from "./poll-until.ts";
import { type Wait, withTimeout } from "./with-timeout.ts";

export interface GroupedLookUps<Key extends string, Said> {
  /**
   * What the database says of `key`. `late`: no answer came in time, or in the visitor's; `busy`: too many keys wait. `isFirst`: no other visitor
   * has been given this answer.
   */
  find(key: Key, visit: Pick<Visit, "defer" | "untilMs">): Promise<LookUp<Said>>;
  /** How many keys wait for a statement or for its answer. */
  countKeys(nowMs: number): number;
}

export type LookUp<Said> =
  | { readonly kind: "done"; readonly said: Said; readonly isFirst: boolean }
  | { readonly kind: "late" | "busy" };

export type LookUpPorts<Key extends string, Said> = {
  /** One statement: what it says of each of the keys. Rejects only on a bug. */
  readonly ask: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Said>>;
  readonly isFailing: (nowMs: number) => boolean;
  readonly nowMs: () => number;
  readonly wait: Wait;
  readonly limits: Pick<
    ReadThroughLimits,
    "statements" | "statementEveryMs" | "maxWaitingKeys" | "originTimeoutMs"
  >;
};

/** Room for what the timeouts do not count: the event loop between two steps. */
export const SLACK_MS = 100;

/** How long a key waits for a place in a statement, beyond the time of the statement itself. */
const GROUP_WAIT_MS = 250;
const STATEMENT_EVERY_MS_FAILING = 100;

export const MAX_GROUP_KEYS = 100;

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

export function createGroupedLookUps<Key extends string, Said>({
  ask,
  isFailing,
  nowMs,
  wait,
  limits,
}: LookUpPorts<Key, Said>): GroupedLookUps<Key, Said> {
  /** After this a statement is given up for lost. */
  const statementMs = limits.originTimeoutMs + SLACK_MS;
  /** About in the order in which visitors give up. */
  const wanted = new Map<Key, Wanted<Key, Said>>();
  const slots = new Slots(limits.statements, statementMs);
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
    nextAtMs = now + (isFailing(now) ? STATEMENT_EVERY_MS_FAILING : limits.statementEveryMs);
    const answer = ask(group.map(([key]) => key));
    const statement = { answer, untilMs: now + statementMs };
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
    async find(key, { defer, untilMs }) {
      const giveUpAtMs = Math.min(untilMs, nowMs() + statementMs + GROUP_WAIT_MS);
      forgetAbandoned(nowMs());
      if (!wanted.has(key) && wanted.size >= limits.maxWaitingKeys) {
        return { kind: "busy" };
      }
      const entry = wanted.get(key) ?? { statement: null, untilMs: 0, isAnswered: false };
      entry.untilMs = Math.max(entry.untilMs, giveUpAtMs);
      wanted.set(key, entry);
      while (nowMs() < giveUpAtMs) {
        await pollUntil({ untilMs: giveUpAtMs, nextAtMs: () => nextAtMs, nowMs, wait }, (now) => {
          sendIfDue(now, defer);
          return !isWaiting(entry, now);
        });
        const { statement } = entry;
        if (statement === null || isWaiting(entry, nowMs())) {
          break;
        }
        const waitMs = Math.min(giveUpAtMs, statement.untilMs) - nowMs();
        const timed = await withTimeout(() => statement.answer, waitMs, wait);
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
