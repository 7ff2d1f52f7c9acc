/** The problem of a host that can't be had: names when it can, where its owner has given it up. */
import { domains } from "@hopline/db/schema";
import { and, eq, isNotNull, isNull, ne, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { ProblemError } from "../http/problem.ts";
import { epochMs } from "../instant.ts";

const MINUTE_MS = 60_000;
/** Two for copies of KV (HAS_UNPUBLISHED in outbox.ts), and one until the job runs. */
const FREE_AFTER_MINUTES = 3;

const SUSPENDED = "was suspended by the operator of this deployment: ask them to resume it";

/** `otherwise`: what to say where the host has an owner. */
export async function takenHost(
  { database, nowMs }: { readonly database: Database; readonly nowMs: () => number },
  host: string,
  otherwise: string,
): Promise<ProblemError> {
  const { rows: suspended } = await database.execute(sql`SELECT WHERE is_suspended(${host}, NULL)`);
  if (suspended.length === 1) {
    return new ProblemError("domain_taken", [{ path: "host", message: SUSPENDED }]);
  }
  const [givenUp] = await database
    .select({ atMs: epochMs(domains.deletedAt) })
    .from(domains)
    .where(
      and(
        eq(domains.host, host),
        ne(domains.proof, "pending"),
        isNotNull(domains.deletedAt),
        isNull(domains.releasedAt),
      ),
    );
  const message = givenUp === undefined ? otherwise : describeGivenUp(givenUp.atMs, nowMs());
  return new ProblemError("domain_taken", [{ path: "host", message }]);
}

/** In whole minutes, upwards. A domain with many links takes longer. */
export function describeGivenUp(deletedAtMs: number, nowMs: number): string {
  const freeAtMs = Math.ceil(deletedAtMs / MINUTE_MS + FREE_AFTER_MINUTES) * MINUTE_MS;
  return nowMs < freeAtMs
    ? `was deleted, and visitors may still be led where its links led: it is free at ${new Date(freeAtMs).toISOString().slice(11, 16)} UTC, try again then`
    : "was deleted, and its links are still being taken off it: try again in some minutes";
}
