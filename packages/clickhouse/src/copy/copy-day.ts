/**
 * Makes a UTC day in ClickHouse what it is in Postgres, and seals it. Quarters of an hour are counted in both stores; where they
 * differ, the quarter is emptied in ClickHouse and copied from Postgres. So whatever went wrong before, a copy that was cut off,
 * done twice or half lost, is one case, and nothing has to be remembered of it.
 *
 * A day of a workspace is sealed when ClickHouse's rows, its distinct events and Postgres' rollups are the same number, with a
 * fingerprint of its events; an answer is given from ClickHouse only while that is unchanged.
 */
import { isInDay } from "@hopline/db/ledger/utc-day";
import type { RunSql } from "@hopline/db/neon-client";
import { sql } from "@hopline/db/sql";
import type { ClickHouse, ClickHouseRow } from "../clickhouse-client.ts";
import { DAY_FINGERPRINT } from "../day-fingerprint.ts";
import { removeQuarters } from "../remove-clicks.ts";
import { insertSlice, type Position, readSlice, type Slice, SLICE_ROWS } from "./click-slice.ts";
import { group, planCopy, type Quarter, QUARTER_S, toSpans } from "./plan-copy.ts";

export type CopyDeps = {
  readonly runSql: RunSql;
  readonly clickHouse: ClickHouse;
  /** Of one statement on either side. */
  readonly timeoutMs: number;
  readonly nowMs: () => number;
};

export type CopyReport = {
  /** Days of workspaces. */
  readonly sealed: number;
  /** Those that are not alike in both stores, after they were copied. */
  readonly wrong: number;
  /** Whether there was more to do when the time was up. */
  readonly isBehind: boolean;
};

const WORKSPACES_AT_ONCE = 500;
/** A set of so many event ids takes some hundred megabytes of ClickHouse's memory. */
const EVENTS_AT_ONCE = 10_000_000;
/** Less than every id. */
export const NO_WORKSPACE = "00000000-0000-0000-0000-000000000000";

/** @param day `2026-11-22`, over. Rejects as `RunSql` and `ClickHouse` do; what was copied by then stays. */
export async function copyDay(day: string, endsAtMs: number, deps: CopyDeps): Promise<CopyReport> {
  let [sealed, wrong, after] = [0, 0, NO_WORKSPACE];
  for (;;) {
    const unsealed = await findUnsealed(day, after, deps);
    const before = await compare(day, unsealed, deps);
    const isInTime = await copyQuarters(day, before.different, { ...deps, endsAtMs });
    const again = unsealed.filter(({ workspaceId }) => !before.fingerprints.has(workspaceId));
    const { fingerprints } = isInTime ? await compare(day, again, deps) : before;
    const right = new Map([...before.fingerprints, ...fingerprints]);
    await seal(day, unsealed, right, deps);
    sealed += right.size;
    wrong += isInTime ? unsealed.length - right.size : 0;
    after = unsealed.at(-1)?.workspaceId ?? after;
    const isLast = unsealed.length < WORKSPACES_AT_ONCE;
    if (!isInTime || isLast) {
      return { sealed, wrong, isBehind: !isInTime };
    }
  }
}

type Unsealed = {
  readonly workspaceId: string;
  /** Grows whenever the day is marked: it is sealed only as it was compared. */
  readonly copies: number;
  /** Clicks by the rollups, by the epoch second at which their quarter of an hour begins. */
  readonly quarters: ReadonlyMap<number, number>;
};

async function findUnsealed(
  day: string,
  after: string,
  { runSql, timeoutMs }: CopyDeps,
): Promise<readonly Unsealed[]> {
  const rows = await runSql(
    sql`
    SELECT workspace_id::text AS workspace, copies::float8 AS copies, (
      SELECT json_object_agg(start, clicks) FROM (
        SELECT extract(epoch FROM bucket_start)::bigint AS start, sum(clicks) AS clicks FROM workspace_rollups AS rollup
        WHERE rollup.workspace_id = kept.workspace_id AND ${isInDay(sql`bucket_start`, day)}
        GROUP BY 1 HAVING sum(clicks) > 0
      ) AS counted
    ) AS quarters
    FROM clickhouse_days AS kept
    WHERE day = ${day}::date AND sealed_clicks IS NULL AND workspace_id > ${after}::uuid
    ORDER BY workspace_id LIMIT ${WORKSPACES_AT_ONCE}`,
    timeoutMs,
  );
  return rows.map(({ workspace, copies, quarters }) => ({
    workspaceId: String(workspace),
    copies: Number(copies),
    quarters: new Map(
      Object.entries(quarters ?? {}).map(([startS, clicks]) => [Number(startS), Number(clicks)]),
    ),
  }));
}

