/** Looks up the TXT record of a domain and records what that means for it. For the request, and for the daily check. */
import type { Database } from "../database.ts";
import { ProblemError } from "../http/problem.ts";
import { describeDnsFault, type LookUpTexts } from "./dns-over-https.ts";
import { recordCheck, type StoredDomain } from "./domain-store.ts";
import { judgeTexts, nextProof, proofRecordOf, type Seen } from "./proof.ts";

export type DomainCheck = {
  /** After the check. */
  readonly domain: StoredDomain;
  readonly seen: Seen;
  readonly texts: string[];
  /** Why DNS gave no answer. */
  readonly reason: string | null;
};

type Deps = {
  readonly database: Database;
  readonly lookUpTexts: LookUpTexts;
  readonly nowMs: () => number;
};

const MAX_TEXTS = 10;

/** `null` when the domain was deleted, or another check has changed it meanwhile. Throws `ProblemError` when another workspace has proved the host. */
export async function checkDomain(domain: StoredDomain, deps: Deps): Promise<DomainCheck | null> {
  const { database, lookUpTexts, nowMs } = deps;
  const record = proofRecordOf(domain);
  const found = await lookUpTexts(record.name);
  const seen = judgeTexts(found.ok ? found.value : null, record);
  const check = { domainId: domain.id, from: domain.proof, seen };
  const after = await recordCheck(database, { ...check, to: nextProof(domain, seen, nowMs()) });
  if (after === "taken") {
    await recordCheck(database, { ...check, to: domain });
    throw new ProblemError("domain_taken", [
      { path: "host", message: "was proved by another workspace first" },
    ]);
  }
  return after === null
    ? null
    : {
        domain: after,
        seen,
        texts: found.ok ? found.value.slice(0, MAX_TEXTS) : [],
        reason: found.ok ? null : describeDnsFault(found.error),
      };
}
