import { expect, it } from "vitest";
import { FIELD_NAMES } from "../app/links/link-draft.ts";
import { toSlug } from "../app/links/to-slug.ts";
import { Faults } from "../app/ui/faults.ts";

const faults = new Faults([
  { path: "rules[0].when", message: "must hold a condition" },
  { path: "rules[0].to.url", message: "is not an absolute URL" },
  { path: "openGraph.image", message: "is not public" },
  { path: "rules[10].id", message: "is too long" },
  { path: "domain", message: "there is none" },
]);

it("shows each fault of a rule at the field that it is about", () => {
  const rule = faults.within("rules").within("[0]");
  expect(rule.within("when").at("")).toBe("must hold a condition");
  expect(rule.within("to").get("url")).toBe("is not an absolute URL");
  expect(rule.get("id")).toBeUndefined();
  expect(faults.within("rules").within("[1]").all).toEqual([]);
});

it("shows a refused picture of the preview at the picture, not at the title", () => {
  expect(faults.get("openGraph.image")).toBe("is not public");
  expect(faults.get("openGraph.title")).toBeUndefined();
  expect(faults.at("openGraph")).toBeUndefined();
});

it("says of every field of a link what is wrong inside it", () => {
  for (const name of Object.keys(FIELD_NAMES)) {
    const found = new Faults([{ path: `${name}[0].part`, message: "is wrong" }]);
    expect(found.get(name)).toBe("is wrong");
    expect(found.outside(Object.keys(FIELD_NAMES))).toEqual([]);
  }
});

it("keeps a fault whose field is not on the screen for the whole form", () => {
  expect(faults.outside(["rules", "openGraph"])).toEqual([{ path: "domain", message: "there is none" }]);
});

it("takes a field's fault away when that field is edited, and no other's", () => {
  const judged = { rules: [{ when: {}, to: { url: "example.com" } }], openGraph: { image: "http://a/b" } };
  const now = { ...judged, rules: [{ when: {}, to: { url: "https://example.com" } }] };
  expect(faults.still(judged, now).all.map(({ path }) => path)).toEqual([
    "rules[0].when",
    "openGraph.image",
    "rules[10].id",
    "domain",
  ]);
});

it("makes a slug of what is typed", () => {
  expect(toSlug("Spring  Sale")).toBe("Spring-Sale");
});
