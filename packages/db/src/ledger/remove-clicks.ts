/**
 * Removes the clicks of a link, a domain or a workspace that was deleted together with its clicks, a slice at a time.
 *
 * The row of a click stays: it keeps a repeated delivery from counting twice, and the ledger counts it. But it only says when,
 * and of which class; no link, no workspace, no visitor. Its rollups move to NO_LINK, so events, rollups and ledger add up
 * before and after each slice. What analytics have pre-aggregated of its day is dropped, and made again without it.
 *
 * What is left to do is read from the rollups, so this may be cut off anywhere, and run twice. The links' rows are deleted
 * before it starts: a click that arrives later belongs to no workspace.
 */
import type { RunTransaction, SqlRow, SqlStatement } from "../neon-client.ts";

/** Of one workspace: those of a link, of a domain, or all. */
export type RemovedClicks = {
  readonly workspaceId: string;
  readonly linkId?: string;
  readonly domainId?: string;
};

export type RemoveOptions = {
  /** A UUID. Days are leased while they are changed, so that nobody pre-aggregates them meanwhile. */
  readonly leaseId: string;
  /** Of each transaction. */
  readonly timeoutMs: number;
  /** Milliseconds of any monotonic clock; no slice starts after it. */
  readonly endsAtMs: number;
  readonly nowMs: () => number;
  /** `2026-11-22`: the days before it are done. */
  readonly fromDay: string | null;
  readonly sliceClicks?: number;
};

/** `waiting`: a day is being pre-aggregated. `unfinished`: the time is up. */
export type Removal =
  | { readonly outcome: "done" }
  | { readonly outcome: "waiting" | "unfinished"; readonly fromDay: string | null };

const SLICE_CLICKS = 5_000;

/** Rejects as `RunTransaction` does; the slices before stay removed. */
export async function removeClicks(
  runTransaction: RunTransaction,
  removed: RemovedClicks,
  options: RemoveOptions,
): Promise<Removal> {
  const { leaseId, timeoutMs, endsAtMs, nowMs, sliceClicks = SLICE_CLICKS } = options;
  const run = toRun(runTransaction, removed, timeoutMs);
  const isOver = () => nowMs() >= endsAtMs;
  const isOfWorkspace = removed.linkId === undefined && removed.domainId === undefined;
  let { fromDay } = options;
  while (!isOver()) {
    const [first] = await run(findDay(removed), [fromDay]);
    const day = first?.["day"];
    if (typeof day !== "string") {
      await run(isOfWorkspace ? DROP_COPIED_DAYS : DROP_LINK_CELLS);
      return { outcome: "done" };
    }
    fromDay = day;
    const leaseMs = endsAtMs - nowMs() + 3 * timeoutMs;
    if ((await run(LEASE_DAY, [day, leaseId, leaseMs])).length === 0) {
      return { outcome: "waiting", fromDay };
    }
    for (const text of DROP_DAY) {
      await run(text, [day, isOfWorkspace]);
    }
    let isLeft = true;
    while (isLeft && !isOver()) {
      const [slice] = await run(disownEvents(removed), [day, isOfWorkspace, sliceClicks]);
      isLeft = Number(slice?.["clicks"]) > 0;
    }
    if (!isLeft) {
      await run(disownRollups(removed), [day, isOfWorkspace]);
    }
    for (const text of [dropEmptyRollups(removed), DROP_EMPTY_WORKSPACE_ROLLUPS]) {
      await run(text, [day]);
    }
    await run(RELEASE_DAY, [day, leaseId]);
  }
  return { outcome: "unfinished", fromDay };
}

type Run = (text: string, parameters?: readonly unknown[]) => Promise<readonly SqlRow[]>;

/** Statements get `$1`, the workspace, `$2`, the link or domain, and the parameters of the call from `$3` on. */
function toRun(
  runTransaction: RunTransaction,
  { workspaceId, linkId, domainId }: RemovedClicks,
  timeoutMs: number,
): Run {
  const owner = [workspaceId, linkId ?? domainId ?? null];
  return async (text, parameters = []) => {
    const statement = { text: `${OWNER}${text}`, parameters: [...owner, ...parameters] };
    return (await runTransaction([settings(timeoutMs), statement], timeoutMs)).at(-1) ?? [];
  };
}

