/** Ids that are derived from an Idempotency-Key: the same for the same request, in order, and nobody else's. */
import { expect, it } from "vitest";
import { deriveIds } from "../../src/http/new-ids.ts";

const claim = { ownerId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f", key: "a".repeat(64) };
const first = { firstAtMs: Date.UTC(2026, 10, 22), isRetry: false };
const idsOf = (change: Partial<typeof claim & typeof first> = {}) =>
  deriveIds({ ...claim, ...change }, { ...first, ...change });

it("are the same at each attempt, in the order of what they name, and all different", () => {
  const list = () => Array.from({ length: 2_000 }, (_, index) => idsOf().idAt(index));
  const ids = list();
  expect(list()).toEqual(ids);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(
    ids.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
  ).toEqual([]);
});

it.each([
  ["owner", idsOf({ ownerId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e10" }).idAt(0)],
  ["caller or key", idsOf({ key: "b".repeat(64) }).idAt(0)],
  ["first attempt", idsOf({ firstAtMs: first.firstAtMs + 86_400_000 }).idAt(0)],
  ["content of a file", idsOf().idAt(0, "another file")],
])("are others for another %s", (_what, id) => {
  expect(id).not.toBe(idsOf().idAt(0));
});
