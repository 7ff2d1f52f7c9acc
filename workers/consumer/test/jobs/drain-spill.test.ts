import { encodeSegment } from "@hopline/core/click/segment";
import { spillKeyOf } from "@hopline/core/click/spill-key";
import { describe, expect, it, vi } from "vitest";
import { drainKeys, drainSpill, KEYS_OF_SHARE } from "../../src/jobs/drain-spill.ts";
import { aSegment, aStage } from "../consumer-stage.ts";

describe("draining the spill", () => {
  it("writes every spilled segment and removes its key", async () => {
    const stage = aStage();
    spill(stage, 25);
    await drain(stage.deps);
    expect(stage.batches.flatMap((batch) => batch.rows)).toHaveLength(50);
    expect(stage.spilled.size).toBe(0);
    expect(stage.log).toEqual([
      { event: "spill.drained", segments: 25, inserted: 50, deadLettered: 0, left: 0 },
    ]);
  });

  it("keeps the keys while the database is down, and tries one statement only", async () => {
    let statements = 0;
    const stage = aStage({
      insertClicks: () => {
        statements += 1;
        return Promise.reject(new Error("connection refused"));
      },
    });
    spill(stage, 25);
    await drain(stage.deps);
    expect(stage.spilled.size).toBe(25);
    expect(statements).toBe(1);
  });

  it("removes no key before its segment is committed", async () => {
    const order: string[] = [];
    const stage = aStage();
    spill(stage, 1);
    const { insertClicks, spill: store } = stage.deps;
    await drain({
      ...stage.deps,
      insertClicks: async (batch) => {
        const inserted = await insertClicks(batch);
        order.push("committed");
        return inserted;
      },
      spill: {
        ...store,
        remove: (key) => {
          order.push("removed");
          return store.remove(key);
        },
      },
    });
    expect(order).toEqual(["committed", "removed"]);
  });

  it("skips a key that another drain has removed", async () => {
    const stage = aStage();
    spill(stage, 2);
    const { spill: store } = stage.deps;
    await drain({
      ...stage.deps,
      spill: { ...store, read: (keys) => store.read(keys.filter((key) => !key.endsWith("1"))) },
    });
    expect(stage.batches.flatMap((batch) => batch.rows)).toHaveLength(2);
  });

  it("buries what it cannot open or what is not a segment, so that it does not block the list for ever", async () => {
    const stage = aStage();
    stage.spilled.set("spill/a", "sealed-with-another-key");
    stage.spilled.set("spill/b", "sealed({})");
    await drain(stage.deps);
    expect(stage.spilled.size).toBe(0);
    expect(stage.letters).toMatchObject([
      { kind: "message_undecodable", source: "spill" },
      { kind: "message_undecodable", source: "spill" },
    ]);
  });

  it("goes on past a click that enrichment crashes on: that click becomes a dead letter", async () => {
    const { visitorKeys } = aStage().deps;
    const crashOnDay = "2026-11-22";
    const stage = aStage({
      visitorKeys: {
        sign: (day, text) =>
          day === crashOnDay || visitorKeys === null
            ? Promise.reject(new TypeError("a bug of ours"))
            : visitorKeys.sign(day, text),
      },
    });
    const clicks = (index: number) => (index === 2 ? { clickedAtMs: Date.parse(crashOnDay) } : {});
    stage.spilled.set("spill/crash", `sealed(${encodeSegment(aSegment(101, 5, clicks))})`);
    spill(stage, 1);
    await drain(stage.deps);
    expect(stage.spilled.size).toBe(0);
    expect(stage.batches.flatMap((batch) => batch.rows)).toHaveLength(6);
    expect(stage.letters).toMatchObject([
      {
        kind: "click_refused",
        reason: "enrichment",
        source: "spill",
        clicks: { firstSequence: 103, count: 1 },
      },
    ]);
  });

  it("keeps the keys while SEAL_KEY is not a key, and says that this is the reason", async () => {
    const stage = aStage({ open: () => Promise.reject(new Error("SEAL_KEY is not base64 of 32 bytes")) });
    spill(stage, 2);
    await drain(stage.deps);
    expect(stage.spilled.size).toBe(2);
    expect(stage.log[0]).toEqual({ event: "job.failed", job: "spill", reason: "sealing", sqlState: null });
  });

  it("is done by invocations of their own, none with more than a thousand operations, six at once", async () => {
    const stage = aStage();
    spill(stage, 4 * KEYS_OF_SHARE);
    const { spill: store } = stage.deps;
    const operations: number[] = [];
    let running = 0;
    let atOnce = 0;
    await drainSpill(async (keys) => {
      running += 1;
      atOnce = Math.max(atOnce, running);
      const share = operations.push(0) - 1;
      const count = <Result>(result: Result) => ((operations[share] = (operations[share] ?? 0) + 1), result);
      const counted = {
        ...store,
        read: (some: readonly string[]) => {
          expect(some.length).toBeLessThanOrEqual(100);
          return count(store.read(some));
        },
        remove: (key: string) => count(store.remove(key)),
      };
      const drained = await drainKeys(keys, { ...stage.deps, spill: counted });
      running -= 1;
      return drained;
    }, stage.deps);
    expect(operations).toEqual([909, 909, 909, 909]);
    expect(atOnce).toBe(4);
    expect(stage.spilled.size).toBe(0);
  });

  it("ten thousand segments and more are gone within a minute, at 70 ms an operation of KV", async () => {
    vi.useFakeTimers();
    try {
      // Without visitors nothing but KV is waited for.
      const stage = aStage({ visitorKeys: null });
      spill(stage, 10_800);
      const { spill: store } = stage.deps;
      const slow = async <Result>(work: () => Promise<Result>): Promise<Result> => {
        await new Promise((resolve) => setTimeout(resolve, 70));
        return work();
      };
      const deps = {
        ...stage.deps,
        spill: {
          list: (limit: number) => slow(() => store.list(limit)),
          read: (keys: readonly string[]) => slow(() => store.read(keys)),
          remove: (key: string) => slow(() => store.remove(key)),
        },
      };
      const startedAtMs = Date.now();
      const drainedAfterMs = drainSpill((keys) => drainKeys(keys, deps), deps).then(
        () => Date.now() - startedAtMs,
      );
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await drainedAfterMs).toBeLessThan(30_000);
      expect(stage.spilled.size).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("logs nothing if there is nothing", async () => {
    const stage = aStage();
    await drain(stage.deps);
    expect(stage.log).toEqual([]);
  });
});

/** In this invocation, as the others would. */
function drain(deps: ReturnType<typeof aStage>["deps"]): Promise<boolean> {
  return drainSpill((keys) => drainKeys(keys, deps), deps);
}

function spill(stage: ReturnType<typeof aStage>, segments: number): void {
  for (let index = 0; index < segments; index += 1) {
    const segment = aSegment(1 + index * 2, 2);
    stage.spilled.set(
      spillKeyOf(segment.isolateId, segment.firstSequence),
      `sealed(${encodeSegment(segment)})`,
    );
  }
}
