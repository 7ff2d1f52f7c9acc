import type { AuditEntry } from "@hopline/client/openapi";
import { expect, it } from "vitest";
import {
  describeAction,
  describeActor,
  describeResource,
  toAuditFilter,
  toAuditSearch,
} from "../app/audit/audit-words.ts";
import { describeField, differingFields, nameOfField, namesOfChanges } from "../app/audit/describe-fields.ts";

it("fields that differ are found, and named in words", () => {
  const before = { url: "https://a.example/", redirectStatus: 302, tags: ["a"] };
  const after = { url: "https://b.example/", redirectStatus: 302, tags: ["a"], title: "New" };
  expect(differingFields(before, after).map(nameOfField)).toEqual(["Destination", "Title"]);
  expect(differingFields(null, { title: null })).toEqual([]);
  expect(nameOfField("redirectStatus")).toBe("Redirect status");
});

it("an edit names what it changed; a link that was made or deleted is meant as a whole", () => {
  const [before, after] = [{ status: "active" }, { status: "deleted" }];
  expect(namesOfChanges({ action: "link.updated", before, after })).toBe("Status");
  expect(namesOfChanges({ action: "link.deleted", before, after })).toBe("");
  expect(namesOfChanges({ action: "link.created", before: null, after })).toBe("");
});

it.each([
  [null, "none"],
  [[], "none"],
  [true, "yes"],
  [302, "302"],
  [["a", "b"], "a, b"],
  ["2026-12-31T23:00:00.000Z", "1 Jan 2027, 00:00"],
  [{ mode: "fast", maxClicks: 5 }, "mode fast, max clicks 5"],
  [
    [
      { id: "phones", when: { os: ["iOS"] }, to: { url: "https://a.example/" } },
      { id: "rest", to: null },
    ],
    "id phones, when os iOS, to url https://a.example/\nid rest, to none",
  ],
])("a value is described for people: %j", (value, text) => {
  expect(describeField(value, "Europe/Berlin")).toBe(text);
});

it("the audit log's days are those of the zone, the last one included", () => {
  const search = toAuditSearch({ what: "tag", from: "2026-11-20", to: "2026-11-21", actor: "", resource: 1 });
  expect(toAuditFilter(search, "Europe/Berlin")).toEqual({
    action: ["tag.created", "tag.updated", "tag.deleted", "tag.replaced"],
    from: "2026-11-19T23:00:00.000Z",
    to: "2026-11-21T23:00:00.000Z",
  });
  expect(toAuditFilter({ what: "link.updated" }, "UTC")).toEqual({ action: ["link.updated"] });
});

it("an action that a later release makes is still readable", () => {
  expect(describeAction("link.updated")).toBe("changed the link");
  expect(describeAction("robot.switched_on")).toBe("switched on the robot");
});

it("who acted from the command line goes by the reason that they gave", () => {
  expect(describeActor({ type: "operator", id: "report 7", name: null })).toBe("Command line: report 7");
  expect(describeActor({ type: "operator", id: null, name: null })).toBe("Database (migration or CLI)");
});

it("a webhook goes by its description or its id, because its address may be a secret", () => {
  const entry: AuditEntry = {
    id: "aud_1",
    at: "2026-11-21T10:00:00Z",
    actor: { type: "person", id: "per_1", name: "Ada" },
    action: "webhook.created",
    resource: { id: "whk_1", label: null },
    before: null,
    after: { url: "(secret)", description: "Till system" },
    requestId: null,
  };
  expect(describeResource(entry)).toBe("Till system");
  expect(describeResource({ ...entry, after: { url: "(secret)" } })).toBe("whk_1");
  expect(describeResource({ ...entry, resource: { id: "lnk_1", label: "go.example/a" } })).toBe(
    "go.example/a",
  );
});
