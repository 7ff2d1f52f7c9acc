/** Clicks of each hour of the week, from a series by the hour. Pure. */

/** Monday first; 24 numbers a day. */
export type HoursOfWeek = readonly (readonly number[])[];

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

type Point = { readonly at: string; readonly clicks: number };

export function foldHours(points: readonly Point[], timeZone: string): HoursOfWeek {
  const hours = DAYS.map(() => Array.from({ length: 24 }, () => 0));
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    hourCycle: "h23",
  });
  for (const { at, clicks } of points) {
    const parts = format.formatToParts(new Date(at));
    const day = DAYS.indexOf(parts.find(({ type }) => type === "weekday")?.value ?? "");
    const hour = Number(parts.find(({ type }) => type === "hour")?.value);
    const ofDay = hours[day];
    if (ofDay !== undefined) {
      ofDay[hour] = (ofDay[hour] ?? 0) + clicks;
    }
  }
  return hours;
}
