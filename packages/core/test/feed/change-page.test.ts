import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChangePage, decodeChangePage, encodeChangePage } from "../../src/feed/change-page.ts";
import { linkKeyOf } from "../../src/link/link-address.ts";
import { readGolden } from "../golden.ts";
import { runs } from "../runs.ts";

const page: ChangePage = {
  feedId: "5f0c9a52-3c2b-4c68-9f0e-2f1f6f3d9a11",
  oldest: 1,
  last: 3,
  forgottenAtMs: 1_795_219_100_000,
  changes: [
    {
      sequence: 2,
      key: linkKeyOf("go.example.com", "spring"),
      version: 4,
      announcedAtMs: 1_795_219_200_000,
      recordText: '{"format":1}',
    },
    {
      sequence: 3,
      key: linkKeyOf("go.example.com", "grüße"),
      version: 7,
      announcedAtMs: 1_795_219_200_250,
      recordText: null,
    },
  ],
};

describe("a page of changes", () => {
  it("is written as in the golden file, and read back", () => {
    const golden = readGolden("change-page.v1.json");
    expect(encodeChangePage(page)).toBe(golden);
    expect(decodeChangePage(golden)).toEqual({ ok: true, value: page });
  });

  it.each([
    ["no JSON", "{", "(whole)"],
    ["another format", '{"format":2}', "format"],
    ["no feed", '{"format":1,"oldest":1,"last":0,"changes":[]}', "feed"],
    ["a negative number", '{"format":1,"feed":"f","oldest":-1,"last":0,"changes":[]}', "oldest"],
    ["a fraction", '{"format":1,"feed":"f","oldest":1,"last":0.5,"changes":[]}', "last"],
    ["no changes", '{"format":1,"feed":"f","oldest":1,"last":0}', "changes"],
    ["a change that is none", '{"format":1,"feed":"f","oldest":1,"last":1,"changes":[[1,"a"]]}', "changes"],
    [
      "a key without a host",
      '{"format":1,"feed":"f","oldest":1,"last":1,"changes":[[1,"/a",1,1,null]]}',
      "changes",
    ],
    [
      "a gap",
      '{"format":1,"feed":"f","oldest":1,"last":3,"changes":[[1,"h/a",1,1,null],[3,"h/b",1,1,null]]}',
      "changes",
    ],
  ])("with %s is refused, and the field is named", (_what, text, field) => {
    expect(decodeChangePage(text)).toEqual({ ok: false, error: { reason: "change_page_malformed", field } });
  });

  it("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => void decodeChangePage(text)),
      runs(),
    );
  });
});
