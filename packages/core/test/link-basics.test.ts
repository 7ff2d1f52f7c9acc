import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePlainLinkRecord } from "../src/link-basics.ts";
import { decodeLinkRecord } from "../src/link-record.ts";
import { readGolden } from "./golden.ts";
import { runs } from "./runs.ts";

const PLAIN = readGolden("link-record.v1.json");

describe("the reader of plain link records", () => {
  it("reads the golden record as the reader of all records does", () => {
    expect(decodeLinkRecord(PLAIN)).toEqual({ ok: true, value: decodePlainLinkRecord(PLAIN) });
  });

  it.each([
    ["a smart link", readGolden("link-record-smart.v1.json")],
    ["a domain", readGolden("domain-record.v1.json")],
    ["a field that nobody knows", patch({ secret: true })],
    ["a basic field under another name", PLAIN.replace('"status"', '"statut"')],
    ["another format", patch({ format: 2 })],
    ["no JSON", "{"],
    ["null", "null"],
    ["an array", "[1,2,3,4,5,6]"],
  ])("leaves %s to the others", (_what, text) => {
    expect(decodePlainLinkRecord(text)).toBeNull();
  });

  it("never says other than the reader of all records, whatever a field holds", () => {
    const field = fc.constantFrom("format", "link", "version", "state", "url", "status", "rules", "cap");
    fc.assert(
      fc.property(field, fc.jsonValue(), (name, value) => {
        const text = patch({ [name]: value });
        const plain = decodePlainLinkRecord(text);
        const whole = decodeLinkRecord(text);
        return plain === null || (whole.ok && JSON.stringify(whole.value) === JSON.stringify(plain));
      }),
      runs(),
    );
  });
});

function patch(change: object): string {
  return JSON.stringify({ ...JSON.parse(PLAIN), ...change });
}
