/**
 * Compares days of workspaces: ClickHouse's rows, its distinct events and Postgres' rollups. Where all three are the same number
 * the day is sealed, with a fingerprint of its events; an answer is given from ClickHouse only while that is unchanged. A day that
 * is wrong again and again is copied again.
 */
import { sql } from "@hopline/db/sql";
import type { ClickHouse } from "../clickhouse-client.ts";
import { DAY_FINGERPRINT } from "../day-fingerprint.ts";
import type { CopyDeps } from "./copy-new-clicks.ts";

const MAX_WORKSPACES = 500;
/** A set of so many event ids fits into some hundred megabytes of ClickHouse's memory; more are counted part by part. */
const EVENTS_AT_ONCE = 10_000_000;
/** Clicks may still be on their way when a day is first compared. */
const WRONG_BEFORE_COPIED_AGAIN = 3;
const MAX_DELAY_SECONDS = 21_600;

/** The oldest day that is due, with its workspaces. Not a day that is being copied, nor one that has not ended. */
const DUE = sql`
  WITH due AS (
    SELECT unsealed.day, unsealed.workspace_id, unsealed.copies FROM clickhouse_days AS unsealed
    WHERE sealed_clicks IS NULL AND due_at <= now() AND day < (now() AT TIME ZONE 'UTC')::date AND NOT EXISTS (
      SELECT FROM clickhouse_day_copies AS copies WHERE copies.day = unsealed.day
        AND copies.workspace_id IN (unsealed.workspace_id, '00000000-0000-0000-0000-000000000000')
    )
    ORDER BY due_at LIMIT 10000
  ), chosen AS (
    SELECT due.* FROM due WHERE day = (SELECT min(day) FROM due) ORDER BY workspace_id LIMIT ${MAX_WORKSPACES}
  )
  SELECT day::text AS day, workspace_id::text AS workspace, copies::float8 AS copies, (
    SELECT COALESCE(sum(clicks), 0)::float8 FROM workspace_rollups AS rollup
    WHERE rollup.workspace_id = chosen.workspace_id AND bucket_start >= day::timestamp AT TIME ZONE 'UTC'
      AND bucket_start < (day + 1)::timestamp AT TIME ZONE 'UTC'
  ) AS clicks
  FROM chosen ORDER BY workspace_id`;

const seal = (day: string, { workspaces, copies, clicks, fingerprints }: Columns) => sql`
  UPDATE clickhouse_days AS kept SET sealed_clicks = counted.clicks, fingerprint = counted.fingerprint, attempts = 0,
    repairs = 0, counted_clicks = NULL, found_clicks = NULL, found_events = NULL
  FROM unnest(${workspaces}::uuid[], ${copies}::bigint[], ${clicks}::bigint[], ${fingerprints}::numeric[])
    AS counted (workspace_id, copies, clicks, fingerprint)
  WHERE kept.day = ${day}::date AND kept.workspace_id = counted.workspace_id AND kept.copies = counted.copies`;

/** The next comparison waits twice as long each time. A day that was copied again is given one more comparison each time. */
const noteWrong = (day: string, { workspaces, copies, clicks, found, events }: Columns) => sql`
  WITH counted AS (
    SELECT counted.*, kept.attempts + 1 >= ${WRONG_BEFORE_COPIED_AGAIN} + kept.repairs AS is_repaired
    FROM unnest(${workspaces}::uuid[], ${copies}::bigint[], ${clicks}::bigint[], ${found}::bigint[], ${events}::bigint[])
      AS counted (workspace_id, copies, clicks, found, events)
    JOIN clickhouse_days AS kept ON kept.day = ${day}::date AND kept.workspace_id = counted.workspace_id
      AND kept.copies = counted.copies
  ), wrong AS (
    UPDATE clickhouse_days AS kept SET attempts = kept.attempts + 1, repairs = kept.repairs + is_repaired::int,
      counted_clicks = counted.clicks, found_clicks = counted.found, found_events = counted.events,
      due_at = now() + LEAST(${MAX_DELAY_SECONDS}, 60 * power(2, LEAST(kept.attempts, 20))) * interval '1 second'
    FROM counted WHERE kept.day = ${day}::date AND kept.workspace_id = counted.workspace_id
    RETURNING kept.day, kept.workspace_id, is_repaired
  )
  INSERT INTO clickhouse_day_copies (day, workspace_id, before_xid)
  SELECT day, workspace_id, next_xid FROM wrong, clickhouse_copy WHERE is_repaired
  ON CONFLICT DO NOTHING`;

