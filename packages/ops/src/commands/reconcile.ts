/**
 * `pnpm reconcile`: whether every click that the edge counted is accounted for. What the numbers mean at the edges of
 * the range: packages/db/src/ledger/find-ledger-totals.ts.
 */
import { findDrift } from "@hopline/analytics/cube/find-drift";
import { readMode } from "@hopline/clickhouse/move/counting-mode";
import { compareStores, type StoreComparison } from "@hopline/clickhouse/compare-stores";
import {
  type ClickRange,
  findLedgerTotals,
  findOldestDay,
  type LedgerTotals,
} from "@hopline/db/ledger/find-ledger-totals";
import { reconcile, type Reconciliation, widenToBuckets } from "@hopline/db/ledger/reconcile";
import type { RunSql } from "@hopline/db/neon-client";
import { addsUp, findWebhookAccounts, type WebhookAccount } from "@hopline/db/webhooks/reconcile-webhooks";
import { UsageFailure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { defineCommand } from "citty";

import { readClickHouseUrl, withClickHouse } from "../operate/clickhouse.ts";
import { toPublicId } from "../operate/create-key.ts";
import { withDirectSql } from "../operate/direct-sql.ts";

const TIMEOUT_MS = 600_000;

export const example = "DATABASE_URL=… pnpm reconcile --since 2026-11-20 --until 2026-11-21T12:00Z";
export const exitCodes = { 0: "every click is accounted for", 1: "the clicks do not add up, or it failed" };

export default defineCommand({
  meta: { name: "pnpm reconcile", description: "Checks that every click is accounted for" },
  args: {
    since: { type: "string", description: "A day or an instant; the oldest click without it" },
    until: { type: "string", description: "A day or an instant; now without it" },
    webhooks: {
      type: "boolean",
      default: false,
      description:
        "Checks instead what became of webhooks' clicks: all counts, and the clicks of the last day",
    },
    json: { type: "boolean", default: false, description: "Prints one line of JSON" },
  },
  run({ args }) {
    const since = readInstant("--since", args.since);
    const until = readInstant("--until", args.until);
    return withDirectSql(async (runSql) => {
      if (args.webhooks) {
        return reconcileWebhooks(runSql, args.json);
      }
      const untilMs = until ?? Date.now();
      const sinceMs = since ?? (await findOldestDay(runSql, TIMEOUT_MS)) ?? untilMs;
      if (sinceMs > untilMs) {
        throw new UsageFailure("--since is later than --until.");
      }
      const range = widenToBuckets(sinceMs, untilMs);
      const ledger = await findLedgerTotals(runSql, range, TIMEOUT_MS);
      const drift = await findDrift(runSql, range, TIMEOUT_MS);
      const totals = { ...ledger, rollupDifference: ledger.rollupDifference + drift };
      const result = reconcile(totals);
      const stores = await compareGivenStores(runSql, range);
      const progress = consoleProgress();
      if (args.json) {
        const edges = {
          since: new Date(range.sinceMs).toISOString(),
          until: new Date(range.untilMs).toISOString(),
        };
        progress.line(
          JSON.stringify({
            ...edges,
            ...totals,
            ...result,
            ...(stores === null ? {} : { clickHouse: stores }),
          }),
        );
      } else {
        describeReconciliation(range, totals, result).forEach((line) => progress.line(line));
        describeStores(stores).forEach((line) => progress.line(line));
      }
      return result.addsUp && (stores === null || stores.different === 0) ? 0 : 1;
    });
  },
});

async function reconcileWebhooks(runSql: RunSql, isJson: boolean): Promise<number> {
  const accounts = await findWebhookAccounts(runSql, TIMEOUT_MS);
  const wrong = accounts.filter((account) => !addsUp(account));
  const lines = isJson
    ? [JSON.stringify({ webhooks: accounts, addsUp: wrong.length === 0 })]
    : describeAccounts(accounts, wrong);
  lines.forEach((line) => consoleProgress().line(line));
  return wrong.length === 0 ? 0 : 1;
}

function describeAccounts(
  accounts: readonly WebhookAccount[],
  wrong: readonly WebhookAccount[],
): readonly string[] {
  const sumOf = (name: "matched" | "delivered" | "waiting" | "givenUp") =>
    format(accounts.reduce((sum, account) => sum + account[name], 0));
  return [
    `Clicks of ${format(accounts.length)} webhooks: ${sumOf("matched")} matched = ${sumOf("delivered")} delivered + ${sumOf("waiting")} waiting + ${sumOf("givenUp")} given up`,
    "",
    ...(wrong.length === 0 ? ["✓ Everything adds up."] : wrong.map(describeAccount)),
  ];
}

function describeAccount(account: WebhookAccount): string {
  const { endpointId, matched, delivered, waiting, givenUp, missing, doubled } = account;
  return `✗ ${toPublicId("whk", endpointId)}: ${format(matched)} matched, ${format(delivered)} delivered, ${format(waiting)} waiting, ${format(givenUp)} given up; of the last day ${missing === null ? "not compared" : `${format(missing)} missing`}, ${format(doubled)} in more than one delivery.`;
}

/** `null` where clicks are counted in Postgres. */
async function compareGivenStores(runSql: RunSql, range: ClickRange): Promise<StoreComparison | null> {
  return (await readMode(runSql, TIMEOUT_MS)) === "postgres"
    ? null
    : withClickHouse(readClickHouseUrl(), (clickHouse) =>
        compareStores({ runSql, clickHouse }, range, TIMEOUT_MS),
      );
}

function describeStores(stores: StoreComparison | null): readonly string[] {
  if (stores === null) {
    return [];
  }
  const { quarters, different, difference, repeated, days } = stores;
  const rest =
    repeated === 0
      ? ""
      : ` ${format(repeated)} rows repeat others until ClickHouse merges them: no answer counts them.`;
  return [
    "",
    different === 0
      ? `✓ ClickHouse: ${format(quarters)} quarters of an hour of workspaces are alike in both stores.${rest}`
      : `✗ ClickHouse: ${format(different)} of ${format(quarters)} quarters of an hour differ from what was counted, by ${format(difference)} clicks, on ${days.join(", ")}.${rest}`,
  ];
}

/** Epoch milliseconds; a day without a time begins at midnight UTC. */
function readInstant(option: string, text: string | undefined): number | null {
  if (text === undefined) {
    return null;
  }
  const atMs = Date.parse(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(atMs)) {
    throw new UsageFailure(
      `${option} must be an instant such as 2026-11-21 or 2026-11-21T12:00Z, not "${text}".`,
    );
  }
  return atMs;
}

function describeReconciliation(
  range: ClickRange,
  totals: LedgerTotals,
  result: Reconciliation,
): readonly string[] {
  const counts = {
    accepted: result.accepted,
    inserted: result.inserted,
    duplicate: result.duplicate,
    rejected: result.rejected,
    missing: result.missing,
    "rollup difference": result.rollupDifference,
    "total difference": result.totalDifference,
    "event difference": result.eventDifference,
  };
  return [
    `Clicks from ${toText(range.sinceMs)} to ${toText(range.untilMs)}, in ${format(totals.segments)} segments of ${format(totals.isolates)} isolates`,
    "",
    ...Object.entries(counts).map(([name, count]) => `  ${name.padEnd(20)}${format(count).padStart(16)}`),
    "",
    ...toVerdict(totals, result),
  ];
}

function toVerdict(totals: LedgerTotals, result: Reconciliation): readonly string[] {
  const lines = result.addsUp ? ["✓ Everything adds up."] : [];
  if (result.missing !== 0) {
    lines.push(
      `✗ ${format(result.missing)} clicks are missing. They may still be in a queue or in the spill: run this again in a few minutes.`,
    );
  }
  if (result.rollupDifference !== 0) {
    lines.push("✗ The rollups do not match the events.");
  }
  if (result.totalDifference !== 0) {
    lines.push(
      "✗ The totals of links do not match their rollups. To have them counted again: INSERT INTO work (kind, key) VALUES ('link-totals', 'all');",
    );
  }
  if (result.eventDifference !== 0) {
    lines.push("✗ The number of events is not the number that the ledger says was inserted.");
  }
  if (totals.openLetters > 0) {
    const unknown = totals.openUndecodable > 0 ? ` (${format(totals.openUndecodable)} cannot be read)` : "";
    lines.push(`  ${format(totals.openLetters)} dead letters are open${unknown}: pnpm dead-letters list`);
  }
  return lines;
}

function format(count: number): string {
  return count.toLocaleString("en-US");
}

function toText(atMs: number): string {
  return new Date(atMs).toISOString().replace(/:\d\d\.\d{3}Z$/, "Z");
}
