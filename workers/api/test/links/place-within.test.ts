import { expect, it } from "vitest";
import { fillWithin, findOutside } from "../../src/links/place-within.ts";

const place = { domainId: "d1", folderId: null, tags: [] };
const createOnly = { origins: [], destinationHosts: ["example.com"], linksPerMinute: 1 };

it("fills in what bounds leave no choice of, and names each field that leads outside of any of them", () => {
  const bounds = [{ folderIds: ["f1"] }, { domainIds: ["d1", "d2"], tags: ["a"] }];
  expect(fillWithin(bounds, place)).toEqual({ domainId: "d1", folderId: "f1", tags: ["a"] });
  const fieldsOf = (change: object) => findOutside(bounds, { ...place, ...change }).map(({ path }) => path);
  expect([
    fieldsOf({}),
    fieldsOf({ domainId: "d3", folderId: "f1", tags: ["b", "a"] }),
    fieldsOf({ folderId: "f2", tags: ["b"] }),
    findOutside([], place),
    findOutside([{ folderIds: [], tags: [] }], fillWithin([{ folderIds: [], tags: [] }], place)).length,
  ]).toEqual([["folder", "tags"], ["domain"], ["folder", "tags"], [], 2]);
});

it("keeps a create-only key from addresses that stand for many, and from other hosts", () => {
  const fieldsOf = (change: object) =>
    findOutside([{ createOnly }], { ...place, ...change }).map(({ path }) => path);
  expect([
    fieldsOf({ slug: "spring", urls: ["https://example.com/", "http://example.com/a"] }),
    fieldsOf({ slug: "docs/*" }),
    fieldsOf({ urls: ["https://example.com/", "app://example.com/"] }),
    fieldsOf({ urls: ["not a url"] }),
  ]).toEqual([[], ["slug"], ["url"], ["url"]]);
});
