/** Days of the cube hold what their clicks hold, are made however small they are, and survive retention. */
import { dropOldClicks } from "@hopline/db/ledger/drop-old-clicks";
import { toStatement } from "@hopline/db/sql";
import type { RunTransaction } from "@hopline/db/neon-client";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { DAY_MS, HOUR_MS, TIMEOUT_MS, useDbStage, WORKSPACE } from "../../../db/test/db-stage.ts";
import { doWork } from "../../../db/test/do-work.ts";
import { transactionsOver } from "../../../db/test/transactions-over.ts";
import { dayHandler, tagsHandler } from "../../src/cube/day-work.ts";
import { findDrift } from "../../src/cube/find-drift.ts";
import { makeDay } from "../../src/cube/make-day.ts";
import { type Completeness, totalOf, totalsOf } from "../../src/engine.ts";
import { createPostgresEngine } from "../../src/postgres/postgres-engine.ts";
import { MOST_CLICKS } from "../../src/postgres/usable-days.ts";
import { type DayState, type MadeSlice, planDay, QUARTERS } from "../../src/cube/plan-day.ts";

/** Over for long, so that its work is due. */
const DAY = Date.UTC(2026, 0, 20);
const AFTER_RETENTION = { beforeMs: DAY + DAY_MS, nowMs: DAY + DAY_MS, timeoutMs: TIMEOUT_MS };

const {
  select,
  connect,
  insert,
  emptyClicks,
  runSql,
  runTransaction,
  runTransactionAs,
  runAs,
  addLink,
  addWorkspace,
} = useDbStage();

beforeEach(emptyClicks);

const spread = (index: number) => ({
  clickedAtMs: DAY + (index % 100) * 14 * 60_000 + index,
  country: index % 3 === 0 ? null : "CH",
  device: index % 4 === 0 ? null : "phone",
  os: "",
  city: index % 2 === 0 ? "" : "Bern",
  class: index % 5 === 0 ? "bot" : "human",
  destination: "https://example.com/".padEnd(8_192, String(index % 2)),
  visitor: index % 7 === 0 ? null : `00000000-0000-4000-8000-00000000000${index % 6}`,
});
let isolates = 0;
const click = (count: number, row: (index: number) => object = spread) => {
  isolates += 1;
  return insert([{ isolateId: `00c0ffee0003${String(isolates).padStart(4, "0")}`, count, row }]);
};

/** Whether the day is finished. */
const make = async (run: RunTransaction = runTransaction, options: { readonly sliceClicks?: number } = {}) =>
  (await makeDay(
    run,
    { workspaceId: WORKSPACE, dayMs: DAY },
    { timeoutMs: TIMEOUT_MS, nowMs: Date.now(), ...options },
  )) === undefined;
const drift = () => findDrift(runAs("hopline_reader"), { sinceMs: DAY, untilMs: DAY + DAY_MS }, TIMEOUT_MS);
/** Numbers of the slices with their clicks: `0: 100, 100: 3`. */
const slices = async () => {
  const rows = await select(
    "SELECT slice || ': ' || clicks AS slice FROM cube_days ORDER BY cube_days.slice",
  );
  return rows.map(({ slice }) => slice).join(", ");
};
const isTrue = async (condition: string) =>
  (await select(`SELECT ${condition} AS is_true`))[0]?.["is_true"] === true;
const ROLLED_UP = "(SELECT sum(clicks) FROM workspace_rollups)";
const isMade = () => isTrue(`(SELECT sum(clicks) FROM cube_days) = ${ROLLED_UP}`);
const isSealed = async () =>
  (await isMade()) && isTrue(`(SELECT min(day_clicks) FROM cube_visitors WHERE scope = '') = ${ROLLED_UP}`);

