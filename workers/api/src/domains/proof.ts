/**
 * Whether a host is its workspace's: what each look-up of its TXT record changes. Pure; times are epoch milliseconds.
 *
 * pending ── found ──> dns ── not found for seven days ──> pending. The operator's word (`vouched`) needs no record.
 */

export type Proof = "pending" | "dns" | "vouched";

/** What a look-up saw. `unavailable`: DNS gave no answer, which says nothing about the record. */
export type Seen = (typeof SEEN)[number];
export const SEEN = ["found", "missing", "wrong", "unavailable"] as const;

export type ProofState = {
  readonly proof: Proof;
  /** Since when the record of a `dns` domain is gone. */
  readonly missingSinceMs: number | null;
};

const DAY_MS = 86_400_000;
/** A record may get lost in a move to another DNS provider: its owner has this long to notice. */
export const GRACE_MS: number = 7 * DAY_MS;

/** A suspended host keeps its proof: without it, it could be added to another workspace. */
export function nextProof(
  state: ProofState & { readonly suspendedAtMs?: number | null },
  seen: Seen,
  nowMs: number,
): ProofState {
  const { proof, missingSinceMs } = state;
  if (proof === "vouched" || seen === "unavailable") {
    return state;
  }
  if (seen === "found") {
    return { proof: "dns", missingSinceMs: null };
  }
  if (proof === "pending") {
    return { proof, missingSinceMs: null };
  }
  const sinceMs = missingSinceMs ?? nowMs;
  return nowMs - sinceMs >= GRACE_MS && (state.suspendedAtMs ?? null) === null
    ? { proof: "pending", missingSinceMs: null }
    : { proof, missingSinceMs: sinceMs };
}

/** When the record is looked up again by itself: daily, and sooner while it is gone or DNS does not answer. */
export function nextCheckInMs({ proof, missingSinceMs }: ProofState, seen: Seen): number | null {
  if (proof !== "dns") {
    return null;
  }
  return missingSinceMs !== null || seen === "unavailable" ? DAY_MS / 24 : DAY_MS;
}

export const PROOF_LABEL = "_hopline";

export type ProofRecord = { readonly name: string; readonly value: string };

/** The TXT record that proves the claim with this token. */
export function proofRecordOf({
  host,
  proofToken,
}: {
  readonly host: string;
  readonly proofToken: string;
}): ProofRecord {
  return { name: `${PROOF_LABEL}.${host.replace(/:\d+$/, "")}`, value: `hopline=${proofToken}` };
}

/** Judges the texts at the record's name; `null` if DNS gave no answer. Others' texts beside ours do no harm. */
export function judgeTexts(texts: readonly string[] | null, { value }: ProofRecord): Seen {
  if (texts === null) {
    return "unavailable";
  }
  if (texts.some((text) => text.trim() === value)) {
    return "found";
  }
  return texts.length === 0 ? "missing" : "wrong";
}
