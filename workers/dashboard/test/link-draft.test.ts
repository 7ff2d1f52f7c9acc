import type { Link } from "@hopline/client/openapi";
import { expect, it } from "vitest";
import { describeFilled, leaveOut, offersFor, toDefaults } from "../app/links/link-defaults.ts";
import { toFilter } from "../app/links/links-search.ts";
import { changedFields, NEW_DRAFT, toCreate, toDraft, toUndo, toUpdate } from "../app/links/link-draft.ts";

const link = (change: Partial<Link> = {}): Link => ({
  id: "lnk_1",
  domain: "go.example.com",
  domainId: "dom_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f",
  slug: "spring",
  shortUrl: "https://go.example.com/spring",
  url: "https://example.com/spring",
  status: "expired",
  redirectStatus: 302,
  hasOwnRedirectStatus: false,
  title: "Spring",
  tags: ["mail"],
  folderId: null,
  externalId: null,
  aliases: [],
  rules: [],
  split: null,
  next: null,
  startsAt: null,
  expiresAt: "2026-01-01T00:00:00.000Z",
  expiredUrl: null,
  hasPassword: true,
  cap: { mode: "fast", maxClicks: 10, used: 3 },
  forwardQuery: "none",
  utm: null,
  openGraph: null,
  qr: null,
  clicks: { human: 3, total: 4 },
  lastClickedAt: null,
  version: 4,
  createdAt: "2025-01-01T00:00:00.000Z",
  updatedAt: "2025-01-01T00:00:00.000Z",
  ...change,
});

it("sends nothing for a link that is untouched", () => {
  expect(toUpdate(toDraft(link()), toDraft(link()))).toEqual({});
});

it("sends only the fields that differ, so that what another member changes stays", () => {
  const before = toDraft(link());
  const after = { ...before, title: "Summer", utm: { source: "mail", term: "" }, openGraph: { title: "" } };
  expect(toUpdate(before, after)).toEqual({ title: "Summer", utm: { source: "mail" }, openGraph: null });
});

it("never takes a status that follows from time for one that was chosen", () => {
  expect(toDraft(link()).status).toBe("live");
  expect(changedFields(toDraft(link()), toDraft(link({ status: "disabled" })))).toEqual(["status"]);
});

it("undoes a change by what was there before, but no password, which can't be read", () => {
  const before = toDraft(link());
  expect(toUndo(before, { ...before, tags: ["print"], cap: null })).toEqual({
    tags: ["mail"],
    cap: { mode: "fast", maxClicks: 10 },
  });
  expect(toUndo(before, { ...before, password: "correct horse" })).toBeNull();
});

it("a new link is made with what was chosen, and nothing else", () => {
  expect(toCreate({ ...NEW_DRAFT, url: "https://example.com/" })).toEqual({ url: "https://example.com/" });
  const chosen = {
    ...NEW_DRAFT,
    url: "https://example.com/",
    slug: "a",
    utm: { source: "poster", medium: "" },
  };
  expect(toCreate(chosen)).toEqual({ url: "https://example.com/", slug: "a", utm: { source: "poster" } });
});

const domain = { redirectStatus: null, defaults: { utm: { source: { value: "print" } }, tags: ["a", "b"] } };
const place = {
  workspace: { defaults: { expiresAfterDays: 1, redirectStatus: 301 as const, slug: { prefix: "x-" } } },
  domain,
  folder: { defaults: { tags: [] } },
};

it("offers what defaults fill of a new link: from the nearest, where nothing is said, and not what is its domain's own", () => {
  const textsOf = (...given: Parameters<typeof offersFor>) => offersFor(...given).map(({ text }) => text);
  expect(textsOf(NEW_DRAFT, place)).toEqual([
    "End: after 1 day (workspace default)",
    "Redirect status: 301 (workspace default)",
    "Slug: x-… (workspace default)",
    "UTM source: print (domain default)",
  ]);
  const needed = {
    source: { isRequired: true, allowed: ["mail", "sms"] },
    medium: { value: "x", isRequired: true },
  };
  const slug = { prefix: "go/", length: 5, alphabet: "abc" };
  expect(
    offersFor(NEW_DRAFT, {
      workspace: { defaults: null },
      domain: undefined,
      folder: { defaults: { utm: needed, slug } },
    }),
  ).toEqual([
    { field: "slug", text: "Slug: go/… 5 random characters of abc (folder default)", isFixed: true },
    { field: "utm.source", text: "UTM source: needed, mail, sms (folder default)", isFixed: true },
    { field: "utm.medium", text: "UTM medium: x (folder default)", isFixed: true },
  ]);
  const said = { ...NEW_DRAFT, slug: "own", utm: { source: "mail" }, expiresAt: "2030-01-01T00:00:00.000Z" };
  expect(textsOf(said, { ...place, domain: { ...domain, redirectStatus: 307 }, folder: undefined })).toEqual([
    "Tags: a, b (domain default)",
  ]);
});

it("leaves out a default by saying that there is none, unless something was chosen since", () => {
  const url = "https://example.com/";
  expect(leaveOut({ url }, ["tags", "utm.source", "utm.term", "expiresAt"])).toEqual({
    url,
    tags: [],
    utm: { source: "", term: "" },
    expiresAt: null,
  });
  const chosen = { url, tags: ["own"], utm: { source: "mail" } };
  expect(leaveOut(chosen, ["tags", "utm.source"])).toEqual(chosen);
});

it("says whose default a made link has, and sends no empty default", () => {
  expect(describeFilled({ field: "utm.source", from: "folder" })).toBe("UTM source (folder)");
  expect(describeFilled({ field: "expiresAt", from: "workspace" })).toBe("End (workspace)");
  expect(
    toDefaults({ utm: { source: { value: "", allowed: [] } }, tags: [], slug: { prefix: "" } }),
  ).toBeNull();
  const kept = { utm: { source: { isRequired: true, allowed: ["a", "b"] } }, openGraph: null };
  const typed = { source: { isRequired: true, allowed: ["a", " b", ""] } };
  expect(toDefaults({ ...kept, utm: typed, tags: [] })).toEqual(kept);
});

it("looks for a pasted address by destination, and for its parts by search", () => {
  expect(toFilter({ q: "https://example.com/spring?a=b" })).toEqual({
    url: "https://example.com/spring?a=b",
  });
  expect(toFilter({ q: "https://exam" })).toEqual({ search: "https://exam" });
  expect(toFilter({ q: "https://example.com/ sale" })).toEqual({ search: "https://example.com/ sale" });
});
