/**
 * The consumer's own code against a database in which everything happens at once: batches of several writers, answers that are lost,
 * clicks that are refused, messages that come again, compactions, a removal of clicks, retention. Real concurrency, so a seed gives
 * the same work, not the same order.
 */
import { randomUUID } from "node:crypto";
import { encodeSegment } from "@hopline/core/click/segment";
import fc from "fast-check";
import { expect, it } from "vitest";
import { handleBatch } from "../../../../workers/consumer/src/ingest/handle-batch.ts";
import { openCountingHint } from "../../../../workers/consumer/src/ingest/count-clicks.ts";
import { createStore } from "../../../../workers/consumer/src/ingest/create-store.ts";
import {
  aClick,
  aMessage,
  aStage,
  databaseError,
  type RecordedMessage,
} from "../../../../workers/consumer/test/consumer-stage.ts";
import { runs } from "../../../core/test/runs.ts";
import { toDatabaseFailure } from "../../src/database-failure.ts";
import { compactLedger } from "../../src/ledger/compact-ledger.ts";
import { dropOldClicks } from "../../src/ledger/drop-old-clicks.ts";
import { selectLedgerDays, toLedgerDays } from "../../src/ledger/find-ledger-days.ts";
import { removeClicks } from "../../src/ledger/remove-clicks.ts";
import { LINK_ID, T0 } from "../click-batch.ts";
import { DAY_MS, TIMEOUT_MS, useDbStage, WORKSPACE } from "../db-stage.ts";
import { countDeadlocks } from "../lock-waits.ts";

const { select, runSql, runTransaction, addLink, connect } = useDbStage();

const ISOLATES = 3;
const WRITERS = 3;
const QUARTER_MS = 900_000;
/** What the database refuses. */
const POISON = "POISON";

type Message = { readonly body: string; attempts: number };

let lives = 0;

