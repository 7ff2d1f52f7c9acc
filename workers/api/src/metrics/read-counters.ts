/**
 * Reads the deployment's counters, which the edge and the consumer have written, and the state of dead letters and of leased work. A
 * fixed number of statements over small tables, however many clicks there are.
 */
import { ACCOUNTS, quarterOf } from "@hopline/db/ledger/ledger-accounts";
import { HAS_NEW_CLICKS } from "@hopline/db/webhooks/new-clicks";
import { type Backlog, FIND_BACKLOG } from "@hopline/db/work/find-backlog";
import { type Sql, sql } from "@hopline/db/sql";
import type { Statement } from "@hopline/analytics/postgres/snapshot";
import { runStatements } from "../run-statements.ts";
import { ProblemError } from "../http/problem.ts";
import type { Database } from "../database.ts";

/** Counts are doubles: exact up to nine quadrillion. */
export type Counters = {
  readonly answers: readonly {
    readonly colo: string;
    readonly cacheTier: string;
    readonly outcome: string;
    readonly bucket: number;
    readonly answers: number;
    readonly totalMs: number;
  }[];
  readonly feedAges: readonly {
    readonly colo: string;
    readonly bucket: number;
    readonly reports: number;
    readonly totalMs: number;
  }[];
  readonly alive: readonly AliveIsolates[];
  readonly queues: readonly { readonly queue: string; readonly silentSeconds: number }[];
  readonly ingest: readonly { readonly metric: string; readonly label: string; readonly total: number }[];
  /** When a click was last counted, epoch seconds; `null`: never. */
  readonly countedAtSeconds: number | null;
  /** Dead letters that need an operator, by kind. */
  readonly deadLetters: readonly { readonly kind: string; readonly letters: number }[];
  /** What is still to be done, by kind; without kinds that have nothing. */
  readonly backlog: readonly Backlog[];
  readonly webhooks: WebhookCounters | undefined;
};

/** What the isolates of a data centre that have reported within the last minute hold together. */
export type AliveIsolates = {
  readonly colo: string;
  readonly isolates: number;
  readonly entries: number;
  readonly bytes: number;
  readonly buffered: number;
};

type WebhookCounters = {
  readonly matched: number;
  readonly delivered: number;
  readonly givenUp: number;
  readonly on: number;
  readonly failing: number;
  readonly off: number;
  readonly overdueSeconds: number;
  readonly cursorAgeSeconds: number | null;
};

/** Rejects when the database does. */
export async function readCounters(database: Database): Promise<Counters> {
  const [answers, feedAges, alive, queues, ingest, [counted], deadLetters, backlog, [webhooks]] =
    await runStatements(database, [
      rows<Counters["answers"]>(sql`
        SELECT colo, cache_tier AS "cacheTier", outcome, bucket, answers::float8, total_ms::float8 AS "totalMs"
        FROM edge_answers ORDER BY 1, 2, 3, 4`),
      rows<Counters["feedAges"]>(sql`
        SELECT colo, bucket, reports::float8, total_ms::float8 AS "totalMs" FROM edge_feed_ages ORDER BY 1, 2`),
      rows<Counters["alive"]>(ALIVE),
      rows<Counters["queues"]>(QUEUES),
      rows<Counters["ingest"]>(sql`
        SELECT metric, label, sum(total)::float8 AS total FROM ingest_counters GROUP BY 1, 2 ORDER BY 1, 2`),
      rows<readonly { readonly at: number | null }[]>(
        sql`SELECT extract(epoch FROM max(counted_at))::float8 AS at FROM ingest_counters WHERE metric <> 'queue'`,
      ),
      rows<Counters["deadLetters"]>(sql`
        SELECT kind, count(*)::float8 AS letters FROM dead_letters WHERE replayed_at IS NULL GROUP BY 1 ORDER BY 1`),
      rows<Counters["backlog"]>(FIND_BACKLOG),
      rows<readonly WebhookCounters[]>(WEBHOOKS),
    ]);
  const countedAtSeconds = counted?.at ?? null;
  return { answers, feedAges, alive, queues, ingest, countedAtSeconds, deadLetters, backlog, webhooks };
}

