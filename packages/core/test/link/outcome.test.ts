import { describe, expect, it } from "vitest";
import type { LinkRecord } from "../../src/link/link-record.ts";
import { decideOutcome, plainOutcome, type Visit } from "../../src/link/outcome.ts";
import { aVisitor } from "../rules/evaluate/a-visitor.ts";

const NOW_MS = 1_795_000_000_000;

const LIVE: LinkRecord = {
  linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
  version: 1,
  state: "live",
  url: "https://example.com/",
  redirectStatus: 307,
};

const PASSWORD = { iterations: 1, salt: "AAAA", hash: "AAAA" };
const OPEN_GRAPH = { title: "Spring" };

function decide(change: Partial<LinkRecord>, visit: Partial<Visit> = {}) {
  return decideOutcome(
    { ...LIVE, ...change },
    {
      nowMs: NOW_MS,
      visitor: () => aVisitor({ nowMs: visit.nowMs ?? NOW_MS }),
      isUnlocked: () => false,
      isSocialCrawler: () => false,
      fill: (url) => url,
      ...visit,
    },
  );
}

function redirectTo(url: string) {
  return { kind: "redirect", url, status: 307, ruleId: null, variantId: null };
}

it("sends a visitor of a live link to its destination with the link's own status", () => {
  expect(decide({})).toEqual(redirectTo("https://example.com/"));
});

it("tells a visitor of a disabled link that it is gone", () => {
  expect(decide({ state: "disabled" })).toEqual({ kind: "gone", why: "disabled", endedUrl: null });
});

it("does not tell a deleted link from one that never was", () => {
  expect(decide({ state: "deleted" })).toEqual({ kind: "unknown" });
});

describe("start and expiry", () => {
  it.each([
    [-1, "not-started"],
    [0, "redirect"],
    [999, "redirect"],
    [1_000, "gone"],
  ])("a link that lives for a second is, %i ms into it, %s", (atMs, kind) => {
    const limits = { startsAtMs: NOW_MS, expiresAtMs: NOW_MS + 1_000 };
    expect(decide(limits, { nowMs: NOW_MS + atMs }).kind).toBe(kind);
    expect(plainOutcome({ ...LIVE, ...limits }, NOW_MS + atMs)?.kind).toBe(kind);
  });

  it("a link whose expiry lies before its start has ended", () => {
    expect(decide({ startsAtMs: NOW_MS + 1_000, expiresAtMs: NOW_MS }).kind).toBe("gone");
  });

  it("an expired link says why and where to go instead", () => {
    expect(decide({ expiresAtMs: NOW_MS, endedUrl: "https://example.com/over" })).toEqual({
      kind: "gone",
      why: "expired",
      endedUrl: "https://example.com/over",
    });
  });

  it("a link that is used up is gone", () => {
    expect(decide({ cap: { mode: "fast", isUsedUp: true } })).toMatchObject({ kind: "gone", why: "used-up" });
    expect(decide({ cap: { mode: "fast", isUsedUp: false } }).kind).toBe("redirect");
  });
});

it("a scheduled switch-over flips in the same millisecond wherever the record is held", () => {
  const record: LinkRecord = { ...LIVE, next: { url: "https://example.com/next", activateAtMs: NOW_MS } };
  const isolates = [structuredClone(record), structuredClone(record)];
  expect(isolates.map((held) => plainOutcome(held, NOW_MS - 1))).toEqual([
    redirectTo("https://example.com/"),
    redirectTo("https://example.com/"),
  ]);
  expect(isolates.map((held) => plainOutcome(held, NOW_MS))).toEqual([
    redirectTo("https://example.com/next"),
    redirectTo("https://example.com/next"),
  ]);
});

describe("a password", () => {
  it("is asked for before anything of the link is told", () => {
    const locked = { password: PASSWORD, openGraph: OPEN_GRAPH };
    expect(decide(locked, { isSocialCrawler: () => true })).toEqual({ kind: "password-required" });
    expect(decide(locked, { isUnlocked: () => true }).kind).toBe("redirect");
  });

  it("is not asked for once the link has ended", () => {
    expect(decide({ password: PASSWORD, expiresAtMs: NOW_MS }).kind).toBe("gone");
  });
});

it("social crawlers get the Open Graph page, people the redirect", () => {
  expect(decide({ openGraph: OPEN_GRAPH }, { isSocialCrawler: () => true })).toEqual({
    kind: "preview",
    openGraph: OPEN_GRAPH,
    url: "https://example.com/",
  });
  expect(decide({ openGraph: OPEN_GRAPH }).kind).toBe("redirect");
});

describe("a social crawler's user agent", () => {
  const crawler = { isSocialCrawler: () => true };

  it("does not get past a rule that blocks the visitor", () => {
    const rules = [{ id: "r", when: {}, to: { block: true } }] as const;
    expect(decide({ rules, openGraph: OPEN_GRAPH }, crawler)).toEqual({ kind: "blocked", ruleId: "r" });
  });

  it.each<[string, Partial<LinkRecord>]>([
    ["rules", { rules: [{ id: "r", when: {}, to: { url: "https://example.com/secret" } }] }],
    ["a strict cap", { cap: { mode: "strict", isUsedUp: false } }],
    ["a fast cap", { cap: { mode: "fast", isUsedUp: false } }],
  ])(
    "does not learn the destination of a link with %s, with or without a page of its own",
    (_what, change) => {
      expect(decide({ ...change, openGraph: OPEN_GRAPH }, crawler)).toEqual({
        kind: "preview",
        openGraph: OPEN_GRAPH,
        url: null,
      });
      expect(decide(change, crawler)).toEqual({ kind: "preview", openGraph: {}, url: null });
    },
  );
});

it("tells which rule and which variant led where", () => {
  const rules = [
    { id: "r1", when: {}, to: { split: [{ id: "v1", url: "https://example.com/v1", weight: 1 }] } },
  ];
  expect(decide({ rules })).toEqual({
    kind: "redirect",
    url: "https://example.com/v1",
    status: 307,
    ruleId: "r1",
    variantId: "v1",
  });
  expect(decide({ rules: [{ id: "r2", when: {}, to: { block: true } }] })).toEqual({
    kind: "blocked",
    ruleId: "r2",
  });
});

it("a link without rules, split, password, cap or Open Graph is decided without a visitor", () => {
  expect(plainOutcome({ ...LIVE, forward: "visitor-wins", utmQuery: "utm_source=a" }, NOW_MS)).toEqual(
    redirectTo("https://example.com/"),
  );
  const rules = [{ id: "r", when: { visitor: "bot" }, to: { block: true } }] as const;
  const split = [{ id: "v", url: "https://example.com/v", weight: 1 }];
  const cap = { mode: "fast", isUsedUp: false } as const;
  for (const extra of [{ rules }, { split }, { cap }, { password: PASSWORD }, { openGraph: OPEN_GRAPH }]) {
    expect(plainOutcome({ ...LIVE, ...extra }, NOW_MS)).toBeNull();
  }
});
