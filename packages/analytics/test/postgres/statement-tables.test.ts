import { toStatement } from "@hopline/db/sql";
import { expect, it } from "vitest";
import type { Question } from "../../src/engine.ts";
import { countParts } from "../../src/postgres/count-parts.ts";

it("a screen of a country reads the clicks at the ends of its range once for all its lists", () => {
  const question: Question = {
    workspaceId: "0198f3c2-0000-7000-8000-000000000000",
    // In no zone are these midnights.
    range: { fromMs: Date.UTC(2026, 6, 1, 0, 7), toMs: Date.UTC(2026, 7, 1, 0, 7) },
    filters: [{ dimension: "country", is: ["DE"], isNot: [] }],
  };
  const lists = (["referrer", "city", "browser", "device"] as const).map(
    (dimension) => ({ kind: "breakdown", question, dimension, limit: 10 }) as const,
  );
  // One for quarters of an hour, one for less; and for each list the days that are not in the cube.
  const { text } = toStatement(countParts(lists, 300_000).query);
  expect(text.split(/FROM "?click_events/)).toHaveLength(1 + 2 + 4);
});