/** @typeParam Rows as the query names and casts its columns. */
function rows<Rows extends readonly object[]>(query: Sql): Statement<Rows> {
  return { query, read: (all) => all as readonly object[] as Rows };
}

/**
 * Clicks of an hour that ended at least ten minutes ago, in whole quarters, that are missing between two segments of an isolate. `null` if the ledger of that
 * hour is too large to read in time; `pnpm reconcile` has no such limit.
 */
export async function readMissing(database: Database): Promise<number | null> {
  const query = sql`
    WITH range AS (
      SELECT until - interval '1 hour' AS since, until, now() AS settled_at
      FROM (SELECT ${quarterOf(sql`now() - interval '10 minutes'`)} AS until) AS quarter
    ), ${ACCOUNTS}
    SELECT COALESCE(sum(gaps), 0)::float8 AS missing FROM account`;
  try {
    const [[row]] = await runStatements(database, [rows<readonly { readonly missing: number }[]>(query)]);
    return row?.missing ?? 0;
  } catch (error) {
    if (error instanceof ProblemError && error.code === "query_too_wide") {
      return null;
    }
    throw error;
  }
}

/** Reads a minute's reports: one in two seconds at most of each isolate. */
const ALIVE: Sql = sql`
  SELECT colo, count(*)::float8 AS isolates, coalesce(sum(entries), 0)::float8 AS entries,
    coalesce(sum(bytes), 0)::float8 AS bytes, coalesce(sum(buffered), 0)::float8 AS buffered
  FROM (
    SELECT DISTINCT ON (isolate_id) colo, entries, bytes, buffered FROM edge_reports
    WHERE received_at > now() - interval '1 minute' ORDER BY isolate_id, number DESC
  ) AS latest GROUP BY 1 ORDER BY 1`;

/**
 * For how long a queue has delivered no report while others have. Each report goes to a queue at random, so that one of `n` that
 * works misses 15 `n` of them once in three million times; before, it is not said to be silent. After an hour it isn't one of the queues any more.
 */
const QUEUES: Sql = sql`
  SELECT queue, CASE WHEN 15 * queues = (
      SELECT count(*) FROM (
        SELECT FROM edge_reports WHERE received_at > at AND received_at <= newest LIMIT 15 * queues
      ) AS passed
    ) THEN extract(epoch FROM newest - at) ELSE 0 END::float8 AS "silentSeconds"
  FROM (
    SELECT label AS queue, counted_at AS at, newest, count(*) OVER () AS queues
    FROM ingest_counters, (SELECT max(counted_at) AS newest FROM ingest_counters WHERE metric = 'queue') AS last
    WHERE metric = 'queue' AND counted_at > newest - interval '1 hour'
  ) AS known ORDER BY 1`;

/** Of each endpoint one entry of an index: however many deliveries wait. The cursor rests while there is no click that one wants. */
const WEBHOOKS: Sql = sql`
  SELECT coalesce(sum(clicks_matched), 0)::float8 AS matched, coalesce(sum(clicks_delivered), 0)::float8 AS delivered,
    coalesce(sum(clicks_given_up), 0)::float8 AS "givenUp",
    count(*) FILTER (WHERE off_since IS NULL AND failing_since IS NULL)::float8 AS "on",
    count(*) FILTER (WHERE off_since IS NULL AND failing_since IS NOT NULL)::float8 AS failing,
    count(*) FILTER (WHERE off_since IS NOT NULL)::float8 AS off,
    coalesce(max(greatest(0, extract(epoch FROM now() - (
      SELECT min(due_at) FROM webhook_deliveries
      WHERE endpoint_id = webhook_endpoints.id AND state = 'waiting' AND off_since IS NULL AND failing_since IS NULL
    )))), 0)::float8 AS "overdueSeconds",
    CASE WHEN ${HAS_NEW_CLICKS}
      THEN (SELECT greatest(0, extract(epoch FROM now() - moved_at)) FROM webhook_cursor) ELSE 0 END::float8
      AS "cursorAgeSeconds"
  FROM webhook_endpoints JOIN webhook_totals ON endpoint_id = webhook_endpoints.id WHERE deleted_at IS NULL`;