/** TimescaleDB changes compressed chunks up to a limit, where it has that setting. A day of clicks may be more. */
function settings(timeoutMs: number): SqlStatement {
  const text = `
    SELECT set_config('statement_timeout', $1::text, true)
    UNION ALL
    SELECT set_config(name, '0', true) FROM pg_settings WHERE name = 'timescaledb.max_tuples_decompressed_per_dml_transaction'`;
  return { text, parameters: [String(timeoutMs)] };
}

/** So that each statement knows the types of the first two parameters, used or not. */
const OWNER = "WITH owner AS (SELECT $1::uuid AS workspace, $2::uuid AS part)";

function isRemoved({ linkId, domainId }: RemovedClicks): string {
  if (linkId !== undefined) {
    return "link_id = $2::uuid";
  }
  return `workspace_id = $1::uuid${domainId === undefined ? "" : " AND domain_id = $2::uuid"}`;
}

const STARTS_AT = "($3::date::timestamp AT TIME ZONE 'UTC')";
const ENDS_AT = "(($3::date + 1)::timestamp AT TIME ZONE 'UTC')";
const IN_DAY = (column: string) => `${column} >= ${STARTS_AT} AND ${column} < ${ENDS_AT}`;
const DAY_KEY = "kind = 'summary' AND key = $1::uuid::text || '/' || $3::date::text";

/** The first day that has clicks. */
function findDay(removed: RemovedClicks): string {
  return `
  SELECT (min(bucket_start) AT TIME ZONE 'UTC')::date::text AS day FROM click_rollups
  WHERE ${isRemoved(removed)} AND clicks > 0
    AND ($3::date IS NULL OR bucket_start >= ${STARTS_AT})`;
}

/** As whoever pre-aggregates it would (packages/analytics/src/cube/day-work.ts). No row: somebody does. */
const LEASE_DAY = `
  INSERT INTO work AS kept (kind, key, lease, due_at)
  VALUES ('summary', $1::uuid::text || '/' || $3::date::text, $4::uuid, now() + $5::float8 * interval '1 millisecond')
  ON CONFLICT (kind, key) DO UPDATE SET lease = excluded.lease, due_at = excluded.due_at, revision = kept.revision + 1
  WHERE kept.lease IS NULL OR kept.due_at <= now()
  RETURNING 1`;

/** It is made again a little later: whoever deletes one link may delete a hundred. */
const RELEASE_DAY = `
  UPDATE work SET lease = NULL, due_at = made_at, wanted_at = made_at
  FROM (SELECT greatest(now() + interval '5 minutes', ${ENDS_AT} + interval '10 minutes') AS made_at) AS time
  WHERE ${DAY_KEY} AND lease = $4::uuid`;

/**
 * Whether the workspace's numbers of the day lose these clicks. Not where retention has removed the single clicks: without them the
 * day's breakdowns could not be made again for all other links. ClickHouse may have them all the same. `$4`: nobody is left to ask.
 */
const IS_SUBTRACTED = `
  ($4::boolean OR NOT EXISTS (SELECT FROM event_retention WHERE kept_from > ${STARTS_AT})
    OR EXISTS (SELECT FROM clickhouse_days WHERE workspace_id = $1::uuid AND day = $3::date))`;

/** Before the clicks: with fewer of them and as many late ones, a day that was made of others would count as current. */
const DROP_DAY: readonly string[] = ["cube_days", "cube_visitors", "click_cube"].map(
  (table) => `DELETE FROM ${table} WHERE workspace_id = $1::uuid AND day = ${STARTS_AT} AND ${IS_SUBTRACTED}`,
);

/** The link of clicks that were removed. */
const NO_LINK = "'00000000-0000-0000-0000-000000000000'::uuid";

