import { expect, it } from "vitest";
import { describeKey } from "../app/keys/describe-key.ts";

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
  ]).toEqual([
    "This key may do nothing yet.",
    "This key may do everything in this workspace that an admin may, keys and domains included.",
    "This key may read links: all of this workspace.",
    "This key may read links, create, change and delete links, and read clicks: only of links on go.example.com or x.example, in the folder Spring, with the tag mail, and made by this key. Nothing else of this workspace exists for it.",
    "This key may read clicks: only of links in no folder that is left. Nothing else of this workspace exists for it.",
  ]);
});