type Comparison = {
  /** Of workspaces whose day is the same in both stores. */
  readonly fingerprints: ReadonlyMap<string, bigint>;
  /** One workspace after the other, each by time. */
  readonly different: readonly Quarter[];
};

/** Events are only told apart once there are as many as there should be: that takes ClickHouse far longer than to count them. */
async function compare(day: string, unsealed: readonly Unsealed[], deps: CopyDeps): Promise<Comparison> {
  const startS = Date.parse(day) / 1_000;
  const starts = Array.from({ length: 96 }, (_, quarter) => startS + quarter * QUARTER_S);
  const ids = unsealed.map(({ workspaceId }) => workspaceId);
  const rows = await readQuarters({ workspaces: ids, starts, columns: "count() AS found" }, deps);
  const counted = unsealed.flatMap(({ workspaceId, quarters }) =>
    starts.map((start) => ({
      workspaceId,
      startS: start,
      clicks: quarters.get(start) ?? 0,
      found: Number(rows.get(`${workspaceId}/${start}`)?.["found"] ?? 0),
    })),
  );
  const missing = counted.filter(({ clicks, found }) => clicks !== found);
  const isMissing = new Set(missing.map(({ workspaceId }) => workspaceId));
  const sums = new Map(ids.filter((id) => !isMissing.has(id)).map((id) => [id, 0n]));
  const repeated: Quarter[] = [];
  const whole = counted.filter(({ workspaceId, clicks }) => clicks > 0 && sums.has(workspaceId));
  for (const quarters of group(whole, EVENTS_AT_ONCE)) {
    const workspaces = [...new Set(quarters.map(({ workspaceId }) => workspaceId))];
    const ofGroup = [...new Set(quarters.map((quarter) => quarter.startS))];
    const found = await readQuarters({ workspaces, starts: ofGroup, columns: EVENTS }, deps);
    for (const quarter of quarters) {
      const {
        found: count,
        events,
        fingerprint,
      } = found.get(`${quarter.workspaceId}/${quarter.startS}`) ?? {};
      if (Number(count) !== quarter.clicks || Number(events) !== quarter.clicks) {
        repeated.push(quarter);
      } else {
        const sum = (sums.get(quarter.workspaceId) ?? 0n) + BigInt(String(fingerprint));
        // As ClickHouse adds up UInt64.
        sums.set(quarter.workspaceId, BigInt.asUintN(64, sum));
      }
    }
  }
  repeated.forEach(({ workspaceId }) => sums.delete(workspaceId));
  return { fingerprints: sums, different: [...missing, ...repeated] };
}

const EVENTS = `count() AS found, uniqExact(event_id) AS events, toString(${DAY_FINGERPRINT}) AS fingerprint`;

type WantedQuarters = {
  readonly workspaces: readonly string[];
  /** Epoch seconds. */
  readonly starts: readonly number[];
  /** Of each quarter of an hour. */
  readonly columns: string;
};

/** By `workspace/start`. Quarters without a click are missing. */
async function readQuarters(
  { workspaces, starts, columns }: WantedQuarters,
  { clickHouse, timeoutMs }: CopyDeps,
): Promise<ReadonlyMap<string, ClickHouseRow>> {
  const rows = await clickHouse.select(
    `SELECT concat(toString(workspace_id), '/', toString(toUnixTimestamp(quarter))) AS key, ${columns} FROM clicks
     WHERE workspace_id IN {workspaces:Array(UUID)} AND quarter IN {starts:Array(UInt32)} GROUP BY workspace_id, quarter`,
    { workspaces, starts },
    timeoutMs,
  );
  return new Map(rows.map((row) => [String(row["key"]), row]));
}

