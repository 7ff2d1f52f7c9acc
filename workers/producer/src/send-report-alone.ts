/** Sends the isolate's counts without clicks. Loaded when it is needed, which is hardly ever. */
import { toColo } from "@hopline/core/click/edge-report";
import { encodeSegment } from "@hopline/core/click/segment";
import type { AnswerCounterDeps } from "./count-answers.ts";
import { nameOfError } from "./log.ts";

/** One try on a shard picked at random: a lost report costs metrics, and no click. Never rejects. */
export async function sendReportAlone(
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
    await shard.send(encodeSegment(buffer.wrapReport({ ...report, colo })));
  } catch (error) {
    log({ event: "report.send_failed", shard: shard.number, reason: nameOfError(error) });
  }
}
