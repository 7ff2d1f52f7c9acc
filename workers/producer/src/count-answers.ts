/**
 * The counter of answers over the isolate's meter. Its report goes with the next clicks; where none come (only unknown
 * slugs are asked for, or everything is down), it travels by itself. Lost reports cost metrics, never a click.
 */
import type { ClickShard } from "./adapters/queue-shards.ts";
import type { AnswerMeter } from "./answer-meter.ts";
import type { ClickBuffer } from "./click-buffer.ts";
import { withReports } from "./lazy-parts.ts";
import type { Log } from "./log.ts";
import type { AnswerCounter } from "./ports.ts";

export type AnswerCounterDeps = {
  readonly meter: AnswerMeter;
  readonly buffer: ClickBuffer;
  readonly shards: readonly ClickShard[];
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
};

/** From here on an answer brought no click. */
const FIRST_ERROR_STATUS = 400;

export function createAnswerCounter(deps: AnswerCounterDeps): AnswerCounter {
  const { meter } = deps;
  return {
    count(status, { tier, nowMs }, { request, startedAtMs, visit }) {
      meter.count(tier, status, nowMs - startedAtMs);
      if (status >= FIRST_ERROR_STATUS && meter.isOverdue(nowMs)) {
        visit.defer(
          Promise.resolve(withReports(({ sendReportAlone }) => sendReportAlone(request, nowMs, deps))),
        );
      }
    },
  };
}
