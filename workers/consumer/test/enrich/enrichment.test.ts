import { expect, it } from "vitest";
import { readClaim } from "../../src/enrich/click-class.ts";
import { parseDevice } from "../../src/enrich/device.ts";
import { createEnrichment } from "../../src/enrich/enrichment.ts";
import { preferredLanguage } from "../../src/enrich/language.ts";
import { referrerHost } from "../../src/enrich/referrer-host.ts";
import corpus from "../golden/user-agents.json" with { type: "json" };

const AGENTS = [null, "", ...corpus.map(({ userAgent }) => userAgent)];

it("says of every user agent what the parser says, the first time and the second", () => {
  const { deviceOf, claimOf } = createEnrichment("");
  for (const userAgent of [...AGENTS, ...AGENTS]) {
    expect(deviceOf(userAgent)).toEqual(parseDevice(userAgent));
    expect(claimOf(userAgent)).toBe(readClaim(userAgent));
  }
});

it("says of referrers and languages what is said of each alone, the first time and the second", () => {
  const { hostOf, languageOf } = createEnrichment("");
  const referrers = [null, "", "nonsense", "https://a.example/b", "https://b.example/"];
  for (const referrer of [...referrers, ...referrers]) {
    expect(hostOf(referrer)).toBe(referrerHost(referrer));
  }
  const headers = [null, "*", "de-ch,en;q=0.5", "en"];
  for (const header of [...headers, ...headers]) {
    expect(languageOf(header)).toBe(preferredLanguage(header));
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
