import { expect, it } from "vitest";
import { judgeQr, PLAIN_FILE, qrPaths, toDesign, toKept } from "../app/qr/qr-address.ts";

const LINK = { workspaceId: "ws_1", id: "lnk_1", domain: "127.0.0.1:8787", slug: "grüße" };

it("says only what differs from a plain code", () => {
  expect(qrPaths(LINK, toKept(toDesign({ color: "000000" })), PLAIN_FILE)).toEqual({
    forEverybody: "/api/qr/127.0.0.1%3A8787/gr%C3%BC%C3%9Fe",
    own: "/api/v1/links/lnk_1/qr?workspace=ws_1",
  });
  const design = toDesign({
    color: "1a2b3c",
    background: "transparent",
    margin: 0,
    eyes: "round",
    logo: false,
  });
  expect(qrPaths(LINK, toKept(design), { format: "png", scale: 16 }).own).toBe(
    "/api/v1/links/lnk_1/qr?workspace=ws_1&format=png&scale=16&color=1a2b3c&background=transparent&margin=0&eyes=round&logo=false",
  );
});

it.each([
  ["black on white", {}, null],
  [
    "green on transparent, which is white on most pages",
    { color: "1f6f54", background: "transparent" },
    null,
  ],
  ["white on black", { color: "ffffff", background: "000000" }, /light modules on a dark background/],
  ["grey on grey", { color: "777777", background: "aaaaaa" }, /too similar/],
  ["no margin", { margin: 0 }, /margin of at least 4/],
])("judges %s", (_what, change, warning) => {
  const judged = judgeQr(toDesign(change));
  expect(judged).toEqual(warning === null ? null : expect.stringMatching(warning));
});
