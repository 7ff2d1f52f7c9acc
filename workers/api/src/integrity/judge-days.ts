/**
 * Whether every click of a day is accounted for. Pure. It is never said of a day whose ledger may still grow.
 */
import { SETTLES_WITHIN_MS } from "@hopline/db/ledger/ledger-accounts";
import type { LedgerDay } from "@hopline/db/ledger/find-ledger-days";

/** From the worst to the best. */
export const DAY_STATES = ["missing", "arriving", "accounted-for"] as const;
export type DayState = (typeof DAY_STATES)[number];

export type JudgedDay = {
  /** Epoch milliseconds, exclusive. */
  readonly toMs: number;
  readonly ledger: Pick<LedgerDay, "waiting" | "missing">;
};

/** @param countedUntilMs when the newest click that was counted was made; `null`: none ever was. */
export function judgeDay(
  { toMs, ledger }: JudgedDay,
  { nowMs, countedUntilMs }: { readonly nowMs: number; readonly countedUntilMs: number | null },
): DayState {
  if (ledger.missing > 0) {
    return "missing";
  }
  // Until a later click has come through, it is not known whether those of this day have.
  const isOver = toMs + SETTLES_WITHIN_MS <= nowMs && countedUntilMs !== null && toMs <= countedUntilMs;
  return isOver && ledger.waiting === 0 ? "accounted-for" : "arriving";
}

/** As the worst of its days. */
export function judgeRange(days: readonly DayState[]): DayState {
  return DAY_STATES.find((state) => days.includes(state)) ?? "arriving";
}
