import { expect, it } from "vitest";
import { isMetricsToken } from "../../src/metrics/metrics-route.ts";

it.each([
  ["new,old", "Bearer new", true],
  ["new,old", "Bearer old", true],
  [" new, old ", "Bearer old", true],
  ["new,old", "Bearer new,old", false],
  ["new,old", "Bearer other", false],
  ["new", "Bearer old", false],
  ["new,", "Bearer ", false],
  [",", undefined, false],
])("during a rotation METRICS_TOKEN %j lets %j in: %s", async (tokens, authorization, isLetIn) => {
  expect(await isMetricsToken(authorization, tokens)).toBe(isLetIn);
});
