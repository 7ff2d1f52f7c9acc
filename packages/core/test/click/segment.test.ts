import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Click } from "../../src/click/click.ts";
import { decodeSegment, encodeSegment, type Segment } from "../../src/click/segment.ts";
import { readGolden } from "../golden.ts";
import { aClick } from "./a-click.ts";
import { runs } from "../runs.ts";

const FULL_CLICK = aClick({
  linkVersion: 7,
  alias: "prüfung/a",
  source: "qr",
  method: "HEAD",
  purpose: "prefetch",
  optedOut: true,
  botScore: 97,
});

const BARE_CLICK: Click = {
  clickedAtMs: 1_795_000_000_124,
  linkId: FULL_CLICK.linkId,
  linkVersion: 7,
  source: "link",
  method: "GET",
  address: null,
  userAgent: null,
  referrer: null,
  acceptLanguage: null,
  purpose: null,
  optedOut: false,
  country: null,
  region: null,
  city: null,
  continent: null,
  colo: null,
  botScore: null,
};

const GOLDEN: Segment = {
  isolateId: "00c0ffee12345678",
  firstSequence: 41,
  clicks: [FULL_CLICK, BARE_CLICK],
};

describe("segment, format 1", () => {
  it("is written as the golden file shows", () => {
    expect(encodeSegment(GOLDEN)).toBe(readGolden("segment.v1.json"));
  });

  it("is read as the golden file shows, from text and from parsed JSON", () => {
    expect(decodeSegment(readGolden("segment.v1.json"))).toEqual({ ok: true, value: GOLDEN });
    expect(decodeSegment(JSON.parse(readGolden("segment.v1.json")))).toEqual({ ok: true, value: GOLDEN });
  });

  it.each([
    ["(whole)", "not JSON"],
    ["(whole)", null],
    ["(whole)", 7],
    ["format", {}],
    ["format", segmentWith({ format: 2 })],
    ["isolate", segmentWith({ isolate: "00C0FFEE12345678" })],
    ["first", segmentWith({ first: 0 })],
    ["clicks", segmentWith({ clicks: [] })],
    ["clicks", segmentWith({ clicks: "none" })],
    [
      "clicks",
      segmentWith({ clicks: Array.from({ length: 101 }, () => ({ t: 1, l: FULL_CLICK.linkId, v: 1 })) }),
    ],
    ["clicks[0].(whole)", segmentWith({ clicks: [null] })],
    ["clicks[0].t", clickWith({ t: -1 })],
    ["clicks[0].t", clickWith({ t: 9e15 })],
    ["clicks[0].t", clickWith({ t: "1795000000123" })],
    ["clicks[0].l", clickWith({ l: "spring" })],
    ["clicks[0].v", clickWith({ v: 0 })],
    ["clicks[0].s", clickWith({ s: "fax" })],
    ["clicks[0].m", clickWith({ m: "POST" })],
  ])("names %s as the fault of %j", (field, body) => {
    expect(decodeSegment(body)).toEqual({ ok: false, error: { reason: "segment_malformed", field } });
  });

  it("takes an optional fact of the wrong type for a fact not known", () => {
    const decoded = decodeSegment(clickWith({ u: 7, b: -1, co: ["CH"], o: true }));
    expect(decoded).toEqual({
      ok: true,
      value: { isolateId: "00c0ffee12345678", firstSequence: 41, clicks: [BARE_CLICK] },
    });
  });

  it("never throws, whatever arrives", () => {
    fc.assert(
      fc.property(fc.anything(), (body) => typeof decodeSegment(body).ok === "boolean"),
      runs(),
    );
    fc.assert(
      fc.property(fc.json(), (body) => typeof decodeSegment(body).ok === "boolean"),
      runs(),
    );
  });
});

function segmentWith(change: object): unknown {
  return { ...JSON.parse(readGolden("segment.v1.json")), ...change };
}

function clickWith(change: object): unknown {
  return segmentWith({ clicks: [{ t: BARE_CLICK.clickedAtMs, l: BARE_CLICK.linkId, v: 7, ...change }] });
}
