/**
 * Reads the deployment's counters, which the edge and the consumer have written, and the state of dead letters and of leased work. A
 * fixed number of statements over small tables, however many clicks there are.
 */
import { ACCOUNTS, quarterOf } from "@hopline/db/ledger/ledger-accounts";
import { type Backlog, FIND_BACKLOG, toBacklog } from "@hopline/db/work/find-backlog";
import type { SqlRow } from "@hopline/db/neon-client";
import { type Sql, sql } from "@hopline/db/sql";
import type { Statement } from "@hopline/analytics/postgres/snapshot";
import { runStatements } from "../run-statements.ts";
import { ProblemError } from "../http/problem.ts";
import type { Database } from "../database.ts";

export type AnswerCounter = {
  readonly colo: string;
  readonly cacheTier: string;
  readonly outcome: string;
  readonly bucket: number;
  readonly answers: bigint;
  readonly totalMs: bigint;
};

export type FeedAgeCounter = {
  readonly colo: string;
  readonly bucket: number;
  readonly reports: bigint;
  readonly totalMs: bigint;
};

/** What the isolates of a data centre that have reported within the last minute hold together. */
export type AliveIsolates = {
  readonly colo: string;
  readonly isolates: number;
  readonly entries: bigint;
  readonly bytes: bigint;
  readonly buffered: bigint;
};

export type IngestCounter = { readonly metric: string; readonly label: string; readonly total: bigint };

export type Counters = {
  readonly answers: readonly AnswerCounter[];
  readonly feedAges: readonly FeedAgeCounter[];
  readonly alive: readonly AliveIsolates[];
  readonly ingest: readonly IngestCounter[];
  /** When a click was last counted, epoch seconds; `null`: never. */
  readonly countedAtSeconds: number | null;
  /** Dead letters that need an operator, by kind. */
  readonly deadLetters: readonly { readonly kind: string; readonly letters: bigint }[];
  /** What is still to be done, by kind; without kinds that have nothing. */
  readonly backlog: readonly Backlog[];
  readonly webhooks: WebhookCounters;
};

export type WebhookCounters = {
  readonly matched: bigint;
  readonly delivered: bigint;
  readonly givenUp: bigint;
  readonly on: number;
  readonly failing: number;
  readonly off: number;
  readonly overdueSeconds: number;
  readonly cursorAgeSeconds: number;
};

/** Rejects when the database does. */
export async function readCounters(database: Database): Promise<Counters> {
  const [answers, feedAges, alive, ingest, countedAtSeconds, deadLetters, backlog, webhooks] =
    await runStatements(database, [
      rows(sql`SELECT * FROM edge_answers ORDER BY colo, cache_tier, outcome, bucket`, (row) => ({
        colo: String(row["colo"]),
        cacheTier: String(row["cache_tier"]),
        outcome: String(row["outcome"]),
        bucket: Number(row["bucket"]),
        answers: toBigInt(row["answers"]),
        totalMs: toBigInt(row["total_ms"]),
      })),
      rows(sql`SELECT * FROM edge_feed_ages ORDER BY colo, bucket`, (row) => ({
        colo: String(row["colo"]),
        bucket: Number(row["bucket"]),
        reports: toBigInt(row["reports"]),
        totalMs: toBigInt(row["total_ms"]),
      })),
      rows(ALIVE, (row) => ({
        colo: String(row["colo"]),
        isolates: Number(row["isolates"]),
        entries: toBigInt(row["entries"]),
        bytes: toBigInt(row["bytes"]),
        buffered: toBigInt(row["buffered"]),
      })),
      rows(
        sql`SELECT metric, label, sum(total)::bigint AS total FROM ingest_counters GROUP BY 1, 2 ORDER BY 1, 2`,
        (row) => ({
          metric: String(row["metric"]),
          label: String(row["label"]),
          total: toBigInt(row["total"]),
        }),
      ),
      {
        query: sql`SELECT extract(epoch FROM max(counted_at))::float8 AS at FROM ingest_counters`,
        read: ([row]) => (row?.["at"] === null || row === undefined ? null : Number(row["at"])),
      } satisfies Statement<number | null>,
      rows(
        sql`SELECT kind, count(*) AS letters FROM dead_letters WHERE replayed_at IS NULL GROUP BY 1 ORDER BY 1`,
        (row) => ({ kind: String(row["kind"]), letters: toBigInt(row["letters"]) }),
      ),
      rows(FIND_BACKLOG, toBacklog),
      WEBHOOKS,
    ]);
  return { answers, feedAges, alive, ingest, countedAtSeconds, deadLetters, backlog, webhooks };
}

