/** Counts travel with the next clicks, or alone where none come; never twice. */
import { decodeSegment, encodeClick } from "@hopline/core/click/segment";
import { expect, it } from "vitest";
import { createAnswerMeter } from "../../src/metrics/answer-meter.ts";
import { createClickBuffer } from "../../src/clicks/click-buffer.ts";
import { createAnswerCounter } from "../../src/metrics/count-answers.ts";
import { createMissMeter } from "../../src/metrics/miss-meter.ts";
import type { LogEvent } from "../../src/log.ts";
import { aClick } from "../../../../packages/core/test/click/a-click.ts";

const T0 = 1_795_000_000_000;

function openStage(send: () => Promise<unknown> = () => Promise.resolve()) {
  const misses = createMissMeter(7);
  const meter = createAnswerMeter(
    () => null,
    (nowMs) => misses.take(nowMs),
  );
  const buffer = createClickBuffer("00c0ffee12345678", (nowMs) => meter.takeReport(nowMs));
  const sent: string[] = [];
  const log: LogEvent[] = [];
  const deferred: Promise<unknown>[] = [];
  const clock = { nowMs: T0 };
  const counter = createAnswerCounter({
    meter,
    loadMisses: async () => misses,
    buffer,
    shards: [{ number: 0, send: (text) => (sent.push(text), send()) }],
    random: () => 0.5,
    log: (event) => log.push(event),
  });
  return {
    buffer,
    sent,
    log,
    clock,
    answer: (status: number, tookMs = 0) =>
      counter.count(
        { status, tier: "kv", nowMs: clock.nowMs },
        {
          request: new Request("https://x.example/"),
          startedAtMs: clock.nowMs - tookMs,
          visit: { defer: (work) => void deferred.push(work) },
        },
      ),
    miss: (slug: string) =>
      counter.countMiss(
        { domainId: "0198f3c2-0000-7000-8000-000000000002", kind: "unknown", slug },
        { request: new Request("https://x.example/"), visit: { defer: (work) => void deferred.push(work) } },
        clock.nowMs,
      ),
    settle: () => Promise.all(deferred),
  };
}

it("go with the next segment of clicks, the same ones however often that is sent", () => {
  const stage = openStage();
  stage.answer(302, 7);
  stage.answer(404, 3);
  const { send } = stage.buffer.add(encodeClick(aClick()), T0, 0);
  expect(send[0]?.report).toMatchObject({ number: 1, cells: [{ totalMs: 7 }, { totalMs: 3 }] });
  const abandoned = stage.buffer.add(encodeClick(aClick()), T0 + 60_000, 0).send;
  expect(abandoned.map(({ report }) => report?.number)).toEqual([1, undefined]);
  expect(stage.sent).toEqual([]);
});

it("go alone after half a minute without a click", async () => {
  const stage = openStage();
  stage.answer(404);
  stage.clock.nowMs += 40_000;
  stage.answer(503);
  stage.answer(503);
  await stage.settle();
  expect(stage.sent.map(decodeSegment)).toMatchObject([
    { ok: true, value: { firstSequence: 1, clicks: [], report: { number: 1, cells: [{}, {}] } } },
  ]);
});

it("go alone where all that is not there is answered with redirects", async () => {
  const stage = openStage();
  stage.answer(302);
  stage.miss("sumer");
  stage.clock.nowMs += 40_000;
  stage.miss("sumer");
  await stage.settle();
  expect(stage.sent.map(decodeSegment)).toMatchObject([
    { value: { report: { misses: [["0198f3c2-0000-7000-8000-000000000002", 0, 0, 2, [["sumer", 2]]]] } } },
  ]);
});

it("alone they name the clicks that are numbered and not sent, too", async () => {
  const stage = openStage();
  stage.buffer.add(encodeClick(aClick()), T0, 100);
  stage.answer(404);
  stage.clock.nowMs += 40_000;
  stage.answer(404);
  await stage.settle();
  expect(stage.sent.map(decodeSegment)).toMatchObject([{ value: { firstSequence: 2, clicks: [] } }]);
});

it("are lost where no queue takes them, which is said and costs no answer", async () => {
  const stage = openStage(() => Promise.reject(new TypeError("the queue is away")));
  stage.answer(404);
  stage.clock.nowMs += 40_000;
  stage.answer(404);
  await stage.settle();
  expect(stage.log).toEqual([{ event: "report.send_failed", shard: 0, reason: "TypeError" }]);
});
