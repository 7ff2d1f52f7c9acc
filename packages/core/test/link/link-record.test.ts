import { describe, expect, it } from "vitest";
import { decodeLinkRecord, encodeLinkRecord, type LinkRecord } from "../../src/link/link-record.ts";
import { readGolden } from "../golden.ts";

const GOLDEN: LinkRecord = {
  linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
  version: 7,
  state: "live",
  url: "https://example.com/spring?sale=1#top",
  redirectStatus: 302,
};

describe("link record, format 1", () => {
  it("is written as the golden file shows", () => {
    expect(encodeLinkRecord(GOLDEN)).toBe(readGolden("link-record.v1.json"));
  });

  it("is read as the golden file shows", () => {
    expect(decodeLinkRecord(readGolden("link-record.v1.json"))).toEqual({ ok: true, value: GOLDEN });
  });

  it("says whether the link follows its domain's status, in a field that an older reader passes over", () => {
    const record: LinkRecord = { ...GOLDEN, followsDomain: true };
    const text = encodeLinkRecord(record);
    expect(text).toContain('"status":302,"~follows":true');
    expect(decodeLinkRecord(text)).toEqual({ ok: true, value: record });
    const smart: LinkRecord = { ...record, endedUrl: "https://example.com/" };
    expect(decodeLinkRecord(encodeLinkRecord(smart))).toMatchObject({ ok: true, value: smart });
  });

  it("says at which former slug it lies, in a field that an older reader passes over", () => {
    const smart: LinkRecord = { ...GOLDEN, followsDomain: true, endedUrl: "https://example.com/" };
    for (const record of [GOLDEN, { ...GOLDEN, followsDomain: true as const }, smart]) {
      const text = encodeLinkRecord({ ...record, alias: "spring" });
      expect(text).toContain(',"~alias":"spring","version":7}');
      expect(decodeLinkRecord(text)).toMatchObject({ ok: true, value: { ...record, alias: "spring" } });
    }
    expect(decodeLinkRecord(patch({ "~alias": 7 }))).toEqual({ ok: true, value: GOLDEN });
  });

  it("reads a tombstone, which needs no destination", () => {
    const tombstone: LinkRecord = { ...GOLDEN, state: "deleted", url: "" };
    expect(decodeLinkRecord(encodeLinkRecord(tombstone))).toEqual({ ok: true, value: tombstone });
  });

  it.each([
    ["(whole)", "not JSON"],
    ["(whole)", ""],
    ["(whole)", "null"],
    ["(whole)", "[]"],
    ["format", patch({ format: 2 })],
    ["link", patch({ link: 7 })],
    ["version", patch({ version: 0 })],
    ["version", patch({ version: 1.5 })],
    ["version", patch({ version: "7" })],
    ["url", patch({ url: "" })],
    ["url", patch({ url: null })],
    ["state", patch({ state: "zombie" })],
    ["status", patch({ status: 200 })],
    ["unheard", patch({ unheard: true })],
    ["unheard~", patch({ "unheard~": true })],
  ])("names %s as the fault of %s", (field, text) => {
    expect(decodeLinkRecord(text)).toEqual({ ok: false, error: { reason: "link_record_malformed", field } });
  });
});

describe("a link record of a later release", () => {
  it("is malformed where it says what this reader does not know: it may be a lock", () => {
    expect(decodeLinkRecord(patch({ lock: "key" }))).toMatchObject({ ok: false, error: { field: "lock" } });
  });

  it("is read without what its writer marked as nothing an answer depends on", () => {
    expect(decodeLinkRecord(patch({ "~label": "spring" }))).toEqual({ ok: true, value: GOLDEN });
    expect(decodeLinkRecord(patch({ "~label": { any: ["thing"] }, ended: "https://example.com/" }))).toEqual({
      ok: true,
      value: { ...GOLDEN, endedUrl: "https://example.com/" },
    });
  });
});

function patch(change: object): string {
  return JSON.stringify({ ...JSON.parse(readGolden("link-record.v1.json")), ...change });
}
