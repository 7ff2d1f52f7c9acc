import { expect, it } from "vitest";
import type { LinkRecord } from "../src/link-record.ts";
import { decideOutcome } from "../src/outcome.ts";

const LIVE: LinkRecord = {
  linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
  version: 1,
  state: "live",
  url: "https://example.com/",
  redirectStatus: 307,
};

it("sends a visitor of a live link to its destination with the link's own status", () => {
  expect(decideOutcome(LIVE)).toEqual({ kind: "redirect", url: "https://example.com/", status: 307 });
});

it("tells a visitor of a disabled link that it is gone", () => {
  expect(decideOutcome({ ...LIVE, state: "disabled" })).toEqual({ kind: "gone", why: "disabled" });
});

it("does not tell a deleted link from one that never was", () => {
  expect(decideOutcome({ ...LIVE, state: "deleted" })).toEqual({ kind: "unknown" });
});
