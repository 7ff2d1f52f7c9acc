import { describe, expect, it } from "vitest";

import { EVERYDAY_SECTIONS, SECTION_NAMES } from "../src/gates.ts";
import { toResultFile } from "../src/result-file.ts";

const MORNING = "2026-11-21T04:17:38.123Z";

describe("the file of a recorded bench", () => {
  it("is the day's where several sections were measured", () => {
    expect(toResultFile(MORNING, undefined)).toBe("load-tests/results/2026-11-21-bench.json");
  });

  it("has the section's name where one was measured, and so takes the place of no other's", () => {
    expect(toResultFile(MORNING, "ingest")).toBe("load-tests/results/2026-11-21-bench-ingest.json");
    const names = [undefined, ...SECTION_NAMES].map((only) => toResultFile(MORNING, only));
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([undefined, ...EVERYDAY_SECTIONS])(
    "of %s is among those that the README's figures are read from",
    (only) => {
      expect(toResultFile(MORNING, only)).toMatch(/-bench[\w-]*\.json$/);
    },
  );
});
