/** Removes what is too old from the audit log, a slice at a time. */
import type { WorkHandler } from "@hopline/db/work/run-work";
import type { Database } from "../database.ts";
import { removeOldEntries } from "./audit-store.ts";

export const AUDIT_RETENTION = { kind: "audit-retention", key: "all" } as const;

/** A statement of some 20 ms. */
const ENTRIES_A_STATEMENT = 5_000;
const AGAIN_AFTER_SECONDS = 3_600;

/** The variable AUDIT_RETENTION_DAYS. "0" keeps everything: `null`. Throws for what is no number of days. */
export function readAuditRetentionDays(variables: { readonly AUDIT_RETENTION_DAYS: string }): number | null {
  const days = Number(variables.AUDIT_RETENTION_DAYS);
  if (!Number.isInteger(days) || days < 0 || days > 100_000) {
    throw new Error(
      'AUDIT_RETENTION_DAYS is not a number of days: set it to "365", or to "0" to keep the audit log.',
    );
  }
  return days === 0 ? null : days;
}

type Deps = { readonly database: Database; readonly auditRetentionDays: number | null };

export function auditRetentionHandler({ database, auditRetentionDays: days }: Deps): WorkHandler {
  return {
    async run() {
      const removed =
        days === null ? 0 : await removeOldEntries(database, { days, limit: ENTRIES_A_STATEMENT });
      return { againInSeconds: removed === ENTRIES_A_STATEMENT ? 0 : AGAIN_AFTER_SECONDS };
    },
    timeLimitMs: 20_000,
    atOnce: 1,
    maxDelaySeconds: 600,
  };
}