describe("a day of the cube", () => {
  it("holds each value of its clicks and each visitor once, even if it is made twice", async () => {
    await click(100);
    expect([await make(), await make()]).toEqual([true, true]);
    expect([await slices(), await isSealed(), await drift()]).toEqual(["0: 100", true, 0]);
    // NULL in place of the numbers, or of the values: all clicks have this one, or none.
    const [cell] = await select("SELECT colo, colo_clicks, os FROM click_cube WHERE scope = ''");
    expect(cell).toEqual({ colo: ["ZRH"], colo_clicks: null, os: null });
  });

  it("of too many clicks is made in slices, one at a time, and only the one of a late click is made again", async () => {
    const options = { sliceClicks: 30 };
    const made = () =>
      select("SELECT slice, clicks::int AS clicks, xmin::text AS xmin FROM cube_days ORDER BY slice");
    await click(100);
    for (const isFinished of [false, false, false, true]) {
      expect(await make(runTransaction, options)).toBe(isFinished);
    }
    const before = await made();
    expect(before.map(({ clicks }) => clicks)).toEqual([30, 30, 30, 10]);
    expect([await isSealed(), await drift()]).toEqual([true, 0]);
    await click(1, () => ({ clickedAtMs: DAY + DAY_MS - 1 }));
    expect([await isSealed(), await make(runTransaction, options)]).toEqual([false, true]);
    expect((await made()).slice(0, 3)).toEqual(before.slice(0, 3));
    expect([await isSealed(), await drift()]).toEqual([true, 0]);
  });

  it("of five million clicks is made in slices of a quarter of a million", () => {
    const quarters = Array.from({ length: QUARTERS }, (_, quarter) => (quarter < 32 ? 10_000 : 73_125));
    const over = {
      quarters,
      horizonXid: "9",
      passed: QUARTERS,
      isRemoved: false,
      visitors: { clicks: 0, parts: 0, last: 0 },
    };
    const slices: MadeSlice[] = [];
    const sizes = { sliceClicks: 250_000, openClicks: 10_000, mostOpenClicks: 100_000 };
    for (let plan = planDay({ ...over, slices }, sizes); plan.next === "slice";) {
      const [{ from, end } = { from: 0, end: 0 }] = plan.slice.spans;
      slices.push({ slice: plan.slice.slice, untilXid: "9", clicks: quarters.slice(from, end) });
      plan = planDay({ ...over, slices }, sizes);
    }
    const clicks = slices.map((slice) => slice.clicks.reduce((sum, one) => sum + one, 0));
    expect(clicks.reduce((sum, one) => sum + one, 0)).toBe(5_000_000);
    expect([slices.length, Math.max(...clicks)]).toEqual([23, 250_000]);
  });

  it("shows it if a number, a cell or a visitor is wrong", async () => {
    await click(100);
    await make();
    await select(
      "UPDATE click_cube SET colo_clicks = ARRAY[clicks + 1] WHERE scope = 'country' AND scope_value = 'CH'",
    );
    expect(await drift()).toBe(2);
    await select("DELETE FROM click_cube WHERE scope = 'os' AND class = 'bot'");
    expect(await drift()).toBeGreaterThan(20);
    await emptyClicks();
    await click(100);
    await make();
    await select("UPDATE cube_visitors SET last_visitors[1] = last_visitors[1] + 3 WHERE scope = 'link_id'");
    expect(await drift()).toBe(6);
  });
});