it("each click counts once, or has a letter, whatever is written, lost, repeated, compacted, removed and dropped at once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.boolean(), async (seed, isDropped) => {
      lives += 1;
      const random = seeded(seed);
      const sinceMs = T0 + (lives - 400) * DAY_MS;
      const doomed = randomUUID();
      await addLink(doomed, doomed);
      let [clicks, poison] = [0, 0];
      const waiting: Message[] = [];
      const isolateIds = Array.from({ length: ISOLATES }, (_, index) =>
        (lives * ISOLATES + index).toString(16).padStart(16, "0"),
      );
      for (const isolateId of isolateIds) {
        for (let first = 1; first < 40;) {
          const count = 1 + Math.floor(random() * 8);
          const segment = Array.from({ length: count }, (_, index) => {
            const isPoison = random() < 0.04;
            poison += isPoison ? 1 : 0;
            return aClick({
              clickedAtMs: sinceMs + (first + index) * (QUARTER_MS / 6),
              linkId: random() < 0.5 ? doomed : LINK_ID,
              ...(isPoison ? { city: POISON } : {}),
            });
          });
          waiting.push({
            body: encodeSegment({ isolateId, firstSequence: first, clicks: segment }),
            attempts: 1,
          });
          first += count;
          clicks += count;
        }
      }
      const store = createStore({
        runSql,
        clickHouse: null,
        hint: openCountingHint(null),
        timeoutMs: TIMEOUT_MS,
        nowMs: () => sinceMs,
      });
      const stage = aStage({
        ...store,
        nowMs: () => sinceMs,
        async insertClicks(batch) {
          if (batch.rows.some(({ city }) => city === POISON)) {
            throw databaseError("23514");
          }
          const inserted = await store.insertClicks(batch);
          if (random() < 0.15) {
            throw new Error("the answer was lost");
          }
          return inserted;
        },
      });
      let isWriting = true;
      const batches = new Set<Promise<void>>();
      const write = async (): Promise<void> => {
        while (waiting.length > 0) {
          const taken = Array.from({ length: 4 }, () =>
            waiting.splice(Math.floor(random() * waiting.length), 1),
          ).flat();
          const delivered = taken.map((message): readonly [Message, RecordedMessage] => [
            message,
            aMessage(message.body, { attempts: message.attempts }),
          ]);
          const messages = delivered.map(([, message]) => message);
          const batch = handleBatch("hopline-clicks-0", messages, stage.deps);
          batches.add(batch);
          await batch;
          batches.delete(batch);
          for (const [message, { settled }] of delivered) {
            if (settled !== "ack" || random() < 0.2) {
              waiting.push({ ...message, attempts: message.attempts + 1 });
            }
          }
        }
      };
      const compact = async (): Promise<void> => {
        while (isWriting) {
          await compactLedger(runTransaction, TIMEOUT_MS).catch((error: unknown) => {
            // It steps back from batches.
            expect(toDatabaseFailure(error).sqlState).toBe("55P03");
          });
        }
      };
      const remove = async (): Promise<void> => {
        await select("DELETE FROM links WHERE id = $1", [doomed]);
        // The API gives them two minutes.
        await Promise.all(batches);
        const options = { leaseId: randomUUID(), timeoutMs: TIMEOUT_MS, fromDay: null, sliceClicks: 7 };
        // There is no cube.
        const subtractLink = async () => undefined;
        const clock = { nowMs: () => performance.now(), endsAtMs: performance.now() + TIMEOUT_MS };
        const removed = { workspaceId: WORKSPACE, linkId: doomed };
        expect(await removeClicks(runTransaction, removed, { ...options, ...clock, subtractLink })).toEqual({
          outcome: "done",
        });
      };
      const drop = async (): Promise<void> => {
        const days = { beforeMs: sinceMs - (sinceMs % DAY_MS) + DAY_MS, nowMs: sinceMs };
        for (let report = null; report === null;) {
          await select("DELETE FROM work WHERE kind = 'summary'");
          report = await dropOldClicks(runSql, { ...days, timeoutMs: TIMEOUT_MS, sliceRows: 9 });
        }
      };
      const others = [compact(), remove(), ...(isDropped ? [drop()] : [])];
      await Promise.all(Array.from({ length: WRITERS }, write));
      isWriting = false;
      await Promise.all(others);
      while ((await compactLedger(runTransaction, TIMEOUT_MS)) > 0) {
        // Until all is compacted.
      }

      const [day] = toLedgerDays(await runSql(selectLedgerDays([sinceMs, sinceMs + DAY_MS]), TIMEOUT_MS), 1);
      const { accepted = 0, inserted = 0, rejected = 0, waiting: late = 0, missing = 0 } = day ?? {};
      expect([accepted, accepted - inserted - rejected - late - missing]).toEqual([clicks, 0]);
      const [counted] = await select(
        `SELECT (SELECT sum(clicks)::int FROM click_rollups WHERE bucket_start >= $1) AS rollups,
           (SELECT count(*)::int FROM click_events WHERE clicked_at >= $1) AS events,
           (SELECT count(*)::int FROM dead_letters WHERE isolate_id = ANY ($3)) AS letters,
           (SELECT count(*)::int FROM click_rollups WHERE link_id = $2) AS removed`,
        [new Date(sinceMs), doomed, isolateIds],
      );
      expect(counted).toMatchObject({ rollups: inserted, removed: 0 });
      if (isDropped) {
        // Of a segment that was counted in part when retention dropped its clicks, nobody knows which part.
        expect([inserted <= clicks - poison, rejected <= poison]).toEqual([true, true]);
      } else {
        expect([inserted, rejected]).toEqual([clicks - poison, poison]);
        expect(counted).toMatchObject({ events: inserted, letters: rejected });
      }
    }),
    { ...runs(12), endOnFailure: true },
  );
  const client = await connect();
  try {
    expect(await countDeadlocks(client)).toBe(0);
  } finally {
    client.release();
  }
});

function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
