/** The states of a host's proof: what each look-up changes. */
import { expect, it } from "vitest";
import {
  GRACE_MS,
  judgeTexts,
  nextCheckInMs,
  nextProof,
  proofRecordOf,
  type ProofState,
  type Seen,
} from "../../src/domains/proof.ts";

const NOW_MS = Date.UTC(2027, 0, 1);
const HOUR_MS = 3_600_000;
const PENDING: ProofState = { proof: "pending", missingSinceMs: null };
const PROVED: ProofState = { proof: "dns", missingSinceMs: null };
const VOUCHED: ProofState = { proof: "vouched", missingSinceMs: null };
const missingFor = (ms: number): ProofState => ({ proof: "dns", missingSinceMs: NOW_MS - ms });

it.each<[string, ProofState, Seen, ProofState]>([
  ["a claim is proved by its record", PENDING, "found", PROVED],
  ["a claim without its record stays", PENDING, "missing", PENDING],
  ["a claim with another record stays", PENDING, "wrong", PENDING],
  ["a claim stays while DNS does not answer", PENDING, "unavailable", PENDING],
  ["a proof whose record is there stays", PROVED, "found", PROVED],
  ["a proof whose record is gone is warned", PROVED, "missing", missingFor(0)],
  ["a proof whose record has changed is warned", PROVED, "wrong", missingFor(0)],
  ["a proof is not warned because DNS does not answer", PROVED, "unavailable", PROVED],
  ["a warning keeps its first time", missingFor(HOUR_MS), "missing", missingFor(HOUR_MS)],
  ["a warning ends when the record is back", missingFor(GRACE_MS - 1), "found", PROVED],
  ["a warning lasts seven days", missingFor(GRACE_MS - 1), "missing", missingFor(GRACE_MS - 1)],
  ["after seven days without its record a proof is lost", missingFor(GRACE_MS), "wrong", PENDING],
  [
    "a proof is not lost because DNS does not answer",
    missingFor(GRACE_MS),
    "unavailable",
    missingFor(GRACE_MS),
  ],
  ["even a late record saves the proof", missingFor(2 * GRACE_MS), "found", PROVED],
  ["the operator's word needs no record", VOUCHED, "missing", VOUCHED],
  ["the operator's word is not replaced by a record", VOUCHED, "found", VOUCHED],
])("%s", (_what, state, seen, expected) => {
  expect(nextProof(state, seen, NOW_MS)).toEqual(expected);
});

it("is not lost while its host is suspended: another workspace could prove it", () => {
  const gone = missingFor(GRACE_MS);
  expect(nextProof({ ...gone, suspendedAtMs: 1 }, "missing", NOW_MS)).toEqual(gone);
  expect(nextProof({ ...gone, suspendedAtMs: null }, "missing", NOW_MS)).toEqual(PENDING);
});

it("is looked up again daily, hourly while the record is gone or DNS does not answer, and otherwise never", () => {
  expect(nextCheckInMs(PROVED, "found")).toBe(24 * HOUR_MS);
  expect(nextCheckInMs(PROVED, "unavailable")).toBe(HOUR_MS);
  expect(nextCheckInMs(missingFor(0), "missing")).toBe(HOUR_MS);
  expect(nextCheckInMs(PENDING, "missing")).toBeNull();
  expect(nextCheckInMs(VOUCHED, "found")).toBeNull();
});

const record = proofRecordOf({ host: "go.example.com", proofToken: "0123" });

it("asks for a record below the host, port or not", () => {
  expect(record).toEqual({ name: "_hopline.go.example.com", value: "hopline=0123" });
  expect(proofRecordOf({ host: "127.0.0.1:8787", proofToken: "0123" }).name).toBe("_hopline.127.0.0.1");
});

it.each<[string, readonly string[] | null, Seen]>([
  ["the token", ["hopline=0123"], "found"],
  ["the token with spaces around it", [" hopline=0123 "], "found"],
  ["the token beside another workspace's", ["hopline=4567", "hopline=0123"], "found"],
  ["nothing", [], "missing"],
  ["another token", ["hopline=4567"], "wrong"],
  ["the token within another text", ["v=1; hopline=0123"], "wrong"],
  ["no answer", null, "unavailable"],
])("sees in DNS %s", (_what, texts, seen) => {
  expect(judgeTexts(texts, record)).toBe(seen);
});
