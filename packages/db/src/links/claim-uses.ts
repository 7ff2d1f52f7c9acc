/**
 * Takes uses of a link with a strict cap: one UPDATE under the row's lock, which queues it behind all others of this
 * link, so that no more than the limit are ever given. Uses that are taken and whose answer is lost are lost too: fewer
 * redirects, never more.
 */
import type { RunSql } from "../neon-client.ts";
import { sql } from "../sql.ts";

export type WantedUses = {
  readonly linkId: string;
  /** By visitors who wait. */
  readonly wanted: number;
  /** For those who will come: together at most 1 % of what is left. */
  readonly spare: number;
};

export type UnusedUses = { readonly linkId: string; readonly unused: number; readonly version: number };

/**
 * How many uses were taken; fewer than `wanted` if no more were left, 0 too where no cap is known. Rejects when the database
 * can't say in time: it waits 25 ms for the row.
 */
export async function claimUses(
  runSql: RunSql,
  { linkId, wanted, spare }: WantedUses,
  timeoutMs: number,
): Promise<number> {
  const [row] = await runSql(
    sql`SELECT claim_uses(${linkId}::uuid, ${wanted}::bigint, ${spare}::bigint) AS granted`,
    timeoutMs,
  );
  return Number(row?.["granted"] ?? 0);
}

/** Gives uses back, unless the link has another version than the one they were taken for, or is used up. */
export async function returnUses(
  runSql: RunSql,
  { linkId, unused, version }: UnusedUses,
  timeoutMs: number,
): Promise<void> {
  await runSql(sql`SELECT return_uses(${linkId}::uuid, ${unused}::bigint, ${version}::bigint)`, timeoutMs);
}
