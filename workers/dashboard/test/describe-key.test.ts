import { expect, it } from "vitest";
import { toBounds, toDraft } from "../app/keys/bounds-draft.ts";
import { describeKey, describeMember, type KeyBounds } from "../app/keys/describe-key.ts";

it("says in words what a key may do, and with which links", () => {
  expect([
    describeKey([], null),
    describeKey(["admin", "links:read"], null),
    describeKey(["links:read"], null),
    describeKey(["links:read", "links:write", "analytics:read"], {
      domains: ["go.example.com", "x.example"],
      folders: ["Spring"],
      tags: ["mail"],
      ownLinks: true,
    }),
    describeKey(["analytics:read"], { folders: [] }),
    describeKey(["links:write"], {
      tags: [],
      createOnly: { origins: ["https://a.example"], destinationHosts: ["b.example"], linksPerMinute: 30 },
    }),
    describeKey(["links:write"], {
      tags: ["form"],
      createOnly: {
        origins: ["https://www.example.com"],
        destinationHosts: ["example.com", "example.org"],
        linksPerMinute: 30,
      },
    }),
  ]).toEqual([
    "This key may do nothing yet.",
    "This key may do everything in this workspace that an admin may, keys and domains included.",
    "This key may read links: all of this workspace.",
    "This key may read links, create, change and delete links, and read clicks: only of links on go.example.com or x.example, in the folder Spring, with the tag mail, and made by this key. Nothing else of this workspace exists for it.",
    "This key may read clicks, but of no link now: the folder chosen for it was deleted.",
    "This key may create links, but none now: the tag chosen for it was deleted.",
    "This key may create links with the tag form, to example.com or example.org, and from pages of https://www.example.com: 30 a minute at most. It lists, reads and changes nothing, so a web page may hold it.",
  ]);
});

it("says the same of a member, in their role", () => {
  const own: KeyBounds = { domains: ["go.example.com"], ownLinks: true };
  expect([
    describeMember("owner", null),
    describeMember("editor", null),
    describeMember("editor", own),
    describeMember("viewer", { folders: ["Spring"] }),
    describeMember("viewer", own, true),
    describeMember("viewer", { folders: [], tags: [], domains: ["go.example.com"] }, true),
  ]).toEqual([
    "They may do everything in this workspace that an admin may, keys and domains included.",
    "They may read links, create, change and delete links, and read clicks: all of this workspace.",
    "They may read links, create, change and delete links, and read clicks: only of links on go.example.com and made by them or their keys. Nothing else of this workspace exists for them.",
    "They may read links and read clicks: only of links in the folder Spring. Nothing else of this workspace exists for them.",
    "You may read links and read clicks: only of links on go.example.com and made by you or your keys. Nothing else of this workspace exists for you.",
    "You may read links and read clicks, but of no link now: the folder and tag chosen for you were deleted.",
  ]);
});

it("keeps bounds whose folder is gone until they are taken away on purpose, whatever else is changed", () => {
  const draft = toDraft({ domains: ["go.example.com"], folders: [], ownLinks: true });
  const folders: string[] = [];
  expect([
    toBounds(draft),
    toBounds({ ...draft, domains: [], ownLinks: false }),
    toBounds({ ...draft, folders: ["Autumn"] }),
    toBounds({ ...draft, gone: [] }),
    toBounds({ ...toDraft({ folders }), gone: [] }),
  ]).toEqual([
    { domains: ["go.example.com"], folders, ownLinks: true },
    { folders },
    { domains: ["go.example.com"], folders: ["Autumn"], ownLinks: true },
    { domains: ["go.example.com"], ownLinks: true },
    null,
  ]);
});
