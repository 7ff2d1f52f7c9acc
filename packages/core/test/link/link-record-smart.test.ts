/** The part of the link record that most links have none of. */
import { describe, expect, it } from "vitest";
import { decodeLinkRecord, encodeLinkRecord, type LinkRecord } from "../../src/link/link-record.ts";
import { readGolden } from "../golden.ts";

const GOLDEN_TEXT = readGolden("link-record-smart.v1.json");

const GOLDEN: LinkRecord = {
  linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
  version: 8,
  state: "live",
  url: "https://example.com/spring",
  redirectStatus: 302,
  rules: [
    {
      id: "night-in-berlin",
      when: {
        country: ["DE", "AT"],
        city: ["berlin"],
        time: { zone: "Europe/Berlin", days: [6, 7], startMinute: 1_320, endMinute: 360 },
        query: [{ name: "ref", values: ["sms"] }],
        device: ["mobile"],
      },
      to: { split: [{ id: "a", url: "https://example.com/a", weight: 3 }] },
    },
    { id: "no-bots", when: { visitor: "bot" }, to: { block: true } },
  ],
  split: [
    { id: "old", url: "https://example.com/old", weight: 9 },
    { id: "new", url: "https://example.com/new", weight: 1 },
  ],
  next: { url: "https://example.com/summer", activateAtMs: 1_812_153_600_000 },
  startsAtMs: 1_795_000_000_000,
  expiresAtMs: 1_827_000_000_000,
  endedUrl: "https://example.com/over",
  password: {
    iterations: 100_000,
    salt: "AAECAwQFBgcICQoLDA0ODw",
    hash: "IQNbfgIK4EH62gl7mv8j8YD6-vBBlQUOUk8AFcBtnvI",
  },
  cap: { mode: "fast", isUsedUp: true },
  forward: "visitor-wins",
  utmQuery: "utm_source=poster&utm_campaign=spring%20sale",
  openGraph: { title: "Spring", description: "All about it", image: "https://example.com/spring.png" },
  isFilled: true,
};

describe("a smart link record, format 1", () => {
  it("is written as the golden file shows", () => {
    expect(encodeLinkRecord(GOLDEN)).toBe(GOLDEN_TEXT);
  });

  it("is read as the golden file shows", () => {
    expect(decodeLinkRecord(GOLDEN_TEXT)).toEqual({ ok: true, value: GOLDEN });
  });

  it.each([
    ["vip", { vip: true }],
    ["password.iterations", { password: { iterations: 0, salt: "AAAA", hash: "AAAA" } }],
    ["password.salt", { password: { iterations: 1, salt: "not base64url", hash: "AAAA" } }],
    ["password.hash", { password: { iterations: 1, salt: "AAAA" } }],
    ["password.pepper", { password: { iterations: 1, salt: "AAAA", hash: "AAAA", pepper: 1 } }],
    ["password", { password: null }],
    ["cap.mode", { cap: { mode: "loose" } }],
    ["cap.used", { cap: { mode: "fast", used: "yes" } }],
    ["from", { from: "tomorrow" }],
    ["until", { until: null }],
    ["ended", { ended: "" }],
    ["forward", { forward: "none" }],
    ["utm", { utm: 7 }],
    ["fill", { fill: false }],
    ["og.image", { og: { image: 7 } }],
    ["og.video", { og: { video: "x" } }],
    ["rules[0].when.weather", { rules: [{ id: "r", when: { weather: "sun" }, to: { block: true } }] }],
    ["split", { split: [] }],
    ["next.activateAtMs", { next: { url: "https://example.com/" } }],
  ])("that says %s in a way it can't read is refused, never read without it", (field, change) => {
    const text = JSON.stringify({ ...JSON.parse(GOLDEN_TEXT), ...change });
    expect(decodeLinkRecord(text)).toEqual({ ok: false, error: { reason: "link_record_malformed", field } });
  });
});

it("A record without rules stays under 400 bytes", () => {
  const record = encodeLinkRecord({
    linkId: GOLDEN.linkId,
    version: Number.MAX_SAFE_INTEGER,
    state: "disabled",
    url: `https://example.com/${"a".repeat(80)}?${"b".repeat(60)}`,
    redirectStatus: 302,
    startsAtMs: 1_795_000_000_000,
    expiresAtMs: 1_827_000_000_000,
    forward: "visitor-wins",
  });
  expect(new TextEncoder().encode(record).length).toBeLessThan(400);
});
