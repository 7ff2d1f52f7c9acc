/** `1,200`, `0.25`, `1.2 M`: three figures at most below a thousand and from a million on. Pure. */
export function formatNumber(value: number): string {
  if (value >= 1_000_000) {
    return `${Number((value / 1_000_000).toPrecision(3))} M`;
  }
  return value >= 1_000 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));
}
