/**
 * Whether each click that left its isolate is counted once, everywhere, and whether what was lost may be lost. What was sent is read
 * where it crosses the platform (queues, spill, log lines), by the numbers that isolates give their clicks.
 */
import { decodeSegment, type Segment } from "@hopline/core/click/segment";
import { findLedgerTotals } from "@hopline/db/ledger/find-ledger-totals";
import { reconcile } from "@hopline/db/ledger/reconcile";
import { toStatement } from "@hopline/db/sql";
import { openSealed } from "@hopline/sealing/seal";
import { importSealKeys } from "@hopline/sealing/seal-key";
import type { SimulatedDatabase } from "../platform/postgres.ts";

const DAY_MS = 86_400_000;

type Sent = {
  /** When visitors got their answer. */
  readonly redirects: number[];
  /** Of visitors who hung up, and may have been counted. */
  hangUps: number;
  /** It has lost what it had not sent: of the last seconds, or since a request was cut that was to send it. */
  evictedAtMs: number;
  isCut: boolean;
  clicks: number;
};

/** A linger, and what sending may take at its slowest (workers/producer/src/clicks/plan-delivery.ts): what a request may take. */
const SENT_WITHIN_MS = 30_000;

export type ClickCheck = ReturnType<typeof createClickCheck>;

export function createClickCheck(sealKey: string) {
  /** Link by event: isolate id and number. */
  const kept = new Map<string, string>();
  /** The last number that is known to have been given, by isolate id. */
  const last = new Map<string, number>();
  const isolates = new Map<string, Sent>();
  const sealed: { readonly isolate: string; readonly text: string; readonly isLogged: boolean }[] = [];
  const logged = new Set<string>();
  const of = (isolate: string): Sent => {
    const unused = { redirects: [], hangUps: 0, evictedAtMs: Infinity, isCut: false, clicks: 0 };
    const sent: Sent = isolates.get(isolate) ?? unused;
    isolates.set(isolate, sent);
    return sent;
  };

  function note(isolate: string, { isolateId, firstSequence, clicks }: Segment, isLogged = false): void {
    for (const [index, { linkId }] of clicks.entries()) {
      const event = `${isolateId} ${firstSequence + index}`;
      of(isolate).clicks += kept.has(event) || logged.has(event) ? 0 : 1;
      if (isLogged) {
        logged.add(event);
      } else {
        kept.set(event, linkId);
      }
    }
    if (!isLogged) {
      last.set(isolateId, Math.max(last.get(isolateId) ?? 0, firstSequence + clicks.length - 1));
    }
  }

  return {
    noteRedirect: (isolate: string, atMs: number) => void of(isolate).redirects.push(atMs),
    noteHangUp: (isolate: string) => void (of(isolate).hangUps += 1),
    noteCut: (isolate: string) => void (of(isolate).isCut = true),
    noteEvicted: (isolate: string, atMs: number) => void (of(isolate).evictedAtMs = atMs),
    noteSpilled: (isolate: string, text: string) => void sealed.push({ isolate, text, isLogged: false }),
    noteLogged: (isolate: string, text: string) => void sealed.push({ isolate, text, isLogged: true }),
    noteAccepted(isolate: string, body: unknown) {
      const segment = decodeSegment(body);
      if (!segment.ok) {
        return `${isolate} sent what is no segment: ${segment.error.field}`;
      }
      note(isolate, segment.value);
      return null;
    },
    /** When nothing is on its way any more. */
    async judge({ select }: Pick<SimulatedDatabase, "select">, nowMs: number): Promise<readonly string[]> {
      const keys = await importSealKeys(sealKey, "");
      for (const { isolate, text, isLogged } of sealed) {
        const opened = await openSealed(text, ...keys);
        const segment = opened.ok ? decodeSegment(opened.value) : null;
        if (segment?.ok === true) {
          note(isolate, segment.value, isLogged);
        }
      }
      const problems: string[] = [];
      const expect = (what: string, actual: unknown, wanted: number): void => {
        if (Number(actual ?? 0) !== wanted) {
          problems.push(`${what}: ${String(actual)} instead of ${wanted}`);
        }
      };
      const [sums = {}] = await select(
        `SELECT (SELECT count(*) FROM sim.clicks) AS events, (SELECT sum(clicks) FROM click_rollups) AS rollups,
           (SELECT sum(clicks) FROM workspace_rollups) AS "workspaces' rollups", (SELECT sum(total) FROM link_totals) AS "links' totals",
           (SELECT count(*) FROM dead_letters) AS dead_letters`,
      );
      for (const [where, clicks] of Object.entries(sums)) {
        expect(`clicks in ${where}`, clicks, where === "dead_letters" ? 0 : kept.size);
      }
      const byLink = new Map<string, number>();
      kept.forEach((link) => byLink.set(link, (byLink.get(link) ?? 0) + 1));
      const counted = await select(
        `SELECT link_id AS link, (SELECT count(*) FROM sim.clicks e WHERE e.link_id = t.link_id) AS events, total AS totals,
           (SELECT sum(clicks) FROM click_rollups r WHERE r.link_id = t.link_id) AS rollups,
           coalesce((SELECT used FROM link_caps c WHERE c.link_id = t.link_id AND mode = 'fast'), total) AS "uses of a fast cap" FROM link_totals t`,
      );
      for (const { link, ...counts } of counted) {
        for (const [where, clicks] of Object.entries(counts)) {
          expect(`clicks of ${String(link)} in ${where}`, clicks, byLink.get(String(link)) ?? 0);
        }
      }
      const missing = [...last].reduce((sum, [id, number]) => {
        const arrived = Array.from({ length: number }, (_, index) => kept.has(`${id} ${index + 1}`));
        return sum + arrived.filter((has) => !has).length;
      }, 0);
      const range = {
        sinceMs: nowMs - (nowMs % DAY_MS) - DAY_MS,
        untilMs: nowMs - (nowMs % DAY_MS) + 2 * DAY_MS,
      };
      const totals = await findLedgerTotals(
        (statement) => {
          const { text, parameters } = toStatement(statement);
          return select(text, parameters) as ReturnType<Parameters<typeof findLedgerTotals>[0]>;
        },
        range,
        0,
      );
      const account = reconcile(totals);
      expect("inserted, as the ledger says", account.inserted, kept.size);
      expect("missing, as the ledger says", account.missing, missing);
      expect("how far rollups are from events", account.rollupDifference, 0);
      for (const [isolate, { redirects, hangUps, clicks, evictedAtMs, isCut }] of isolates) {
        const mayLack = (atMs: number): boolean =>
          evictedAtMs < Infinity && (isCut || atMs > evictedAtMs - SENT_WITHIN_MS);
        const least = redirects.filter((atMs) => !mayLack(atMs)).length;
        if (clicks > redirects.length + hangUps || clicks < least) {
          problems.push(`${isolate} redirected ${redirects.length} visitors and sent ${clicks} clicks`);
        }
      }
      return problems;
    },
  };
}
