/**
 * Instants as the clock on the wall of a time zone shows them, in the form of `<input type="datetime-local">`. Pure. An hour that
 * is skipped when clocks go forward is read as the hour after it; one that comes twice, as the first one.
 */

/** `2026-11-22T18:05`; empty for `null`. */
export function toWallTime(instant: string | null, timeZone: string): string {
  return instant === null ? "" : format(Date.parse(instant), timeZone);
}

/** RFC 3339; `null` for an empty or unfinished text. */
export function fromWallTime(text: string, timeZone: string): string | null {
  const asUtcMs = Date.parse(`${text}Z`);
  if (!/^\d{4,}-\d\d-\d\dT\d\d:\d\d/.test(text) || Number.isNaN(asUtcMs)) {
    return null;
  }
  // What the zone is ahead of UTC around then, before and after a change of clocks.
  const offsets = [-86_400_000, 86_400_000].map((away) => offsetMs(asUtcMs + away, timeZone));
  const candidates = offsets.map((offset) => asUtcMs - offset).toSorted((a, b) => a - b);
  const exact = candidates.find((ms) => format(ms, timeZone) === text.slice(0, 16));
  return new Date(exact ?? candidates.at(-1) ?? asUtcMs).toISOString();
}

function offsetMs(ms: number, timeZone: string): number {
  return Date.parse(`${format(ms, timeZone)}Z`) - Math.floor(ms / 60_000) * 60_000;
}

/** Swedes write `2026-11-22 18:05`. */
function format(ms: number, timeZone: string): string {
  const look = { timeZone, dateStyle: "short", timeStyle: "short" } as const;
  return new Date(ms).toLocaleString("sv", look).replace(" ", "T");
}
