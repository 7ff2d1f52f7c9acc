/** Looks up the TXT record of a domain and records what that means for it. For the request, and for the daily check. */
import type { NewWork } from "@hopline/db/work/enqueue-work";
import type { Database } from "../database.ts";
import { ProblemError } from "../http/problem.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import type { CustomHostnames } from "./custom-hostnames.ts";
import { describeDnsFault, type LookUpTexts } from "./dns-over-https.ts";
import { isHeldByFormer, recordCheck, type StoredDomain } from "./domain-store.ts";
import { judgeTexts, nextCheckInMs, nextProof, proofRecordOf, type ProofState, type Seen } from "./proof.ts";
import { takenHost } from "./taken-host.ts";

export type DomainCheck = {
  /** After the check. */
  readonly domain: StoredDomain;
  readonly seen: Seen;
  readonly texts: string[];
  /** Why DNS gave no answer. */
  readonly reason: string | null;
};

export type CheckDeps = {
  readonly database: Database;
  readonly publisher: Publisher;
  readonly lookUpTexts: LookUpTexts;
  /** `null`: the deployment has none. */
  readonly customHostnames: CustomHostnames | null;
  readonly nowMs: () => number;
};

const MAX_TEXTS = 10;

/**
 * `null` when the domain was deleted, or another check has changed it meanwhile. Throws `ProblemError` when another workspace
 * has proved the host, or has lost its proof and still has links there.
 */
export async function checkDomain(
  domain: StoredDomain,
  by: "request" | "job",
  deps: CheckDeps,
): Promise<DomainCheck | null> {
  const { database, publisher, lookUpTexts, nowMs } = deps;
  const record = proofRecordOf(domain);
  const found = await lookUpTexts(record.name);
  const seen = judgeTexts(found.ok ? found.value : null, record);
  const to = nextProof(domain, seen, nowMs());
  const lease = publisher.newLease();
  const check = { domainId: domain.id, from: domain.proof, seen, lease };
  const isProved = domain.proof === "pending" && to.proof === "dns";
  if (isProved && (await isHeldByFormer(database, domain))) {
    await recordCheck(database, { ...check, to: domain, work: [] });
    throw new ProblemError("domain_taken", [
      {
        path: "host",
        message:
          "was another workspace's, whose links are still being taken off it: verify again in some minutes",
      },
    ]);
  }
  const after = await recordCheck(database, {
    ...check,
    to,
    work: planWork(domain, to, { by, seen, ...deps }),
  });
  if (after === "taken") {
    await recordCheck(database, { ...check, to: domain, work: [] });
    throw await takenHost(deps, domain.host, "was proved by another workspace first");
  }
  if (after === null) {
    return null;
  }
  await publisher.publish(after.changes, lease);
  return {
    domain: after.stored,
    seen,
    texts: found.ok ? found.value.slice(0, MAX_TEXTS) : [],
    reason: found.ok ? null : describeDnsFault(found.error),
  };
}

type Checked = Pick<CheckDeps, "customHostnames"> & { readonly by: "request" | "job"; readonly seen: Seen };

/** A check that waits already is moved: it is due a day after this one. The job's own check is enqueued again when it ends. */
function planWork(
  { id, host, proof }: StoredDomain,
  to: ProofState,
  { by, seen, customHostnames }: Checked,
): readonly NewWork[] {
  const inMs = nextCheckInMs(to, seen);
  const isDns = proof === "dns" || to.proof === "dns";
  return [
    ...(inMs === null || by === "job" ? [] : [{ kind: "domain-check", key: id, dueInSeconds: inMs / 1_000 }]),
    ...(proof === to.proof ? [] : [{ kind: "domain-addresses", key: id }]),
    ...(isDns && customHostnames !== null ? [{ kind: "custom-hostname", key: host }] : []),
  ];
}