describe("a running day", () => {
  const NOON = DAY + DAY_MS / 2;
  const run = async () => {
    await transactionsOver(select);
    const options = { timeoutMs: TIMEOUT_MS, nowMs: NOON, openClicks: 1, mostOpenClicks: 10 };
    while (
      (await makeDay(runTransaction, { workspaceId: WORKSPACE, dayMs: DAY }, options))?.againInSeconds === 0
    ) {
      // One slice at a time.
    }
  };
  const at = (hour: number) => (index: number) => ({
    ...spread(index),
    clickedAtMs: DAY + hour * HOUR_MS + index,
  });
  const question = {
    workspaceId: WORKSPACE,
    range: { fromMs: DAY, toMs: DAY + DAY_MS },
    filters: [],
  };
  const ask = async (mostClicks?: number, range = question.range) => {
    const engine = createPostgresEngine({
      runTransaction: runTransactionAs("hopline_api"),
      timeoutMs: TIMEOUT_MS,
      ...(mostClicks === undefined ? {} : { mostClicks }),
    });
    const [totals, devices, seen] = await engine.answer([
      totalsOf(question, false),
      { kind: "breakdown", question: { ...question, range }, dimension: "device", limit: 9 },
      totalsOf(question, true),
    ]);
    const about = ({ complete, completeUntilMs }: Completeness) =>
      complete ? "complete" : completeUntilMs === null ? "incomplete" : (completeUntilMs - DAY) / HOUR_MS;
    return {
      clicks: [totalOf(totals).clicks, about(totals)],
      devices: [devices.totalClicks, about(devices)],
      visitors: [totalOf(seen).visitors, about(seen)],
    };
  };

  it("is answered up to the last quarter of an hour of which all is pre-aggregated, if too many clicks came since", async () => {
    await click(40, at(3));
    expect(await ask(39)).toEqual({
      clicks: [40, "complete"],
      devices: [0, 3],
      visitors: [0, 3],
    });
    await run();
    await click(20, at(9));
    await click(1, at(3));
    const all = { clicks: [61, "complete"], devices: [61, "complete"], visitors: [6, "complete"] };
    expect(await ask(21)).toEqual(all);
    expect(await ask(20)).toEqual({ ...all, devices: [40, 3], visitors: [6, 3] });
    await run();
    expect(await ask(0)).toEqual(all);
  });

  it("reads its lists from the sum of its slices, as long as that has as many clicks as they", async () => {
    for (const hour of [3, 9, 23]) {
      await click(20, at(hour));
      await run();
    }
    const all = { devices: [60, "complete"] };
    const ofSlices = "click_cube WHERE scope = '' AND slice >= 96000";
    await select(`CREATE TEMP TABLE kept AS SELECT * FROM ${ofSlices}`);
    await select(`DELETE FROM ${ofSlices}`);
    expect(await ask()).toMatchObject(all);
    // In a zone whose day ends before: less what is outside, and nothing of the other quarters of an hour is read.
    await select("DELETE FROM click_cube WHERE scope = 'quarter' AND slice % 96 < 92");
    const today = { fromMs: DAY - HOUR_MS, toMs: DAY + 23 * HOUR_MS };
    expect(await ask(0, today)).toMatchObject({ devices: [40, "complete"] });
    await select("UPDATE click_cube SET clicks = clicks + 1 WHERE slice = -2");
    expect(await ask()).toMatchObject({ devices: [0, "complete"] });
    await select("INSERT INTO click_cube SELECT * FROM kept");
    expect(await ask()).toMatchObject(all);
  });

  it("that has other clicks than its slices say is read click by click", async () => {
    await click(40, at(3));
    await run();
    await click(5, at(3));
    await select("UPDATE cube_days SET until_xid = 0");
    expect(await ask()).toMatchObject({ devices: [45, "complete"], visitors: [6, "complete"] });
  });

  it("is made of its slices when it is over, and each click is counted once at any moment of it", async () => {
    await click(100);
    await run();
    await click(30);
    const all = { clicks: [130, "complete"], devices: [130, "complete"], visitors: [6, "complete"] };
    let madeOfClicks = 0;
    for (let step = 0; step < 20; step += 1) {
      const rest = await makeDay(
        async (statements, timeoutMs) => {
          expect(await ask()).toEqual(all);
          const texts = statements.map((statement) => toStatement(statement).text);
          madeOfClicks += texts.filter(
            (text) => text.includes("FROM click_events") && text.includes("INSERT INTO click_cube"),
          ).length;
          return runTransaction(statements, timeoutMs);
        },
        { workspaceId: WORKSPACE, dayMs: DAY },
        { timeoutMs: TIMEOUT_MS, nowMs: DAY + DAY_MS, sliceClicks: 60 },
      );
      if (rest === undefined) {
        break;
      }
    }
    expect([await isSealed(), await drift()]).toEqual([true, 0]);
    expect(await select("SELECT FROM cube_days WHERE slice >= 96000")).toEqual([]);
    expect(await select("SELECT FROM cube_visits")).toEqual([]);
    // The slice of those that had come since.
    expect(madeOfClicks).toBe(1);
  });

  // 98 µs a click were measured; twice that, and four times, for a machine that does other things.
  it.each([
    { secondsASlice: 20, mostMissing: MOST_CLICKS },
    { secondsASlice: 40, mostMissing: 600_000 },
  ])(
    "of a million clicks in five minutes is complete two minutes later, with $secondsASlice s for a slice",
    ({ secondsASlice, mostMissing }) => {
      const burst = { startMs: 10 * HOUR_MS, seconds: 300, clicks: 1_000_000 };
      const made: MadeSlice[] = [];
      const arrivedAt = (second: number) =>
        Math.round((burst.clicks * Math.min(second, burst.seconds)) / burst.seconds);
      const stateAt = (second: number): DayState => ({
        // Two quarters of an hour: the burst begins a minute before the second.
        quarters: Array.from({ length: QUARTERS }, (_, quarter) =>
          quarter === 40
            ? arrivedAt(Math.min(second, 60))
            : quarter === 41
              ? arrivedAt(second) - arrivedAt(Math.min(second, 60))
              : 0,
        ),
        slices: made,
        horizonXid: String(second),
        passed: second < 60 ? 40 : 41,
        isRemoved: false,
        visitors: { clicks: 0, parts: 0, last: 0 },
      });
      let most = 0;
      let completeAt = Number.POSITIVE_INFINITY;
      const sizes = { sliceClicks: 500_000, openClicks: 10_000, mostOpenClicks: 100_000 };
      // The work is due a minute after the first batch.
      for (let second = 60; second <= 420;) {
        const state = stateAt(second);
        const missing =
          arrivedAt(second) - made.flatMap(({ clicks }) => clicks).reduce((sum, n) => sum + n, 0);
        most = Math.max(most, missing);
        completeAt = missing > MOST_CLICKS ? Number.POSITIVE_INFINITY : Math.min(completeAt, second);
        const plan = planDay(state, sizes);
        if (plan.next !== "slice") {
          second += plan.next === "wait" ? plan.seconds : 1;
          continue;
        }
        const taken = plan.clicks <= 2 * sizes.mostOpenClicks ? plan.clicks : sizes.mostOpenClicks;
        const before = made.flatMap(({ clicks }) => clicks[40] ?? 0).reduce((sum, n) => sum + n, 0);
        const first = Math.min(taken, (state.quarters[40] ?? 0) - before);
        made.push({
          slice: plan.slice.slice,
          untilXid: plan.slice.untilXid,
          clicks: Array.from({ length: QUARTERS }, (_, quarter) =>
            quarter === 40 ? first : quarter === 41 ? taken - first : 0,
          ),
        });
        second += Math.ceil((secondsASlice * taken) / sizes.mostOpenClicks);
      }
      expect(completeAt).toBeLessThanOrEqual(burst.seconds + 120);
      expect(most).toBeLessThanOrEqual(mostMissing);
    },
  );

  it("whose clicks retention has removed keeps its numbers when a click comes late, and the answer says if one is missing", async () => {
    await click(40, at(3));
    await make();
    await select("INSERT INTO event_retention (kept_from) VALUES ($1)", [new Date(DAY + DAY_MS)]);
    await select("DELETE FROM click_events");
    await click(1, at(3));
    expect(await ask()).toMatchObject({ devices: [41, "complete"], visitors: [6, 3] });
    await select("DELETE FROM click_events");
    expect(await ask()).toMatchObject({ devices: [40, 3], visitors: [6, 3] });
  });
});

