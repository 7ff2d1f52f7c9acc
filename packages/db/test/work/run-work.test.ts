/** Doing due work: failures, hanging items, and several runners at once. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { enqueueWork } from "../../src/work/enqueue-work.ts";
import { runWork, type WorkDeps, type WorkHandler } from "../../src/work/run-work.ts";
import { runWorkTransaction } from "../../src/work/work-transaction.ts";
import { useDbStage } from "../db-stage.ts";

const { select, runTransactionAs } = useDbStage();
const runTransaction = runTransactionAs("hopline_api");
const RUN_MS = 30_000;
const never = new Promise<never>(() => undefined);

beforeEach(() => select("TRUNCATE work"));

describe("an item that always hangs", () => {
  it("holds none of the other 999 back", async () => {
    await enqueue("remove", 1_000);
    // The hanging one is the oldest, and so always the first to be claimed.
    await select("UPDATE work SET due_at = now() - interval '1 hour' WHERE key = '0'");
    const hanging = Promise.withResolvers<void>();
    const allOthers = Promise.withResolvers<void>();
    const done = new Set<string>();
    const remove = aHandler({
      run: async ({ key }) => {
        if (key === "0") {
          return hanging.promise;
        }
        if (done.add(key).size === 999) {
          allOthers.resolve();
        }
      },
    });
    const running = runWork(RUN_MS, toDeps({ remove }));
    await allOthers.promise;
    await expect.poll(keysLeft).toEqual(["0"]);
    hanging.reject(new DOMException("gone", "AbortError"));
    expect(await running).toBe(999);
    expect(await select("SELECT key, attempts, last_error FROM work")).toEqual([
      { key: "0", attempts: 1, last_error: "AbortError" },
    ]);
  });

  it("is abandoned at its time limit and told so, and takes no place of another kind", async () => {
    await enqueue("spill", 1);
    await enqueue("summary", 3);
    const aborted = Promise.withResolvers<unknown>();
    const spill = aHandler({
      timeLimitMs: 500,
      run: (_item, signal) => {
        signal.addEventListener("abort", () => aborted.resolve(signal.reason));
        return never;
      },
    });
    const done: string[] = [];
    const summary = aHandler({ run: async ({ key }) => void done.push(key) });
    const running = runWork(RUN_MS, toDeps({ spill, summary }));
    await expect.poll(() => done.length).toBe(3);
    await running;
    expect(await select("SELECT kind, last_error FROM work")).toEqual([
      { kind: "spill", last_error: "TimeoutError" },
    ]);
    expect(await aborted.promise).toMatchObject({ name: "TimeoutError" });
  });
});

describe("a run", () => {
  it("tries an item that fails again later, and does the others", async () => {
    await enqueue("remove", 20);
    const failing = aHandler({
      run: async ({ key }) => {
        if (key === "3") {
          throw Object.assign(new Error("quotes a value"), { code: "23505" });
        }
      },
    });
    expect(await runWork(RUN_MS, toDeps({ remove: failing }))).toBe(19);
    expect(await select("SELECT key, attempts, last_error, lease FROM work")).toEqual([
      { key: "3", attempts: 1, last_error: "23505", lease: null },
    ]);
  });

  it("does an item again that is enqueued while it runs, with the newer payload", async () => {
    await enqueue("remove", 1);
    const seen: number[] = [];
    const remove = aHandler({
      run: async ({ revision }) => {
        seen.push(revision);
        if (revision === 1) {
          await enqueue("remove", 1);
        }
      },
    });
    await runWork(RUN_MS, toDeps({ remove }));
    expect(seen).toEqual([1, 2]);
    expect(await keysLeft()).toEqual([]);
  });

  it("leaves what is due later, also what its handler puts off", async () => {
    await enqueue("check", 1);
    let runs = 0;
    const check = aHandler({
      run: async () => {
        runs += 1;
        return { againInSeconds: 86_400, change: { checked: runs } };
      },
    });
    expect(await runWork(RUN_MS, toDeps({ check }))).toBe(1);
    expect(await runWork(RUN_MS, toDeps({ check }))).toBe(0);
    expect(await select("SELECT payload, attempts FROM work")).toEqual([
      { payload: { checked: 1 }, attempts: 0 },
    ]);
  });

  it("starts nothing after its time, waits for what runs, and leaves no lease behind", async () => {
    await enqueue("remove", 30);
    let nowMs = 0;
    const remove = aHandler({
      atOnce: 4,
      run: async () => {
        nowMs = 1_000;
        await delay(20);
      },
    });
    expect(await runWork(500, toDeps({ remove }, { nowMs: () => nowMs }))).toBe(4);
    expect(await keysLeft()).toHaveLength(26);
    expect(await select("SELECT FROM work WHERE lease IS NOT NULL")).toEqual([]);
  });

  it("shares the work with others at the same time: nothing is done twice", async () => {
    await enqueue("remove", 200);
    const done: string[] = [];
    const remove = aHandler({ run: async ({ key }) => void done.push(key) });
    const counts = await Promise.all(Array.from({ length: 4 }, () => runWork(RUN_MS, toDeps({ remove }))));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(200);
    expect(new Set(done).size).toBe(200);
    expect(done).toHaveLength(200);
  });
});

function aHandler(change: Partial<WorkHandler>): WorkHandler {
  return { run: async () => undefined, timeLimitMs: 10_000, atOnce: 10, maxDelaySeconds: 60, ...change };
}

function toDeps(handlers: WorkDeps["handlers"], change: Partial<WorkDeps> = {}): WorkDeps {
  return {
    handlers,
    runTransaction,
    newLeaseId: randomUUID,
    nowMs: () => performance.now(),
    onFailure: () => undefined,
    ...change,
  };
}

/** Items `0`, `1` and so on. */
async function enqueue(kind: string, count: number): Promise<void> {
  const items = Array.from({ length: count }, (_, index) => ({ kind, key: String(index) }));
  await runWorkTransaction(runTransaction, [enqueueWork(items)]);
}

async function keysLeft(): Promise<readonly unknown[]> {
  return (await select("SELECT key FROM work ORDER BY key")).map(({ key }) => key);
}
