import { UsageFailure } from "./failure.ts";

/** A whole number between two bounds, or a `UsageFailure` that names the option or argument and its bounds. */
export function readWholeNumber(
  text: string,
  bounds: { readonly name: string; readonly min: number; readonly max: number },
): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= bounds.min && value <= bounds.max)) {
    throw new UsageFailure(
      `${bounds.name} must be a whole number from ${bounds.min} to ${bounds.max}, not "${text}".`,
    );
  }
  return value;
}
