/** What there is to do for this Worker, in one request to the database: all that a run costs that finds nothing. */
import {
  findNextOfKinds,
  kindsDue,
  nextInMs,
  type RestingItem,
  type NextOfKind,
} from "@hopline/db/work/find-next";
import { HAS_NEW_CLICKS } from "@hopline/db/webhooks/new-clicks";
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { toSql } from "../to-sql.ts";
import type { KvBudget } from "../publishing/kv-budget.ts";

export type FindDeps = {
  readonly database: Database;
  readonly resting: readonly RestingItem[];
  readonly budget: Pick<KvBudget, "leftForMass">;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
};

export type DueJobs = {
  /** Kinds of work with an item that is due. */
  readonly kinds: ReadonlySet<string>;
  /** A change or an imported link is to be published, now or while a run may wait for it. */
  readonly isPublishDue: boolean;
  /** Clicks or changes are to be told to a webhook, or something is to be done about one that was on. */
  readonly isWebhookDue: boolean;
  /** Links have reached their caps, and are not ended yet. */
  readonly hasUsedUp: boolean;
  /** Until the first thing that does not wait for a sweep; `null`: there is none. */
  readonly nextInMs: number | null;
};

/** A lease of a publisher that died ends by then (LEASE_SECONDS), and the run waits for it. */
const PUBLISHED_WITHIN_SECONDS = 50;

/** Rejects when the database can't be reached. */
export async function findDueJobs(
  kinds: readonly string[],
  { database, resting, budget, nowMs }: FindDeps,
): Promise<DueJobs> {
  const [works, others] = await database.batch([
    database.execute<NextOfKind>(toSql(findNextOfKinds([...kinds, ...PUBLISHING, WEBHOOK], resting))),
    database.execute(OTHERS),
  ]);
  const all = works.rows;
  const waitsForWrites =
    kindsDue(all, PUBLISHED_WITHIN_SECONDS).has(MASS) && (await budget.leftForMass()) <= 0;
  const found = waitsForWrites ? all.filter(({ kind }) => kind !== MASS) : all;
  const [other = {}] = others.rows;
  const seconds = other["next_in_seconds"];
  const othersInMs = typeof seconds === "number" ? Math.max(0, seconds * 1_000) : null;
  const tomorrowInMs = waitsForWrites ? untilTomorrow(nowMs()) : null;
  const inMs = [nextInMs(found), othersInMs, tomorrowInMs].filter((ms) => ms !== null);
  const due = kindsDue(found);
  return {
    kinds: due,
    isPublishDue: PUBLISHING.some((kind) => kindsDue(found, PUBLISHED_WITHIN_SECONDS).has(kind)),
    isWebhookDue: due.has(WEBHOOK) || other["has_clicks"] === true || othersInMs === 0,
    hasUsedUp: other["has_used_up"] === true,
    nextInMs: inMs.length === 0 ? null : Math.min(...inMs),
  };
}

/** Of a day of UTC, by which writes to KV are counted. A minute more, as clocks differ. */
function untilTomorrow(nowMs: number): number {
  return DAY_MS - (nowMs % DAY_MS) + 60_000;
}

const DAY_MS = 86_400_000;
/** Changes that wait for the next day when the day's writes to KV are used up. */
const MASS = "publish-import";
const PUBLISHING = ["publish", MASS] as const;
const WEBHOOK = "webhook";

/**
 * Besides the work table: caps, clicks that webhooks were not told, and when they need a run next. That is when a delivery is due, a minute with sums is over, or a
 * link expires that a webhook may want to hear of.
 */
const OTHERS = sql`
  SELECT ${toSql(HAS_NEW_CLICKS)} AS has_clicks,
    EXISTS (
      SELECT FROM link_caps JOIN links ON links.id = link_caps.link_id
      WHERE NOT published_used_up AND used >= max_clicks AND links.state <> 'deleted'
    ) AND NOT EXISTS (SELECT FROM work WHERE kind = 'end-used-up') AS has_used_up,
    extract(epoch FROM least(
      (
        SELECT min(CASE WHEN endpoint.off_since IS NULL THEN next.due_at ELSE now() END)
        FROM webhook_endpoints AS endpoint CROSS JOIN LATERAL (
          SELECT due_at FROM webhook_deliveries WHERE endpoint_id = endpoint.id AND state = 'waiting' ORDER BY due_at LIMIT 1
        ) AS next
        WHERE endpoint.deleted_at IS NULL
          AND NOT EXISTS (SELECT FROM work WHERE work.kind = 'webhook' AND work.key = endpoint.id::text)
      ),
      (SELECT min(minute) + interval '1 minute' FROM webhook_sums),
      (
        SELECT expires_at FROM links WHERE state = 'live' AND expires_at > (SELECT expired_until FROM webhook_cursor)
          AND EXISTS (
            SELECT FROM webhook_endpoints WHERE off_since IS NULL AND deleted_at IS NULL AND 'link.ended' = ANY(events)
          )
        ORDER BY expires_at LIMIT 1
      )
    ) - now())::float8 AS next_in_seconds`;
