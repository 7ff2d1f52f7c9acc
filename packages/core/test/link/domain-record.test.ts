import { describe, expect, it } from "vitest";
import {
  decodeDomainRecord,
  domainKeyOf,
  type DomainRecord,
  encodeDomainRecord,
} from "../../src/link/domain-record.ts";
import { parseSlug } from "../../src/link/link-address.ts";
import { readGolden } from "../golden.ts";

const GOLDEN: DomainRecord = {
  domainId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e10",
  version: 3,
  rootUrl: "https://example.com/",
  notFoundUrl: "https://example.com/lost",
  endedUrl: "https://example.com/over",
  ignoresCase: true,
  title: "Example",
  homeUrl: "https://example.com/home",
  color: "#0a7b3c",
  imprintUrl: "https://example.com/imprint",
  privacyUrl: "https://example.com/privacy",
  reportUrl: "https://example.com/report",
  redirectStatus: 308,
  forwards: ["docs", "grüße/v1.2"],
  isSuspended: true,
};
const BARE: DomainRecord = { domainId: GOLDEN.domainId, version: 1, ignoresCase: false };

describe("domain record, format 1", () => {
  it("is written as the golden file shows", () => {
    expect(encodeDomainRecord(GOLDEN)).toBe(readGolden("domain-record.v1.json"));
  });

  it.each([GOLDEN, BARE])("is read as it was written", (record) => {
    expect(decodeDomainRecord(encodeDomainRecord(record))).toEqual({ ok: true, value: record });
  });

  it.each([
    ["(whole)", "nonsense"],
    ["format", JSON.stringify({ ...JSON.parse(encodeDomainRecord(BARE)), format: 2 })],
    ["domain", JSON.stringify({ format: 1, version: 1 })],
    ["version", JSON.stringify({ format: 1, domain: "d", version: 0 })],
    ["forwards[0]", JSON.stringify({ format: 1, domain: "d", version: 1, forwards: [7] })],
    ["root", JSON.stringify({ format: 1, domain: "d", version: 1, root: 7 })],
  ])("names %s as the fault", (field, text) => {
    expect(decodeDomainRecord(text)).toEqual({
      ok: false,
      error: { reason: "domain_record_malformed", field },
    });
  });

  it("lies under a key that no link can have", () => {
    expect(domainKeyOf("go.example.com")).toBe("go.example.com/@");
    expect(parseSlug("/@")).toBeNull();
    expect(parseSlug("/%40")).toBeNull();
  });
});
