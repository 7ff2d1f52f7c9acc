/** The statements on the table of leased work, over the real endpoint. */
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { type Sql, sql, toStatement } from "../../src/sql.ts";
import { claimWork } from "../../src/work/claim-work.ts";
import { enqueueMissingWork, enqueueWork, type NewWork } from "../../src/work/enqueue-work.ts";
import { FIND_BACKLOG, MAX_WAITING } from "../../src/work/find-backlog.ts";
import { releaseWork, settleWork, type WorkOutcome } from "../../src/work/settle-work.ts";
import { type Lease, toWorkItem, type WorkItem } from "../../src/work/work-item.ts";
import { runWorkTransaction } from "../../src/work/work-transaction.ts";
import { TIMEOUT_MS, useDbStage } from "../db-stage.ts";
import { untilWaitingForLock } from "../lock-waits.ts";

const { connect, select, runAs, runTransactionAs } = useDbStage();
const runTransaction = runTransactionAs("hopline_api");
const DONE: WorkOutcome = { outcome: "done" };
const FAILED: WorkOutcome = { outcome: "failed", error: "TypeError", maxDelaySeconds: 60 };

beforeEach(() => select("TRUNCATE work"));

describe("enqueued work", () => {
  it("is claimed oldest first, up to the limit of its kind, and not before it is due", async () => {
    await enqueue(...["c", "a", "b"].map((key) => ({ kind: "publish", key })));
    await enqueue({ kind: "publish", key: "later", dueInSeconds: 60 }, { kind: "other", key: "other" });
    await age("b", 30);
    await age("c", 20);
    expect((await claim(aLease(), 2)).map(({ key }) => key).toSorted()).toEqual(["b", "c"]);
    expect((await claim(aLease(), 2)).map(({ key }) => key)).toEqual(["a"]);
    expect(await claim(aLease(), 2)).toEqual([]);
  });

  it("is claimed and settled without reading what else waits, however much that is", async () => {
    await select(`INSERT INTO work (kind, key, payload)
      SELECT 'publish', 'key-' || n, jsonb_build_object('record', repeat('x', 150)) FROM generate_series(1, 50000) AS n`);
    await select("ANALYZE work");
    const lease = aLease();
    const wanted = { kind: "publish", limit: 50, leaseSeconds: lease.seconds };
    const settlement = { ...DONE, kind: "publish", key: "key-1", revision: 1, leaseSeconds: lease.seconds };
    for (const statement of [
      claimWork(lease.id, [wanted]),
      ...settleWork(lease.id, [settlement]),
      releaseWork(lease.id, []),
    ]) {
      const { text, parameters } = toStatement(statement);
      const plan = JSON.stringify(await select(`EXPLAIN ${text}`, parameters));
      expect(plan).toContain("work");
      expect(plan).not.toContain("Seq Scan on work");
    }
  });

  it("is committed with its transaction or not at all", async () => {
    const refused = sql`SELECT 1 / 0`;
    await expect(run(enqueueWork([{ kind: "publish", key: "a" }]), refused)).rejects.toMatchObject({
      code: "22012",
    });
    expect(await stored()).toEqual([]);
  });

  it("carries its payload, and a newer one replaces it", async () => {
    await enqueue({ kind: "publish", key: "a", payload: { version: 1, record: 'with "quotes"' } });
    await enqueue({ kind: "publish", key: "a", payload: { version: 2 } });
    expect(await claim()).toEqual([
      { kind: "publish", key: "a", payload: { version: 2 }, revision: 2, attempts: 1 },
    ]);
  });

  it("that a clock enqueues again stays as it is: a failing job keeps waiting", async () => {
    await enqueue({ kind: "publish", key: "a" });
    const lease = aLease();
    const [item] = await claim(lease);
    await settle(lease, item, FAILED);
    await run(enqueueMissingWork([{ kind: "publish", key: "a" }]));
    expect(await stored()).toMatchObject([{ revision: "1", attempts: 1, last_error: "TypeError" }]);
    expect(await claim()).toEqual([]);
  });
});

