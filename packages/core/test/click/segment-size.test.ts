import fc from "fast-check";
import { expect, it } from "vitest";
import type { Click } from "../../src/click/click.ts";
import { clickBytesBound, MAX_SEGMENT_BYTES, SEGMENT_FRAME_BYTES } from "../../src/click/segment-size.ts";
import { encodeSegment } from "../../src/click/segment.ts";
import { runs } from "../runs.ts";

const ISOLATE_ID = "00c0ffee12345678";

// Single UTF-16 units too: half a surrogate pair is escaped to six bytes. And a few worst cases on their own.
const text = fc.option(
  fc.oneof(
    fc.string({ unit: "binary", maxLength: 600 }),
    fc.string({ unit: "grapheme", maxLength: 200 }),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 100 })
      .map((units) => String.fromCharCode(...units)),
    fc.constantFrom(
      "\u0001".repeat(512),
      "\ud83d".repeat(512),
      '"\\'.repeat(256),
      "é".repeat(512),
      "漢".repeat(512),
    ),
  ),
);
const largest = Number.MAX_SAFE_INTEGER;
const count = fc.option(fc.constantFrom(0, 7, largest));

const optional = text.map((value) => value ?? undefined);

const click: fc.Arbitrary<Click> = fc.record({
  clickedAtMs: fc.constantFrom(0, 1_795_000_000_123, 8.64e15),
  linkId: fc.constant("0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f"),
  linkVersion: fc.constantFrom(1, largest),
  source: fc.constantFrom("link", "qr"),
  method: fc.constantFrom("GET", "HEAD"),
  address: text,
  userAgent: text,
  referrer: text,
  acceptLanguage: text,
  purpose: text,
  optedOut: fc.boolean(),
  country: text,
  region: text,
  city: text,
  continent: text,
  latitude: text,
  longitude: text,
  colo: text,
  asn: count,
  botScore: count,
  ruleId: optional,
  variantId: optional,
  destination: optional,
  utmSource: optional,
  utmMedium: optional,
  utmCampaign: optional,
  utmTerm: optional,
  utmContent: optional,
});

it("never says less than the bytes of the encoded segment", () => {
  fc.assert(
    fc.property(
      fc.array(click, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(1, largest),
      (clicks, first) => {
        const encoded = encodeSegment({ isolateId: ISOLATE_ID, firstSequence: first, clicks });
        const bound = clicks.reduce((bytes, one) => bytes + clickBytesBound(one), SEGMENT_FRAME_BYTES);
        expect(new TextEncoder().encode(encoded).length).toBeLessThanOrEqual(bound);
      },
    ),
    runs(),
  );
});

it("lets a hundred ordinary clicks into one segment", () => {
  const ordinary: Click = {
    clickedAtMs: 1_795_000_000_123,
    linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
    linkVersion: 7,
    source: "link",
    method: "GET",
    address: "203.0.113.0",
    userAgent:
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
    referrer: "https://news.example.org/2026/11/20/today",
    acceptLanguage: "de-CH,de;q=0.9,en;q=0.8",
    purpose: null,
    optedOut: false,
    country: "CH",
    region: "ZH",
    city: "Zürich",
    continent: "EU",
    latitude: "47.36667",
    longitude: "8.55000",
    colo: "ZRH",
    asn: 3303,
    botScore: null,
  };
  expect(SEGMENT_FRAME_BYTES + 100 * clickBytesBound(ordinary)).toBeLessThanOrEqual(MAX_SEGMENT_BYTES);
});
