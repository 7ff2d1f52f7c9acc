/**
 * What a day of a workspace holds in ClickHouse right now, from the projection `days`: some rows for each part of the table, however
 * many clicks there are.
 */
import type { ClickHouse } from "./clickhouse-client.ts";

/** As in the projection, or ClickHouse would read the clicks instead. */
export const DAY_FINGERPRINT = "sum(cityHash64(event_id))";
const DAY = "toDate(quarter)";

export type DayContent = { readonly clicks: number; readonly fingerprint: string };

const READ_DAYS = `
  SELECT toString(${DAY}) AS day, count() AS clicks, toString(${DAY_FINGERPRINT}) AS fingerprint
  FROM clicks
  WHERE workspace_id = {workspace:UUID} AND ${DAY} >= {from:Date} AND ${DAY} < {to:Date}
  GROUP BY workspace_id, ${DAY}`;

/** By day, `2026-11-22`; both ends likewise, the second exclusive. Rejects with a `ClickHouseFailure`. */
export async function readDayContents(
  clickHouse: ClickHouse,
  range: { readonly workspaceId: string; readonly fromDay: string; readonly toDay: string },
  timeoutMs: number,
): Promise<ReadonlyMap<string, DayContent>> {
  const parameters = { workspace: range.workspaceId, from: range.fromDay, to: range.toDay };
  const rows = await clickHouse.select(READ_DAYS, parameters, timeoutMs);
  return new Map(
    rows.map(({ day, clicks, fingerprint }) => [
      String(day),
      { clicks: Number(clicks), fingerprint: String(fingerprint) },
    ]),
  );
}
