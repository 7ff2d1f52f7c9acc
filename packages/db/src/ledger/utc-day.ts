/** UTC days in statements. A day is a text, `2026-11-22`. */
import { type Sql, sql } from "../sql.ts";

export const startOf = (day: string): Sql => sql`(${day}::date::timestamp AT TIME ZONE 'UTC')`;

/** Exclusive. */
export const endOf = (day: string): Sql => sql`((${day}::date + 1)::timestamp AT TIME ZONE 'UTC')`;

export const isInDay = (instant: Sql, day: string): Sql =>
  sql`${instant} >= ${startOf(day)} AND ${instant} < ${endOf(day)}`;
