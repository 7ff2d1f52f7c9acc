import { expect, it } from "vitest";
import { clickDetail } from "../../src/click/click-detail.ts";

const OWN = "https://example.com/";
const PLAIN = { kind: "redirect", url: OWN, status: 302, ruleId: null, variantId: null } as const;

it("adds nothing to the click of a plain link", () => {
  expect(clickDetail({ outcome: PLAIN, location: OWN, ownUrl: OWN, query: "a=b" })).toBeNull();
});

it("names rule, variant and destination of a smart one, without what the visitor's query added", () => {
  const outcome = { ...PLAIN, url: "https://example.com/b", ruleId: "r1", variantId: "v1" };
  const location = "https://example.com/b?email=someone";
  expect(clickDetail({ outcome, location, ownUrl: OWN, query: "email=someone" })).toEqual({
    ruleId: "r1",
    variantId: "v1",
    destination: "https://example.com/b",
  });
});

it("of a link that forwards, all that follows its slug is one destination", () => {
  const template = "https://example.com/manual/*";
  for (const rest of ["a", "b"]) {
    const outcome = { ...PLAIN, url: `https://example.com/manual/${rest}`, template };
    expect(clickDetail({ outcome, location: outcome.url, ownUrl: template, query: "" })).toBeNull();
    expect(clickDetail({ outcome, location: outcome.url, ownUrl: OWN, query: "" })).toEqual({
      destination: template,
    });
  }
});

it("reads the UTM parameters that the visit came to, and those that only the visitor had", () => {
  const location = "https://example.com/?utm_source=poster&utm_campaign=spring%20sale#?utm_term=no";
  const query = "utm_source=mail&utm_medium=print";
  expect(clickDetail({ outcome: PLAIN, location, ownUrl: OWN, query })).toEqual({
    utmSource: "poster",
    utmCampaign: "spring sale",
    utmMedium: "print",
  });
});

it("cuts what is long, so that a click stays small", () => {
  const outcome = { ...PLAIN, url: `https://example.com/${"a".repeat(8_000)}` };
  const location = `${outcome.url}?utm_source=${"b".repeat(8_000)}`;
  const detail = clickDetail({ outcome, location, ownUrl: OWN, query: "" });
  expect([detail?.destination?.length, detail?.utmSource?.length]).toEqual([512, 100]);
});
