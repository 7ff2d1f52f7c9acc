import { toStatement } from "@hopline/db/sql";
import { expect, it } from "vitest";
import type { Dimension } from "../../src/dimension.ts";
import type { Question } from "../../src/engine.ts";
import { countParts } from "../../src/postgres/count-parts.ts";

it("a screen of a country reads the clicks at the ends of its range once for all its lists", () => {
  const question: Question = {
    workspaceId: "0198f3c2-0000-7000-8000-000000000000",
    // In no zone are these midnights.
    range: { fromMs: Date.UTC(2026, 6, 1, 0, 7), toMs: Date.UTC(2026, 7, 1, 0, 7) },
    filters: [{ dimension: "country", is: ["DE"], isNot: [] }],
  };
  const by = (dimension: Dimension) => ({ kind: "breakdown", question, dimension, limit: 10 }) as const;
  const lists = [by("referrer"), by("city"), by("browser"), by("device")] as const;
  // What came since; one for quarters of an hour, one for less; and for each list the days that are not in the cube.
  const { text } = toStatement(countParts(lists, 1_000).query);
  expect(text.split(/FROM "?click_events/)).toHaveLength(1 + 1 + 2 + 4);
});
