/** The alarm (packages/db/src/webhooks/alarm.ts) as a run of deliveries sees it. */
import { NO_LISTENER_FOR_SECONDS } from "@hopline/db/webhooks/alarm";
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";

/** A message that arrives a little before its time, by the database's clock, is the one that was waited for. */
const EARLY = sql`interval '1 second'`;

/** The first statement of a run: a click that is committed later sets the alarm again. Leaves later alarms, and another busy run. */
export async function takeAlarm(database: Database): Promise<void> {
  await database.execute(sql`
    UPDATE webhook_alarm SET
      rings_at = CASE WHEN rings_at < now() + ${EARLY} THEN '-infinity' ELSE rings_at END,
      busy_until = CASE WHEN busy_until < now() + ${EARLY} THEN '-infinity' ELSE busy_until END
    WHERE (isfinite(rings_at) AND rings_at < now() + ${EARLY}) OR (isfinite(busy_until) AND busy_until < now() + ${EARLY})`);
}

/** Clicks set no alarm meanwhile. False if another run is busy already. */
export async function markBusy(database: Database, forSeconds: number): Promise<boolean> {
  const { rows } = await database.execute(sql`
    UPDATE webhook_alarm SET busy_until = now() + ${forSeconds}::float8 * interval '1 second' WHERE busy_until <= now()
    RETURNING 1`);
  return rows.length === 1;
}

/** Clicks set the alarm again. Look for clicks once more after it. */
export async function endBusyTime(database: Database): Promise<void> {
  await database.execute(sql`UPDATE webhook_alarm SET busy_until = '-infinity'`);
}

/** For a run that starts now, and is busy then. */
export async function handOver(database: Database): Promise<void> {
  await database.execute(sql`UPDATE webhook_alarm SET busy_until = '-infinity', rings_at = now()`);
}

/** A second for the batch whose consumer has asked last. */
const NEW_FOR_SECONDS = NO_LISTENER_FOR_SECONDS + 1;

/** Whether a webhook has begun so recently that its clicks may set no alarm yet. */
export async function hasNewEndpoint(database: Database): Promise<boolean> {
  const { rows } = await database.execute(sql`
    SELECT FROM webhook_endpoints WHERE off_since IS NULL AND deleted_at IS NULL AND events && '{click,click.summary}'
      AND updated_at > now() - ${NEW_FOR_SECONDS}::int * interval '1 second' LIMIT 1`);
  return rows.length > 0;
}
