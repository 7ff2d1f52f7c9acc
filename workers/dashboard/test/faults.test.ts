import { expect, it } from "vitest";
import { toSlug } from "../app/links/to-slug.ts";
import { guessFormat } from "../app/imports/guess-format.ts";
import { hostIn } from "../app/links/with-scheme.ts";
import { faultAt, faultsOutside, faultsStill, joinPath } from "../app/ui/faults.ts";

const faults = [
  { path: "rules[0].when", message: "must hold a condition" },
  { path: "rules[0].to.url", message: "is not an absolute URL" },
  { path: "openGraph.image", message: "is not public" },
  { path: "rules[10].id", message: "is too long" },
  { path: "domain", message: "there is none" },
];

const at = (path: string) => faultAt(faults, { path, isWhole: false });
const within = (path: string) => faultAt(faults, { path, isWhole: true });

it("shows each fault of a rule at the field that it is about", () => {
  const rule = joinPath("rules", "[0]");
  expect(at(joinPath(rule, "when"))).toBe("must hold a condition");
  expect(within(joinPath(joinPath(rule, "to"), "url"))).toBe("is not an absolute URL");
  expect(within(joinPath(rule, "id"))).toBeUndefined();
  expect(within(joinPath("rules", "[1]"))).toBeUndefined();
});

it("shows a refused picture of the preview at the picture, not at the title", () => {
  expect(within("openGraph.image")).toBe("is not public");
  expect(within("openGraph.title")).toBeUndefined();
  expect(at("openGraph")).toBeUndefined();
});

it("keeps a fault that no field shows for the whole form", () => {
  const claims = [
    { path: "rules[0]", isWhole: true },
    { path: "rules[10]", isWhole: false },
    { path: "openGraph", isWhole: true },
  ];
  expect(faultsOutside(faults, claims).map(({ path }) => path)).toEqual(["rules[10].id", "domain"]);
});

it("takes a field's fault away when that field is edited, and no other's", () => {
  const judged = { rules: [{ when: {}, to: { url: "example.com" } }], openGraph: { image: "http://a/b" } };
  const now = { ...judged, rules: [{ when: {}, to: { url: "https://example.com" } }] };
  expect(faultsStill(faults, judged, now).map(({ path }) => path)).toEqual([
    "rules[0].when",
    "openGraph.image",
    "rules[10].id",
    "domain",
  ]);
});

it("takes the host out of a pasted address", () => {
  expect(hostIn(" https://go.example.com/spring?a=1 ")).toBe("go.example.com");
  expect(hostIn("go.example.com")).toBe("go.example.com");
});

it.each([
  ["link,title,custom_bitlinks,long_url", "bitly"],
  ["id,key,url,shortLink,createdAt", "dub"],
  ["slug,url,tags", "hopline"],
  ['{"shortCode":"a","longUrl":"https://example.com/"}', "shlink"],
  ["a,b", null],
])("tells which product exported a file: %s", (start, format) => {
  expect(guessFormat(`${start}\nx,y`)).toBe(format);
});

it("makes a slug of what is typed", () => {
  expect(toSlug("Spring  Sale")).toBe("Spring-Sale");
  expect(toSlug("Spring Sale! (50 %)")).toBe("Spring-Sale-50-");
  expect(toSlug("docs/.~v1+a_b/*🚀ü")).toBe("docs/.~v1+a_b/*🚀ü");
});
