/**
 * The counter of answers over the isolate's meter. Its report goes with the next clicks; where none come (only unknown
 * slugs are asked for, or everything is down), it travels alone. Lost reports cost metrics, never a click.
 */
import { nameOfError } from "@hopline/edge-cache/with-timeout";
import { type EdgeReport, toColo } from "@hopline/core/click/edge-report";
import { type EncodedSegment, joinSegment } from "@hopline/core/click/segment";
import type { Log } from "../log.ts";
import type { AnswerCounter, ClickShard } from "../ports.ts";
import type { AnswerMeter } from "./answer-meter.ts";
import type { MissMeter } from "./miss-meter.ts";

export type AnswerCounterDeps = {
  readonly meter: AnswerMeter;
  /** Loaded with the first: most requests are for a link. */
  readonly loadMisses: () => Promise<Pick<MissMeter, "count">>;
  /** The isolate's click buffer, which numbers its segments. */
  readonly buffer: { readonly wrapReport: (report: EdgeReport) => EncodedSegment };
  readonly shards: readonly ClickShard[];
  readonly random: () => number;
  readonly log: Log;
};

/** From here on an answer brought no click. */
const FIRST_ERROR_STATUS = 400;

export function createAnswerCounter(deps: AnswerCounterDeps): AnswerCounter {
  const { meter, loadMisses } = deps;
  async function countMiss(miss: Parameters<MissMeter["count"]>[0], request: Request, nowMs: number) {
    (await loadMisses()).count(miss);
    // It may have been answered with a redirect, and all others of this isolate, too.
    if (meter.isOverdue(nowMs)) {
      await sendReportAlone(request, nowMs, deps);
    }
  }
  return {
    countMiss: (miss, { request, visit }, nowMs) => visit.defer(countMiss(miss, request, nowMs)),
    count({ status, tier, nowMs }, { request, startedAtMs, visit }) {
      meter.count(tier, status, nowMs - startedAtMs);
      if (status >= FIRST_ERROR_STATUS && meter.isOverdue(nowMs)) {
        visit.defer(sendReportAlone(request, nowMs, deps));
      }
    },
  };
}

/** One try on a shard picked at random: a lost report costs metrics, and no click. Never rejects. */
async function sendReportAlone(
  request: Request,
  atMs: number,
  { meter, buffer, shards, random, log }: AnswerCounterDeps,
): Promise<void> {
  const report = meter.takeReport(atMs);
  const shard = shards[Math.floor(random() * shards.length)];
  if (report === undefined || shard === undefined) {
    return;
  }
  const colo = toColo(request.cf?.["colo"]);
  try {
    await shard.send(joinSegment(buffer.wrapReport({ ...report, colo })));
  } catch (error) {
    log({ event: "report.send_failed", shard: shard.number, reason: nameOfError(error) });
  }
}