describe("a lease", () => {
  it("two runners never hold the same item", async () => {
    await enqueue(...Array.from({ length: 300 }, (_, index) => ({ kind: "publish", key: `${index}` })));
    const claims = await Promise.all(Array.from({ length: 12 }, () => claim(aLease(), 50)));
    const keys = claims.flat().map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    const left = await claim(aLease(), 300);
    expect(keys.length + left.length).toBe(300);
  });

  it("of a dead runner runs out, and another one does its work; the dead one can't settle it any more", async () => {
    await enqueue({ kind: "publish", key: "a" });
    const dead = aLease();
    const [lost] = await claim(dead);
    expect(await claim()).toEqual([]);
    await age("a", 31);
    const [again] = await claim();
    expect(again).toMatchObject({ key: "a", attempts: 2 });
    expect(await settle(dead, lost, DONE)).toEqual([]);
    expect(await settle(dead, lost, FAILED)).toEqual([]);
    expect(await stored()).toMatchObject([{ key: "a", attempts: 2, last_error: null }]);
  });

  it("that is given back frees the item at once and counts no attempt", async () => {
    await enqueue({ kind: "publish", key: "a" });
    const lease = aLease();
    await run(releaseWork(lease.id, await claim(lease)));
    expect(await claim()).toMatchObject([{ key: "a", attempts: 1 }]);
  });
});

describe("settling", () => {
  it("deletes what is done", async () => {
    await enqueue({ kind: "publish", key: "a" });
    const lease = aLease();
    const [item] = await claim(lease);
    expect(await settle(lease, item, DONE)).toEqual([]);
    expect(await stored()).toEqual([]);
  });

  it("an older revision leaves the newer one to its holder, who gets it back with the lease", async () => {
    await enqueue({ kind: "publish", key: "a", payload: { version: 1 } });
    const lease = aLease();
    const [older] = await claim(lease);
    await enqueue({ kind: "publish", key: "a", payload: { version: 2 } });
    expect(await claim()).toEqual([]);
    const [newer] = await settle(lease, older, DONE);
    expect(newer).toMatchObject({ key: "a", payload: { version: 2 }, revision: 2 });
    expect(await claim()).toEqual([]);
    expect(await settle(lease, newer, DONE)).toEqual([]);
    expect(await stored()).toEqual([]);
  });

  it("sees a revision that is committed while it waits for the row", async () => {
    await enqueue({ kind: "publish", key: "a" });
    const lease = aLease();
    const [older] = await claim(lease);
    const other = await connect();
    await other.query("BEGIN; UPDATE work SET revision = 2");
    const settled = settle(lease, older, DONE);
    await untilWaitingForLock(other);
    await other.query("COMMIT");
    other.release();
    expect(await settled).toMatchObject([{ key: "a", revision: 2 }]);
  });

  it("a failed item backs off: 2 s, 4 s, 8 s and so on up to its limit, and a new revision starts over", async () => {
    await enqueue({ kind: "publish", key: "a" });
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      await select("UPDATE work SET due_at = now() - interval '1 hour'");
      const lease = aLease();
      const [item] = await claim(lease);
      await settle(lease, item, FAILED);
      const [row] = await select("SELECT extract(epoch FROM due_at - now())::float8 AS seconds FROM work");
      delays.push(Math.ceil(Number(row?.["seconds"])));
    }
    expect(delays).toEqual([2, 4, 8, 16, 32, 60, 60]);
    await enqueue({ kind: "publish", key: "a" });
    expect(await claim()).toMatchObject([{ revision: 2, attempts: 1 }]);
  });

  it("sets a new time for what is to be done again, with the change to its payload", async () => {
    await enqueue({ kind: "publish", key: "a", payload: { version: 2, record: "r" } });
    const lease = aLease();
    const [item] = await claim(lease);
    await settle(lease, item, { outcome: "again", inSeconds: 120, change: { isPublished: true } });
    expect(await claim()).toEqual([]);
    await age("a", 121);
    expect(await claim()).toMatchObject([
      { payload: { version: 2, record: "r", isPublished: true }, revision: 1, attempts: 1 },
    ]);
  });

  it("waits for a lock for four seconds at most, and then the server has ended the statement", async () => {
    await enqueue({ kind: "publish", key: "a" });
    const lease = aLease();
    const [item] = await claim(lease);
    await select("BEGIN");
    await select("UPDATE work SET revision = 2");
    await expect(settle(lease, item, DONE)).rejects.toMatchObject({ code: "57014" });
    await select("ROLLBACK");
  });
});