/** Resolves to `false` if the time ran out. */
async function copyQuarters(
  day: string,
  different: readonly Quarter[],
  deps: CopyDeps & { readonly endsAtMs: number },
): Promise<boolean> {
  const { clickHouse, timeoutMs, nowMs, endsAtMs } = deps;
  const { empty, copy } = planCopy(different, await countKept(day, different, deps));
  if (empty.length > 0) {
    await removeQuarters(clickHouse, empty, timeoutMs);
  }
  const slices = readSlices(day, copy, deps);
  let { value: slice } = await slices.next();
  while (slice !== undefined) {
    // The next slice is read while this one is inserted.
    const [following] = await Promise.all([slices.next(), insertSlice(clickHouse, slice, timeoutMs)]);
    slice = following.value;
  }
  return nowMs() < endsAtMs;
}

/** To the end of a group of quarters once the time is up: half a quarter would be emptied again. */
async function* readSlices(
  day: string,
  quarters: readonly Quarter[],
  { runSql, timeoutMs, nowMs, endsAtMs }: CopyDeps & { readonly endsAtMs: number },
): AsyncGenerator<Slice, undefined> {
  for (const spans of group(quarters, SLICE_ROWS).map(toSpans)) {
    if (nowMs() >= endsAtMs) {
      return;
    }
    let after: Position | null = null;
    do {
      const slice: Slice = await readSlice(runSql, { day, spans, after }, timeoutMs);
      yield slice;
      after = slice.end;
    } while (after !== null);
  }
}

/** How many clicks Postgres still has, of each quarter. Only where ClickHouse has some: nothing depends on it elsewhere. */
async function countKept(
  day: string,
  quarters: readonly Quarter[],
  { runSql, timeoutMs }: CopyDeps,
): Promise<readonly (number | null)[]> {
  if (quarters.every(({ found }) => found === 0)) {
    return quarters.map(({ clicks }) => clicks);
  }
  const rows = await runSql(
    sql`
    SELECT CASE WHEN NOT ${IS_REMOVING} THEN (
      SELECT count(*) FROM click_events AS event WHERE event.workspace_id = quarter.workspace_id
        AND ${isInDay(sql`clicked_at`, day)}
        AND clicked_at >= to_timestamp(start_s) AND clicked_at < to_timestamp(start_s + 900)
    )::float8 END AS clicks
    FROM unnest(${quarters.map(({ workspaceId }) => workspaceId)}::uuid[], ${quarters.map(({ startS }) => startS)}::float8[])
      WITH ORDINALITY AS quarter (workspace_id, start_s, number)
    ORDER BY number`,
    timeoutMs,
  );
  return rows.map(({ clicks }) => (clicks === null ? null : Number(clicks)));
}

/** Retention, for its part, checks whether a day is being copied (packages/db/src/ledger/drop-old-clicks.ts). */
const IS_REMOVING = sql`EXISTS (SELECT FROM work WHERE kind = 'retention' AND lease IS NOT NULL AND due_at > now())`;

async function seal(
  day: string,
  unsealed: readonly Unsealed[],
  fingerprints: ReadonlyMap<string, bigint>,
  { runSql, timeoutMs }: CopyDeps,
): Promise<void> {
  const right = unsealed.filter(({ workspaceId }) => fingerprints.has(workspaceId));
  if (right.length === 0) {
    return;
  }
  const clicksOf = ({ quarters }: Unsealed) =>
    [...quarters.values()].reduce((sum, clicks) => sum + clicks, 0);
  await runSql(
    sql`
    UPDATE clickhouse_days AS kept SET sealed_clicks = counted.clicks, fingerprint = counted.fingerprint
    FROM unnest(
      ${right.map(({ workspaceId }) => workspaceId)}::uuid[], ${right.map(({ copies }) => copies)}::bigint[],
      ${right.map(clicksOf)}::bigint[], ${right.map(({ workspaceId }) => String(fingerprints.get(workspaceId)))}::numeric[]
    ) AS counted (workspace_id, copies, clicks, fingerprint)
    WHERE kept.day = ${day}::date AND kept.workspace_id = counted.workspace_id AND kept.copies = counted.copies`,
    timeoutMs,
  );
}
