/** RFC 3339 instants of API input. */

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Epoch milliseconds, further digits cut off. `null` for anything but a full date and time of the calendar with its offset. */
export function parseInstant(text: string): number | null {
  const match = RFC_3339.exec(text);
  if (match === null) {
    return null;
  }
  const [, year, month, day] = match;
  const atMs = Date.parse(text);
  // Date.parse takes the 30th of February for the 2nd of March.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number.isNaN(atMs) || Number(day) > lastDay ? null : atMs;
}