type Counted = {
  readonly workspace: string;
  readonly copies: number;
  /** By the rollups. */
  readonly clicks: number;
};

type Found = { readonly clicks: number; readonly events: number; readonly fingerprint: string };

const NOTHING: Found = { clicks: 0, events: 0, fingerprint: "0" };

export type SealReport = { readonly sealed: number; readonly wrong: number };

/** Compares workspaces of one day. `null`: nothing is due. Rejects as `RunSql` and `ClickHouse` do. */
export async function sealDays(deps: CopyDeps): Promise<SealReport | null> {
  const { runSql, clickHouse, timeoutMs } = deps;
  const rows = await runSql(DUE, timeoutMs);
  const day = rows[0]?.["day"];
  if (typeof day !== "string") {
    return null;
  }
  const due = rows.map(({ workspace, copies, clicks }): Counted => {
    return { workspace: String(workspace), copies: Number(copies), clicks: Number(clicks) };
  });
  const found = await countDay(clickHouse, day, due, timeoutMs);
  const pairs = due.map((counted) => ({ ...counted, found: found.get(counted.workspace) ?? NOTHING }));
  const right = pairs.filter((pair) => isRight(pair));
  const wrong = pairs.filter((pair) => !isRight(pair));
  if (right.length > 0) {
    await runSql(seal(day, toColumns(right)), timeoutMs);
  }
  if (wrong.length > 0) {
    await runSql(noteWrong(day, toColumns(wrong)), timeoutMs);
  }
  return { sealed: right.length, wrong: wrong.length };
}

type Columns = ReturnType<typeof toColumns>;

function toColumns(pairs: readonly (Counted & { readonly found: Found })[]) {
  return {
    workspaces: pairs.map(({ workspace }) => workspace),
    copies: pairs.map(({ copies }) => copies),
    clicks: pairs.map(({ clicks }) => clicks),
    found: pairs.map(({ found }) => found.clicks),
    events: pairs.map(({ found }) => found.events),
    fingerprints: pairs.map(({ found }) => found.fingerprint),
  };
}

function isRight({ clicks, found }: Counted & { readonly found: Found }): boolean {
  return found.clicks === clicks && found.events === clicks;
}

/** By workspace. A day that changes while it is counted part by part comes out as wrong. */
async function countDay(
  clickHouse: ClickHouse,
  day: string,
  due: readonly Counted[],
  timeoutMs: number,
): Promise<ReadonlyMap<string, Found>> {
  const workspaces = due.map(({ workspace }) => workspace);
  const total = due.reduce((sum, { clicks }) => sum + clicks, 0);
  const parts = Math.max(1, Math.ceil(total / EVENTS_AT_ONCE));
  const found = new Map<string, Found>();
  for (let part = 0; part < parts; part += 1) {
    const rows = await clickHouse.select(COUNT_PART, { workspaces, day, part, parts }, timeoutMs);
    for (const { workspace, clicks, events, fingerprint } of rows) {
      const before = found.get(String(workspace)) ?? NOTHING;
      found.set(String(workspace), {
        clicks: before.clicks + Number(clicks),
        events: before.events + Number(events),
        fingerprint: addFingerprints(before.fingerprint, String(fingerprint)),
      });
    }
  }
  return found;
}

const COUNT_PART = `
  SELECT workspace_id AS workspace, count() AS clicks, uniqExact(event_id) AS events, toString(${DAY_FINGERPRINT}) AS fingerprint
  FROM clicks
  WHERE workspace_id IN {workspaces:Array(UUID)} AND toDate(quarter) = {day:Date}
    AND ({parts:UInt32} = 1 OR cityHash64(event_id) % {parts:UInt32} = {part:UInt32})
  GROUP BY workspace_id`;

/** As ClickHouse adds up UInt64. */
function addFingerprints(one: string, other: string): string {
  return String(BigInt.asUintN(64, BigInt(one) + BigInt(other)));
}