it("the backlog says what waits, for how long, and why", async () => {
  await enqueue(...["a", "b", "c", "d"].map((key) => ({ kind: "publish", key })));
  await enqueue({ kind: "domain-check", key: "a", dueInSeconds: 3_600 });
  await select("UPDATE work SET wanted_at = now() - interval '90 seconds' WHERE key = 'd'");
  const lease = aLease();
  const errors = ["TypeError", "TimeoutError", "TimeoutError"];
  for (const [index, item] of (await claim(lease, 3)).entries()) {
    await settle(lease, item, { ...FAILED, error: errors[index] ?? "" });
  }
  const found = await runAs("hopline_reader")(FIND_BACKLOG, TIMEOUT_MS);
  expect(
    found.map(({ oldestSeconds, ...rest }) => ({ ...rest, oldest: Math.floor(Number(oldestSeconds) / 10) })),
  ).toEqual([
    { kind: "domain-check", waiting: 0, failing: 0, lastError: null, oldest: 0 },
    { kind: "publish", waiting: 4, failing: 3, lastError: "TimeoutError", oldest: 9 },
  ]);
});

it("the backlog is counted no further than it has to be, and neither it nor a host's release reads all work", async () => {
  await select(
    `INSERT INTO work (kind, key) SELECT 'publish', 'h' || n % 50 || '.example/s' || n FROM generate_series(1, ${MAX_WAITING + 1}) AS n`,
  );
  const backlog = toStatement(FIND_BACKLOG);
  const [found] = await select(backlog.text, backlog.parameters);
  expect(found).toMatchObject({ kind: "publish", waiting: MAX_WAITING });
  const isUnpublished = `SELECT EXISTS (SELECT FROM work WHERE kind = 'publish' AND split_part(key, '/', 1) = host
    AND payload ->> 'isPublished' IS NULL) FROM domains`;
  await select("ANALYZE work");
  for (const [{ text, parameters }, index] of [
    [{ text: isUnpublished, parameters: [] }, "work_unpublished_by_host"],
    [backlog, "work_by_wanted"],
    [backlog, "work_failing"],
  ] as const) {
    const plan = JSON.stringify(await select(`EXPLAIN ${text}`, parameters));
    expect(plan).toContain(index);
  }
});

it("the consumer's role may do all of it for its own kinds, the producer's nothing, and the reader's sees no payload", async () => {
  const asConsumer = runTransactionAs("hopline_consumer");
  const lease = aLease();
  const wanted = { kind: "spill", limit: 1, leaseSeconds: 30 };
  await runWorkTransaction(asConsumer, [enqueueWork([{ kind: "spill", key: "all" }])]);
  const [rows] = await runWorkTransaction(asConsumer, [claimWork(lease.id, [wanted])]);
  const [item] = (rows ?? []).map(toWorkItem);
  expect(item).toMatchObject({ kind: "spill", attempts: 1 });
  const settlement = { kind: "spill", key: "all", revision: 1, leaseSeconds: 30, ...DONE };
  await runWorkTransaction(asConsumer, settleWork(lease.id, [settlement]));
  expect(await stored()).toEqual([]);
  for (const role of ["hopline_producer", "hopline_reader"] as const) {
    await expect(runAs(role)(sql`SELECT payload FROM work`, TIMEOUT_MS)).rejects.toMatchObject({
      code: "42501",
    });
  }
});

function aLease(): Lease {
  return { id: randomUUID(), seconds: 30 };
}

async function run(...statements: readonly Sql[]) {
  return runWorkTransaction(runTransaction, statements);
}

async function enqueue(...items: readonly NewWork[]): Promise<void> {
  await run(enqueueWork(items));
}

/** Of the kind `publish`. */
async function claim({ id, seconds }: Lease = aLease(), limit = 10): Promise<readonly WorkItem[]> {
  const [claimed] = await run(claimWork(id, [{ kind: "publish", limit, leaseSeconds: seconds }]));
  return (claimed ?? []).map(toWorkItem);
}

async function settle(lease: Lease, item: WorkItem | undefined, outcome: WorkOutcome) {
  const { kind, key, revision } = item ?? { kind: "", key: "", revision: 0 };
  const results = await run(
    ...settleWork(lease.id, [{ kind, key, revision, leaseSeconds: lease.seconds, ...outcome }]),
  );
  return (results.at(-1) ?? []).map(toWorkItem);
}

async function age(key: string, seconds: number): Promise<void> {
  await select("UPDATE work SET due_at = due_at - $2::float8 * interval '1 second' WHERE key = $1", [
    key,
    seconds,
  ]);
}

function stored() {
  return select("SELECT * FROM work ORDER BY kind, key");
}
