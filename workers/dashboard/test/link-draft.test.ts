import type { Link } from "@hopline/client/openapi";
import { expect, it } from "vitest";
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