describe("making a day", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["a failure", () => Promise.reject(new Error("cut off"))],
    ["a late click", () => click(1)],
  ])(
    "may be interrupted at any request by %s: nothing half-made is used, and the next run completes it",
    async (_what, interrupt) => {
      await click(100);
      let isInterrupted = true;
      for (let at = 1; isInterrupted; at += 1) {
        let requests = 0;
        await make(async (statements, timeoutMs) => {
          requests += 1;
          await (requests === at ? interrupt() : null);
          return runTransaction(statements, timeoutMs);
        }).catch(() => false);
        isInterrupted = requests >= at;
        expect(await drift()).toBe(0);
      }
      expect([await isSealed(), await drift()]).toEqual([true, 0]);
    },
  );

  it("does not hold up the live stream while it counts: a transaction has no id before it writes", async () => {
    await click(100);
    const other = await connect();
    let isLocked = false;
    const run: RunTransaction = async (statements, timeoutMs) => {
      if (!isLocked && statements.some((one) => toStatement(one).text.includes("INSERT INTO click_cube"))) {
        isLocked = true;
        await other.query("BEGIN; LOCK TABLE click_events IN ACCESS EXCLUSIVE MODE");
      }
      return runTransaction(statements, timeoutMs);
    };
    const made = make(run);
    try {
      const found = await vi.waitUntil(
        async () => {
          const rows = await select(
            `SELECT backend_xid::text AS xid FROM pg_stat_activity
             WHERE query LIKE '%WITH event AS MATERIALIZED%' AND wait_event_type = 'Lock'
               AND datname = current_database()`,
          );
          return rows.length > 0 ? rows : undefined;
        },
        { timeout: 10_000 },
      );
      expect(found).toEqual([{ xid: null }]);
    } finally {
      await other.query("ROLLBACK");
      other.release();
    }
    expect(await made).toBe(true);
  });
});

