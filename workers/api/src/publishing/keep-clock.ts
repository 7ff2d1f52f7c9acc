/** The clock's state, in the Durable Object's own storage, and its answers. The rules are in packages/core/src/clock. */
import {
  announce,
  announceSpill,
  CLOCK_WORKERS,
  type ClockState,
  type Found,
  NEW_CLOCK,
  settleRun,
  planRun,
} from "@hopline/core/clock/work-clock";
import { parseJson } from "@hopline/core/decode/parse-json";

/** Another format of the state gets another name: the old one is forgotten, and each Worker sweeps. */
const KEY = "clock.v1";

export type KeptClock = {
  /** `steps`: `announce`, `spilled`, `take/<worker>` or `settle/<worker>`, the last with what was found as the body. */
  answer(steps: readonly string[], body: string): Response;
  /** Something was announced within the last minute or so. */
  isActive(): boolean;
};

export function openClock(storage: Pick<SyncKvStorage, "get" | "put">, nowMs: () => number): KeptClock {
  let kept: ClockState | undefined;
  const keep = (state: ClockState): Response => {
    kept = state;
    storage.put(KEY, state);
    return new Response("");
  };
  const load = (): ClockState => (kept ??= storage.get<ClockState>(KEY) ?? NEW_CLOCK);
  return {
    isActive: () => nowMs() <= load().activeUntilMs,
    answer([step = "", name = ""], body) {
      const state = load();
      const worker = CLOCK_WORKERS.find((known) => known === name);
      if (step === "announce") {
        return keep(announce(state, nowMs()));
      }
      if (step === "spilled") {
        return keep(announceSpill(state, nowMs()));
      }
      const found = step === "settle" ? decodeFound(body) : null;
      if (worker !== undefined && found !== null) {
        return keep(settleRun(state, worker, { ...found, nowMs: nowMs() }));
      }
      if (worker !== undefined && step === "take") {
        const planned = planRun(state, worker, nowMs());
        if (planned.state !== state) {
          keep(planned.state);
        }
        return new Response(planned.mode);
      }
      return new Response(null, { status: 404 });
    },
  };
}

function decodeFound(body: string): Found | null {
  const found = parseJson(body);
  return typeof found === "object" &&
    found !== null &&
    "nextInMs" in found &&
    (found.nextInMs === null || typeof found.nextInMs === "number") &&
    "hasSwept" in found &&
    typeof found.hasSwept === "boolean"
    ? { nextInMs: found.nextInMs, hasSwept: found.hasSwept }
    : null;
}
