/**
 * The counter of answers over the isolate's meter. Its report goes with the next clicks; where none come (only unknown
 * slugs are asked for, or everything is down), it travels by itself. Lost reports cost metrics, never a click.
 */
import { encodeSegment } from "@hopline/core/segment";
import { toColo } from "@hopline/core/edge-report";
import type { ClickShard } from "./adapters/queue-shards.ts";
import type { AnswerMeter } from "./answer-meter.ts";
import type { ClickBuffer } from "./click-buffer.ts";
import { type Log, nameOfError } from "./log.ts";
import type { AnswerCounter } from "./ports.ts";

export type AnswerCounterDeps = {
  readonly meter: AnswerMeter;
  readonly buffer: ClickBuffer;
  readonly shards: readonly ClickShard[];
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
};

/** From here on an answer brought no click. */
const FIRST_ERROR_STATUS = 400;

export function createAnswerCounter(deps: AnswerCounterDeps): AnswerCounter {
  const { meter, nowMs } = deps;
  return {
    count({ tier, status, startedAtMs, request }, defer) {
      const atMs = nowMs();
      meter.count(tier, status, atMs - startedAtMs);
      if (status >= FIRST_ERROR_STATUS && meter.isOverdue(atMs)) {
        defer(sendAlone(toColo(request.cf?.["colo"]), atMs, deps));
      }
    },
  };
}

async function sendAlone(colo: string | null, atMs: number, deps: AnswerCounterDeps): Promise<void> {
  const report = deps.meter.takeReport(atMs);
  const shard = deps.shards[Math.floor(deps.random() * deps.shards.length)];
  if (report === undefined || shard === undefined) {
    return;
  }
  try {
    await shard.send(encodeSegment(deps.buffer.wrapReport({ ...report, colo })));
  } catch (error) {
    deps.log({ event: "report.send_failed", shard: shard.number, reason: nameOfError(error) });
  }
}
