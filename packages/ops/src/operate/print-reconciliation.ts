/** The words of `pnpm reconcile`. Pure. */
import type { LedgerTotals } from "@hopline/db/ledger/find-ledger-totals";
import type { ClickRange } from "@hopline/db/summaries/find-drift";
import type { Reconciliation } from "@hopline/db/ledger/reconcile";

const NAME_WIDTH = 20;
const NUMBER_WIDTH = 16;

export function describeReconciliation(
  range: ClickRange,
  totals: LedgerTotals,
  result: Reconciliation,
): readonly string[] {
  return [
    `Clicks from ${toText(range.sinceMs)} to ${toText(range.untilMs)}, in ${format(totals.segments)} segments of ${format(totals.isolates)} isolates`,
    "",
    toLine("accepted", result.accepted),
    toLine("inserted", result.inserted),
    toLine("duplicate", result.duplicate),
    toLine("rejected", result.rejected),
    toLine("dead-lettered", result.deadLettered),
    toLine("missing", result.missing),
    toLine("rollup difference", result.rollupDifference),
    toLine("event difference", result.eventDifference),
    "",
    ...toVerdict(totals, result),
  ];
}

function toVerdict(totals: LedgerTotals, result: Reconciliation): readonly string[] {
  const lines: string[] = [];
  if (result.missing !== 0) {
    lines.push(
      `✗ ${format(result.missing)} clicks are missing. They may still be in a queue or in the spill: look again in a few minutes.`,
    );
  }
  if (result.rollupDifference !== 0) {
    lines.push("✗ The rollups do not say what the events say.");
  }
  if (result.eventDifference !== 0) {
    lines.push("✗ There are not as many events as the ledger says were inserted.");
  }
  if (totals.openLetters > 0) {
    const unknown = totals.openUndecodable > 0 ? ` (${format(totals.openUndecodable)} cannot be read)` : "";
    lines.push(`  ${format(totals.openLetters)} dead letters are open${unknown}: pnpm dead-letters list`);
  }
  return result.addsUp ? ["✓ Everything adds up.", ...lines] : lines;
}

function toLine(name: string, count: number): string {
  return `  ${name.padEnd(NAME_WIDTH)}${format(count).padStart(NUMBER_WIDTH)}`;
}

function format(count: number): string {
  return count.toLocaleString("en-US");
}

function toText(atMs: number): string {
  return new Date(atMs).toISOString().replace(/:\d\d\.\d{3}Z$/, "Z");
}
