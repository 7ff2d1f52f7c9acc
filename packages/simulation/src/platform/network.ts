/** Calls between an isolate and what it is bound to: they take time, both ways, and nobody hears the answer whose invocation has ended. */
import { currentScope, inScope } from "../runtime/request-scope.ts";
import type { Seeded } from "../time/seeded.ts";
import type { VirtualTime } from "../time/virtual-time.ts";

/** What an operator's bad day has in store. A share of the calls suffers, for as long as it lasts. */
export const FAULTS = [
  "kv.write-refused",
  "kv.write-hangs",
  "kv.read-fails",
  "kv.read-hangs",
  "feed.down",
  "feed.slow",
  "feed.answer-lost",
  "database.down",
  "database.answer-lost",
  "database.hangs",
  "database.slow",
  "queue.refuses",
  "queue.answer-lost",
  "queue.handler-lost",
] as const;
/** Of lives that count there: drawn apart, so that others stay as they were. */
export const CLICKHOUSE_FAULTS = [
  "clickhouse.down",
  "clickhouse.answer-lost",
  "clickhouse.hangs",
  "clickhouse.slow",
] as const;
export type Fault = (typeof FAULTS | typeof CLICKHOUSE_FAULTS)[number] | "clock.stepped";

export type Weather = {
  readonly begin: (fault: Fault, untilMs: number, share: number) => void;
  /** Whether this call suffers. */
  readonly strikes: (fault: Fault) => boolean;
  /** Whether any fault with this beginning was there at any time since, or until then. */
  readonly wasThere: (prefix: string, sinceMs: number, untilMs?: number) => boolean;
};

export function createWeather(time: VirtualTime, random: Seeded): Weather {
  type Spell = {
    readonly fault: Fault;
    readonly sinceMs: number;
    readonly untilMs: number;
    readonly share: number;
  };
  const spells: Spell[] = [];
  return {
    begin: (fault, untilMs, share) => void spells.push({ fault, sinceMs: time.nowMs(), untilMs, share }),
    strikes: (fault) =>
      spells.some(
        (spell) => spell.fault === fault && spell.untilMs > time.nowMs() && random.chance(spell.share),
      ),
    wasThere: (prefix, sinceMs, untilMs = Infinity) =>
      spells.some(
        (spell) => spell.fault.startsWith(prefix) && spell.untilMs >= sinceMs && spell.sinceMs <= untilMs,
      ),
  };
}

export type Network = {
  /**
   * Reaches another place after `thereMs`, does something there, and brings the answer back after as long. `lost`: it was done, and
   * the answer is an error. `hangs`: there is no answer.
   */
  readonly call: <Result>(
    work: () => Result | Promise<Result>,
    how: { readonly thereMs: number; readonly end?: "lost" | "hangs" | undefined },
  ) => Promise<Result>;
};

/** Of the calls on their way whose invocation ends: the others arrive. */
const CUT_SHARE = 0.5;

export function createNetwork(time: VirtualTime, random: Seeded): Network {
  return {
    call(work, { thereMs, end }) {
      const scope = currentScope();
      return new Promise((resolve, reject) => {
        if (scope?.isAlive === false) {
          return;
        }
        const back = (deliver: () => void): void => {
          if (end !== "hangs") {
            time.at(time.nowMs() + thereMs, inScope(scope, deliver));
          }
        };
        const answer = async (): Promise<void> => {
          try {
            const result = await work();
            back(() => (end === "lost" ? reject(new TypeError("network connection lost")) : resolve(result)));
          } catch (error) {
            back(() => reject(error));
          }
        };
        time.at(time.nowMs() + thereMs, () => {
          if (scope === null || scope.isAlive || !random.chance(CUT_SHARE)) {
            void answer();
          }
        });
      });
    },
  };
}
