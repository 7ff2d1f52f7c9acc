/**
 * Work in the table `work`: something to be done later, once, by the first runner that claims it. A lease keeps two runners off the
 * same item; it ends by itself, so that the work of a runner that died is done by another.
 */
import type { SqlRow } from "../neon-client.ts";
import { type Sql, sql } from "../sql.ts";

export type WorkItem = {
  /** Which handler does it. */
  readonly kind: string;
  /** What it is done to: there is one item for each. */
  readonly key: string;
  readonly payload: Payload;
  /** Grows when the item is enqueued again. */
  readonly revision: number;
  /** From 1. Counts those that never came back. */
  readonly attempts: number;
};

export type Payload = { readonly [name: string]: unknown };

/** The right to work on the items that carry it. One runner holds it, for a limited time. */
export type Lease = {
  /** UUID. */
  readonly id: string;
  readonly seconds: number;
};

/** For `RETURNING`, where the table's name or alias is `kept`. */
export const ITEM_COLUMNS: Sql = sql`kept.kind, kept.key, kept.payload, kept.revision, kept.attempts`;

export function toWorkItem(row: SqlRow): WorkItem {
  const { kind, key, payload, revision, attempts } = row;
  return {
    kind: String(kind),
    key: String(key),
    payload: isPayload(payload) ? payload : {},
    revision: Number(revision),
    attempts: Number(attempts),
  };
}

function isPayload(value: unknown): value is Payload {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
