import { expect, it } from "vitest";
import { parseDevice } from "../../src/enrich/device.ts";
import { createEnrichment } from "../../src/enrich/enrichment.ts";
import corpus from "../golden/user-agents.json" with { type: "json" };

const AGENTS = [null, "", ...corpus.map(({ userAgent }) => userAgent)];

it("says of every user agent what the parser says, the first time and the second", () => {
  const { deviceOf } = createEnrichment("");
  for (const userAgent of [...AGENTS, ...AGENTS]) {
    expect(deviceOf(userAgent)).toEqual(parseDevice(userAgent));
  }
});

it("reads a user agent once per batch, and again after too many others", () => {
  const { deviceOf } = createEnrichment("");
  const first = deviceOf(corpus[0]?.userAgent ?? "");
  expect(deviceOf(corpus[0]?.userAgent ?? "")).toBe(first);
  for (let other = 0; other < 2_000; other += 1) {
    deviceOf(`curl/8.${other}`);
  }
  expect(deviceOf(corpus[0]?.userAgent ?? "")).not.toBe(first);
  expect(deviceOf(corpus[0]?.userAgent ?? "")).toEqual(first);
});

it("knows no visitors without a secret", () => {
  expect(createEnrichment("").visitorKeys).toBeNull();
  expect(createEnrichment("thirty-two characters or even more").visitorKeys).not.toBeNull();
});