describe("the work of a day", () => {
  const doAll = (run: RunTransaction = runTransaction) =>
    doWork(runTransaction, {
      summary: dayHandler({ runTransaction: run, nowMs: Date.now }),
      tags: tagsHandler(run),
    });
  const work = async () =>
    (await select("SELECT key, revision::int AS revision FROM work WHERE kind <> 'ledger' ORDER BY key")).map(
      Object.values,
    );
  const makeDue = () => select("UPDATE work SET due_at = now()");
  const key = `${WORKSPACE}/2026-01-20`;

  it("is enqueued with its clicks, once, and again for a late click that comes while it runs", async () => {
    await click(2);
    await click(1);
    expect(await work()).toEqual([[key, 1]]);
    await select("UPDATE work SET lease = gen_random_uuid()");
    await click(1);
    expect(await work()).toEqual([[key, 2]]);
    await makeDue();
    expect([await doAll(), await work(), await isSealed()]).toEqual([[], [], true]);
    await click(1);
    expect(await work()).toEqual([[key, 1]]);
  });

  it("of the day that is not over waits for its end, and is not touched by each batch", async () => {
    // Tomorrow, because midnight may come meanwhile.
    const clickedAtMs = Date.now() + DAY_MS;
    await click(1, () => ({ clickedAtMs }));
    await click(1, () => ({ clickedAtMs }));
    const rows = await select(
      "SELECT revision::int AS revision, due_at > date_trunc('day', now(), 'UTC') + interval '1 day' AS waits FROM work WHERE kind = 'summary'",
    );
    expect(rows).toEqual([{ revision: 1, waits: true }]);
  });

  it("of a busy day that is not over begins within a minute, and is left alone then", async () => {
    const clickedAtMs = Date.now() + DAY_MS;
    const soon = () =>
      select(
        "SELECT revision::int AS revision, due_at <= now() + interval '1 minute' AS soon FROM work WHERE kind = 'summary'",
      );
    await click(2_499, () => ({ clickedAtMs }));
    expect(await soon()).toEqual([{ revision: 1, soon: false }]);
    await click(1, () => ({ clickedAtMs }));
    await click(1, () => ({ clickedAtMs }));
    expect(await soon()).toEqual([{ revision: 2, soon: true }]);
  });

  it("that fails for a week holds retention back no longer", async () => {
    await click(1);
    await select("UPDATE work SET wanted_at = now() - interval '8 days'");
    expect(await dropOldClicks(runSql, AFTER_RETENTION)).not.toBeNull();
  });

  it("is done before retention takes its clicks, and an imported old click is added: no day is lost for ever", async () => {
    const isKept = async () => (await dropOldClicks(runSql, AFTER_RETENTION)) === null;
    const doDue = async () => {
      await transactionsOver(select);
      await makeDue();
      await doAll();
      return [await slices(), await isMade(), await work()];
    };
    await click(1);
    expect([await isKept(), await doDue()]).toEqual([true, ["0: 1", true, []]]);
    expect([await isSealed(), await isKept()]).toEqual([true, false]);
    expect(await select("SELECT FROM click_events")).toEqual([]);
    await click(3);
    expect([await isKept(), await doDue()]).toEqual([true, ["0: 1, 96000: 3", true, []]]);
    // Before retention ran again, and after.
    await click(2);
    expect([await isKept(), await doDue()]).toEqual([true, ["0: 1, 96000: 3, 96096: 2", true, []]]);
    expect(await isKept()).toBe(false);
    await click(4);
    expect(await doDue()).toEqual(["0: 1, 96000: 3, 96096: 2, 96192: 4", true, []]);
    const wrong = await select("SELECT FROM click_cube GROUP BY scope HAVING sum(clicks) <> 10");
    expect(wrong).toEqual([]);
  });

  it("gives up on a day whose clicks were gone before it was made", async () => {
    await click(5);
    await select("INSERT INTO event_retention (kept_from) VALUES (to_timestamp($1))", [
      (DAY + DAY_MS) / 1_000,
    ]);
    await makeDue();
    await select("DELETE FROM click_events");
    expect([await doAll(), await slices(), await work()]).toEqual([[], "", []]);
  });

  it("of a workspace whose statements hang holds no other workspace back", async () => {
    const [workspace, domain, link] = [1, 2, 3].map((n) => `0198f3c2-0000-7000-8000-00000000010${n}`);
    await addWorkspace(workspace ?? "", domain ?? "");
    await addLink(link ?? "", "other", { workspace, domain });
    await click(3);
    await click(2, () => ({ clickedAtMs: DAY, linkId: link }));
    await makeDue();
    const hang = Promise.withResolvers<void>();
    const done = doAll(async (statements, timeoutMs) => {
      await (statements.some((one) => toStatement(one).parameters[0] === WORKSPACE) ? hang.promise : null);
      return runTransaction(statements, timeoutMs);
    });
    await vi.waitFor(async () => expect(await work()).toEqual([[key, 1]]), { timeout: 10_000 });
    expect(await select("SELECT clicks::int AS clicks FROM cube_days")).toEqual([{ clicks: 2 }]);
    hang.resolve();
    await done;
    expect(await work()).toEqual([]);
  });

  it("counts tags too, and again when links get, lose or take away a tag, those of other links not", async () => {
    const links = [4, 5].map((n) => `0198f3c2-0000-7000-8000-00000000010${n}`);
    for (const [index, link] of links.entries()) {
      await addLink(link, `tagged-${index}`);
      await click(50 + index, (place) => ({ ...spread(place), linkId: link }));
    }
    const tag = (link: string | undefined, tags: readonly string[]) =>
      select("UPDATE links SET tags = $2 WHERE id = $1", [link, tags]);
    /** The clicks of each tag, and when its cells were made. */
    const tagged = async () => {
      await makeDue();
      expect([await doAll(), await drift(), await work()]).toEqual([[], 0, []]);
      const rows = await select(
        `SELECT scope_value AS name, scope_value || ': ' || sum(clicks) AS clicks, min(xmin::text) AS made FROM click_cube
         WHERE scope = 'tag' GROUP BY 1 ORDER BY 1`,
      );
      return {
        clicks: rows.map(({ clicks }) => clicks).join(", "),
        made: new Map(rows.map(({ name, made }) => [name, made])),
      };
    };
    await tag(links[0], ["a", "b"]);
    await tag(links[1], ["b"]);
    const first = await tagged();
    expect(first.clicks).toBe("a: 50, b: 101");
    await tag(links[1], ["c"]);
    expect(await work()).toEqual([[WORKSPACE, 1]]);
    const second = await tagged();
    expect(second.clicks).toBe("a: 50, b: 50, c: 51");
    expect(second.made.get("a")).toBe(first.made.get("a"));
    expect(second.made.get("b")).not.toBe(first.made.get("b"));
    await click(7, () => ({ clickedAtMs: DAY, linkId: links[0] }));
    await select("DELETE FROM links WHERE id = $1", [links[1]]);
    // The clicks of the deleted link are without a tag.
    expect((await tagged()).clicks).toBe(": 51, a: 57, b: 57");
  });
});
