/**
 * The copier: brings clicks from Postgres to ClickHouse, and seals the days that both agree on. It may be stopped or killed at any
 * point and run twice at once: what it does is repeated or continued, and what went wrong all the same is not sealed.
 */
import { compareDays } from "./compare-days.ts";
import { copyDays } from "./copy-days.ts";
import { type CopyDeps, copyNewClicks } from "./copy-new-clicks.ts";
import { sealDays } from "./seal-days.ts";

export type CopyReport = {
  /** Days of workspaces. */
  readonly sealed: number;
  readonly wrong: number;
  /** Whether there was more to do when the time was up. */
  readonly isBehind: boolean;
};

/** New clicks are collected for so long, or ClickHouse would get many small inserts. */
const NEW_CLICKS_EVERY_MS = 10_000;

/**
 * Works until nothing is left to do or the time is up. New clicks, old days and sealing take turns, so that none waits for all of
 * another. Rejects as `RunSql` and `ClickHouse` do; what was copied by then stays.
 */
export async function copyClicks(
  maxDurationMs: number,
  deps: CopyDeps & { readonly nowMs: () => number },
): Promise<CopyReport> {
  const endsAtMs = deps.nowMs() + maxDurationMs;
  let [sealed, wrong] = [0, 0];
  let nextNewAtMs = deps.nowMs();
  while (deps.nowMs() < endsAtMs) {
    const isDue = deps.nowMs() >= nextNewAtMs;
    const isBehind = isDue && (await copyNewClicks(deps));
    if (isDue && !isBehind) {
      nextNewAtMs = deps.nowMs() + NEW_CLICKS_EVERY_MS;
    }
    // While new clicks wait, a day may only seem to be wrong. Otherwise all days are compared before one is copied, so that those
    // that are wrong are removed together.
    const compared = isBehind ? null : await sealDays(deps);
    const hadDay = compared === null && (await copyDays(deps));
    sealed += compared?.sealed ?? 0;
    wrong += compared?.wrong ?? 0;
    if (!isBehind && !hadDay && compared === null) {
      await compareDays(deps);
      return { sealed, wrong, isBehind: false };
    }
  }
  return { sealed, wrong, isBehind: true };
}
