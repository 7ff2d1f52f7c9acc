/** RFC 3339 instants of API input. */

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Beyond these Postgres refuses an instant: https://www.postgresql.org/docs/18/datatype-datetime.html. */
const OFFSET_TOO_FAR = /[+-](?:1[6-9]|2\d):\d\d$/;
const MIN_YEAR = 1;
const MAX_YEAR = 9_999;

/** Whether the database can store an instant of this text: offsets up to 15:59, years 1 to 9999 of UTC. */
export function isStorableInstant(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return !OFFSET_TOO_FAR.test(text) && year >= MIN_YEAR && year <= MAX_YEAR;
}

/**
 * Epoch milliseconds, further digits cut off. `null` for anything but a full date and time of the calendar with its offset
 * that the database can store.
 */
export function parseInstant(text: string): number | null {
  const match = RFC_3339.exec(text);
  if (match === null) {
    return null;
  }
  const [, year, month, day] = match;
  const atMs = Date.parse(text);
  // Date.parse takes the 30th of February for the 2nd of March.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) > lastDay || !isStorableInstant(text) ? null : atMs;
}
