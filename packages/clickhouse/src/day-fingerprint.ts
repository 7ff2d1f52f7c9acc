/**
 * What a day of a workspace holds in ClickHouse right now, from the projection `days`: some rows for each part of the table, however
 * many clicks there are.
 */

/** As in the projection, or ClickHouse would read the clicks instead. */
export const DAY_FINGERPRINT = "sum(cityHash64(event_id))";
const DAY = "toDate(quarter)";

/** The parameters of `SELECT_DAYS`; days as `2026-11-22`, the second exclusive. */
export type WantedDays = { readonly workspaceId: string; readonly fromDay: string; readonly toDay: string };

/** SELECT of (day, clicks, fingerprint). Days without a click are missing. */
export const SELECT_DAYS = `
  SELECT toString(${DAY}) AS day, count() AS clicks, toString(${DAY_FINGERPRINT}) AS fingerprint
  FROM clicks
  WHERE workspace_id = {workspaceId:UUID} AND ${DAY} >= {fromDay:Date} AND ${DAY} < {toDay:Date}
  GROUP BY workspace_id, ${DAY}`;