/**
 * Clicks of an hour that ended at least ten minutes ago, in whole quarters, that are missing between two segments of an isolate. `null` if the ledger of that
 * hour is too large to read in time; `pnpm reconcile` has no such limit.
 */
export async function readMissing(database: Database): Promise<bigint | null> {
  const query = sql`
    WITH range AS (
      SELECT until - interval '1 hour' AS since, until, now() AS settled_at
      FROM (SELECT ${quarterOf(sql`now() - interval '10 minutes'`)} AS until) AS quarter
    ), ${ACCOUNTS}
    SELECT COALESCE(sum(gaps), 0)::bigint AS missing FROM account`;
  try {
    const [missing] = await runStatements(database, [
      { query, read: ([row]: readonly SqlRow[]) => toBigInt(row?.["missing"]) },
    ]);
    return missing;
  } catch (error) {
    if (error instanceof ProblemError && error.code === "query_too_wide") {
      return null;
    }
    throw error;
  }
}

/** Reads a minute's reports: one in two seconds at most of each isolate. */
const ALIVE: Sql = sql`
  SELECT colo, count(*) AS isolates, coalesce(sum(entries), 0)::bigint AS entries, coalesce(sum(bytes), 0)::bigint AS bytes,
    coalesce(sum(buffered), 0)::bigint AS buffered
  FROM (
    SELECT DISTINCT ON (isolate_id) colo, entries, bytes, buffered FROM edge_reports
    WHERE received_at > now() - interval '1 minute' ORDER BY isolate_id, number DESC
  ) AS latest GROUP BY 1 ORDER BY 1`;

/** Of each endpoint one entry of an index: however many deliveries wait. */
const WEBHOOKS: Statement<WebhookCounters> = {
  query: sql`
    SELECT coalesce(sum(clicks_matched), 0)::bigint AS matched, coalesce(sum(clicks_delivered), 0)::bigint AS delivered,
      coalesce(sum(clicks_given_up), 0)::bigint AS given_up,
      count(*) FILTER (WHERE off_since IS NULL AND failing_since IS NULL) AS is_on,
      count(*) FILTER (WHERE off_since IS NULL AND failing_since IS NOT NULL) AS failing,
      count(*) FILTER (WHERE off_since IS NOT NULL) AS off,
      coalesce(max(greatest(0, extract(epoch FROM now() - (
        SELECT min(due_at) FROM webhook_deliveries
        WHERE endpoint_id = webhook_endpoints.id AND state = 'waiting' AND off_since IS NULL AND failing_since IS NULL
      )))), 0)::float8 AS overdue,
      CASE WHEN bool_or(off_since IS NULL AND events && '{click,click.summary}')
        THEN (SELECT greatest(0, extract(epoch FROM now() - moved_at)) FROM webhook_cursor) ELSE 0 END::float8 AS cursor_age
    FROM webhook_endpoints JOIN webhook_totals ON endpoint_id = webhook_endpoints.id WHERE deleted_at IS NULL`,
  read: ([row]) => ({
    matched: toBigInt(row?.["matched"]),
    delivered: toBigInt(row?.["delivered"]),
    givenUp: toBigInt(row?.["given_up"]),
    on: Number(row?.["is_on"]),
    failing: Number(row?.["failing"]),
    off: Number(row?.["off"]),
    overdueSeconds: Number(row?.["overdue"]),
    cursorAgeSeconds: Number(row?.["cursor_age"] ?? 0),
  }),
};

function rows<Item>(query: Sql, toItem: (row: SqlRow) => Item): Statement<readonly Item[]> {
  return { query, read: (all) => all.map(toItem) };
}

function toBigInt(cell: unknown): bigint {
  return typeof cell === "string" || typeof cell === "number" ? BigInt(cell) : 0n;
}
