/** Instants as exports of links write them. */

const DATABASE_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d(?:\.\d+)?)?)([+-]\d\d(?::\d\d)?)?$/;

/**
 * ISO 8601, a database's `2024-05-01 12:00:00` (UTC unless it says `+02`), or Unix seconds. Invalid where it is none of
 * them.
 */
export function parseInstant(text: string): Date {
  const [, day, time, offset] = DATABASE_TIME.exec(text) ?? [];
  const iso = day === undefined ? text : `${day}T${time}${toIsoOffset(offset)}`;
  return new Date(/^\d{9,11}$/.test(text) ? Number(text) * 1_000 : iso);
}

/** RFC 3339 in UTC, or the value itself where it is no time. */
export function toInstantText(value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "number") {
    return value;
  }
  const date = parseInstant(String(value).trim());
  return Number.isNaN(date.getTime()) ? value : date.toISOString();
}

/** Postgres prints whole hours without their minutes. */
function toIsoOffset(offset: string | undefined): string {
  return offset === undefined ? "Z" : offset.padEnd("+00:00".length, ":00");
}
