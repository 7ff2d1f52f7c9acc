/** Strict caps: one use of a link is taken in Postgres before the redirect. */
import { claimUse } from "@hopline/db/claim-use";
import type { RunTransaction } from "@hopline/db/neon-client";
import type { CapClaims } from "../ports.ts";

export function createPostgresCaps(runTransaction: RunTransaction, timeoutMs: number): CapClaims {
  return { claim: (linkId) => claimUse(runTransaction, linkId, timeoutMs) };
}