/** Only a function of the tables' owner may change a click: migrations/0031. */
function disownEvents(removed: RemovedClicks): string {
  const link = removed.linkId === undefined ? "NULL" : "$2::uuid";
  return disown(`
    picked AS MATERIALIZED (
      SELECT clicked_at, event_id, link_id, workspace_id, domain_id, class FROM click_events
      WHERE ${isRemoved(removed)} AND ${IN_DAY("clicked_at")}
      ORDER BY clicked_at LIMIT $5::integer
    ), disowned AS (
      SELECT picked.* FROM forget_clicks(ARRAY(SELECT clicked_at FROM picked), ARRAY(SELECT event_id FROM picked), ${link})
      JOIN picked ON clicked_at = forgotten_at AND event_id = forgotten_event
    ), counted AS (
      SELECT link_id, date_bin('15 minutes', clicked_at, 'epoch') AS bucket_start, class, workspace_id, domain_id,
        count(*) AS clicks
      FROM disowned GROUP BY 1, 2, 3, 4, 5
    )`);
}

function disownRollups(removed: RemovedClicks): string {
  return disown(`
    counted AS MATERIALIZED (
      SELECT link_id, bucket_start, class, workspace_id, domain_id, clicks FROM click_rollups
      WHERE ${isRemoved(removed)} AND ${IN_DAY("bucket_start")} AND clicks > 0
      ORDER BY 1, 2, 3 FOR UPDATE
    )`);
}

/** Takes its locks in the order of the statement that writes clicks: rollups, rollups of the workspace, totals. */
function disown(counted: string): string {
  return `, ${counted}, rolled_up AS (
    INSERT INTO click_rollups AS rollup (link_id, bucket_start, class, workspace_id, domain_id, clicks)
    SELECT ${NO_LINK}, bucket_start, class, NULL::uuid, NULL::uuid, sum(clicks) FROM counted GROUP BY 2, 3
    UNION ALL
    SELECT link_id, bucket_start, class, NULL::uuid, NULL::uuid, -sum(clicks) FROM counted GROUP BY 1, 2, 3
    ORDER BY 1, 2, 3
    ON CONFLICT (link_id, bucket_start, class) DO UPDATE SET clicks = rollup.clicks + excluded.clicks
    RETURNING 1
  ), workspace_rolled_up AS (
    INSERT INTO workspace_rollups AS rollup (workspace_id, bucket_start, domain_id, class, clicks)
    SELECT workspace_id, bucket_start, domain_id, class, -sum(clicks) FROM counted
    WHERE workspace_id IS NOT NULL AND ${IS_SUBTRACTED} AND (SELECT count(*) FROM rolled_up) >= 0
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (workspace_id, bucket_start, domain_id, class) DO UPDATE SET clicks = rollup.clicks + excluded.clicks
    RETURNING 1
  ), totals AS (
    SELECT link_id FROM link_totals
    WHERE link_id IN (SELECT link_id FROM counted) AND (SELECT count(*) FROM workspace_rolled_up) >= 0
    ORDER BY link_id FOR UPDATE
  ), untotalled AS (
    DELETE FROM link_totals WHERE link_id IN (SELECT link_id FROM totals)
  )
  SELECT COALESCE(sum(clicks), 0)::float8 AS clicks FROM counted`;
}

function dropEmptyRollups(removed: RemovedClicks): string {
  return `DELETE FROM click_rollups WHERE ${isRemoved(removed)} AND ${IN_DAY("bucket_start")} AND clicks = 0`;
}
const DROP_EMPTY_WORKSPACE_ROLLUPS = `
  DELETE FROM workspace_rollups WHERE workspace_id = $1::uuid AND ${IN_DAY("bucket_start")} AND clicks = 0`;

/** Of days whose numbers were kept. */
const DROP_LINK_CELLS = `, cells AS (
    DELETE FROM click_cube WHERE workspace_id = $1::uuid AND scope = 'link_id' AND scope_value = $2::uuid::text
  )
  DELETE FROM cube_visitors WHERE workspace_id = $1::uuid AND scope = 'link_id' AND scope_value = $2::uuid::text`;
const DROP_COPIED_DAYS = `, copies AS (DELETE FROM clickhouse_day_copies WHERE workspace_id = $1::uuid)
  DELETE FROM clickhouse_days WHERE workspace_id = $1::uuid`;
