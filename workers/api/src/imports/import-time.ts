/** Instants in the formats that exports use. */

const DATABASE_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d(?:\.\d+)?)?)([+-]\d\d(?::\d\d)?)?$/;

/**
 * ISO 8601, a database's `2024-05-01 12:00:00` (UTC unless an offset like `+02` follows), or Unix seconds. Any other text gives an
 * invalid date.
 */
export function parseInstant(text: string): Date {
  const [, day, time, offset] = DATABASE_TIME.exec(text) ?? [];
  const iso = day === undefined ? text : `${day}T${time}${toIsoOffset(offset)}`;
  return new Date(/^\d{9,11}$/.test(text) ? Number(text) * 1_000 : iso);
}

/** RFC 3339 in UTC, or the value itself if it is not a time. */
export function toInstantText(value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "number") {
    return value;
  }
  const date = parseInstant(String(value).trim());
  return Number.isNaN(date.getTime()) ? value : date.toISOString();
}

/** Postgres omits the minutes of whole hours. */
function toIsoOffset(offset: string | undefined): string {
  return offset === undefined ? "Z" : offset.padEnd("+00:00".length, ":00");
}
