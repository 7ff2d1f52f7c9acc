/**
 * `--full`: how fast the consumer's own code writes dead letters beside live traffic, into a Postgres that commits to disk. A
 * million clicks in letters of ten come back within eight minutes of the database's return (retry-later.ts), 208 letters a second.
 */
import { loadavg } from "node:os";
import { encodeSegment } from "@hopline/core/click/segment";
import { expect, it } from "vitest";
import { handleBatch } from "../../../../workers/consumer/src/ingest/handle-batch.ts";
import { aClick, aMessage, aStage } from "../../../../workers/consumer/test/consumer-stage.ts";
import { IS_FULL } from "../../../core/test/runs.ts";
import { insertClicks } from "../../src/ingest/insert-clicks.ts";
import { LINK_ID } from "../click-batch.ts";
import { openDurableDatabase } from "../durable-database.ts";

const LETTERS = 20_000;
const CLICKS_OF_LETTER = 10;
/** `max_batch_size` and `max_concurrency` of the dead-letter queue. */
const LETTERS_OF_BATCH = 100;
const BATCHES_AT_ONCE = 5;
const LIVE_CLICKS_PER_SECOND = 500;
const TIMEOUT_MS = 15_000;

it.skipIf(!IS_FULL)(
  "a million clicks in dead letters are written in ten minutes, beside live traffic",
  async () => {
    const { select, runSql, close } = await openDurableDatabase(20);
    const { deps, log } = aStage({ insertClicks: (batch) => insertClicks(runSql, batch, TIMEOUT_MS) });
    const messageOf = (isolate: number, firstSequence: number, count: number, attempts: number) => {
      const isolateId = isolate.toString(16).padStart(16, "0");
      const clicks = Array.from({ length: count }, () => aClick({ linkId: LINK_ID }));
      return aMessage(encodeSegment({ isolateId, firstSequence, clicks }), { attempts });
    };
    try {
      let isDone = false;
      let live = 0;
      const visitors = (async () => {
        for (const startedAtMs = performance.now(); !isDone;) {
          const due = Math.floor(((performance.now() - startedAtMs) * LIVE_CLICKS_PER_SECOND) / 1_000) - live;
          const messages = Array.from({ length: Math.ceil(due / 50) }, (_, index) =>
            messageOf(1, 1 + live + index * 50, 50, 1),
          );
          await handleBatch("hopline-clicks-0", messages, deps);
          live += messages.length * 50;
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
      })();
      const startedAtMs = performance.now();
      const startedWith = process.cpuUsage();
      const batches = Array.from({ length: LETTERS / LETTERS_OF_BATCH }, (_, batch) => batch).values();
      await Promise.all(
        Array.from({ length: BATCHES_AT_ONCE }, async () => {
          for (const batch of batches) {
            const letters = Array.from({ length: LETTERS_OF_BATCH }, (_, index) =>
              messageOf(100 + index, 1 + batch * CLICKS_OF_LETTER, CLICKS_OF_LETTER, 40),
            );
            await handleBatch("hopline-clicks-dead", letters, deps);
            expect(letters.every(({ settled }) => settled === "ack")).toBe(true);
          }
        }),
      );
      const seconds = (performance.now() - startedAtMs) / 1_000;
      const { user, system } = process.cpuUsage(startedWith);
      isDone = true;
      await visitors;
      const lettersPerSecond = Math.round(LETTERS / seconds);
      // Of the consumer, live traffic included; Postgres has its own.
      const cpuMicrosPerLetter = Math.round((user + system) / LETTERS);
      const minutesForAMillion = (1_000_000 / CLICKS_OF_LETTER / lettersPerSecond / 60).toFixed(1);
      console.log(
        JSON.stringify({
          lettersPerSecond,
          minutesForAMillion,
          cpuMicrosPerLetter,
          live,
          load: loadavg()[0]?.toFixed(1),
        }),
      );
      const [events] = await select("SELECT count(*)::int AS clicks FROM click_events");
      expect(events).toEqual({ clicks: LETTERS * CLICKS_OF_LETTER + live });
      expect(log.filter(({ event }) => event !== "batch.inserted")).toEqual([]);
      expect(lettersPerSecond).toBeGreaterThanOrEqual(250);
    } finally {
      await close();
    }
  },
  300_000,
);
