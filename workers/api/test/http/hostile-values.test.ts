/** Values that Postgres refuses are refused by the API first: 422 with the field, never a 500 and never half an answer. */
import { describe, expect, it } from "vitest";
import { encodeCursor } from "../../src/http/page.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { listDocumentedOperations, sendOperation } from "./every-operation.ts";

const { stage, workspace, key } = await openKeyedStage("admin");
const ids = await stage.addObjects(workspace);
const { cookie: person } = await stage.addPerson(workspace, "owner", { isOperator: true });
const operations = await listDocumentedOperations(stage);
const url = "https://example.com/";

const operationNamed = (name: string) => {
  const found = operations.find((operation) => operation.name === name);
  if (found === undefined) {
    throw new Error(`There is no ${name}.`);
  }
  return found;
};

const send = async (name: string, variation: { readonly query?: string; readonly body?: unknown }) => {
  const response = await sendOperation(operationNamed(name), {
    app: stage.app,
    key,
    person,
    ids,
    ...variation,
  });
  return { status: response.status, text: await response.text() };
};

const INSTANTS = [
  ["is in the year 0", "0000-06-01T00:00:00Z"],
  ["is before the year 1 in UTC", "0001-01-01T00:00:00+01:00"],
  ["is after the year 9999 in UTC", "9999-12-31T23:59:59-01:00"],
  ["has an offset of +16:00", "2026-01-01T00:00:00+16:00"],
  ["has an offset of -23:59", "2026-01-01T00:00:00-23:59"],
  ["has a fraction of 200 digits", `2026-01-01T00:00:00.${"1".repeat(200)}Z`],
] as const;

/** Every place that takes an instant. */
const PLACES: readonly (readonly [string, string, (at: string) => { query?: string; body?: unknown }])[] = [
  ["GET /api/v1/links", "createdFrom", (at) => ({ query: `createdFrom=${encodeURIComponent(at)}` })],
  ["GET /api/v1/links", "createdBefore", (at) => ({ query: `createdBefore=${encodeURIComponent(at)}` })],
  ["GET /api/v1/links/export", "createdFrom", (at) => ({ query: `createdFrom=${encodeURIComponent(at)}` })],
  ["GET /api/v1/analytics/totals", "from", (at) => ({ query: `from=${encodeURIComponent(at)}` })],
  ["GET /api/v1/analytics/events.csv", "from", (at) => ({ query: `from=${encodeURIComponent(at)}` })],
  ["POST /api/v1/keys", "expiresAt", (at) => ({ body: { name: "x", scopes: ["admin"], expiresAt: at } })],
  ["POST /api/v1/links", "startsAt", (at) => ({ body: { url, startsAt: at } })],
  ["POST /api/v1/links", "expiresAt", (at) => ({ body: { url, expiresAt: at } })],
  ["POST /api/v1/links", "next.activateAt", (at) => ({ body: { url, next: { url, activateAt: at } } })],
  ["POST /api/v1/links/{linkId}/resolve", "at", (at) => ({ body: { at } })],
  ["PATCH /api/v1/links/{linkId}", "expiresAt", (at) => ({ body: { expiresAt: at } })],
];

describe.each(INSTANTS)("an instant that %s", (_what, at) => {
  it.each(PLACES)("is refused by %s in %s", async (name, field, place) => {
    const { status, text } = await send(name, place(at));
    expect([status, text]).toEqual([422, expect.stringContaining(field)]);
  });

  it("costs an imported file that row, not the others", async () => {
    const rows = `url,expiresAt,createdAt\r\n${url}hostile,${at},${at}\r\n${url}fine,,${at}\r\n`;
    const response = await stage.app.request("/api/v1/links/import", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "text/csv" },
      body: rows,
    });
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ rows: 2 })]);
  });
});

it.each(["+16:00", "-23:59", "+15:59", "+00:00", "GMT+23", "Etc/GMT+12", "UTC-99", "posixrules", "a\u0000"])(
  "a time zone that Postgres does not take is no 500: %j",
  async (timeZone) => {
    for (const name of ["GET /api/v1/analytics/timeseries", "GET /api/v1/analytics/compare"]) {
      const { status } = await send(name, { query: `timeZone=${encodeURIComponent(timeZone)}` });
      expect([name, [200, 422].includes(status), status]).toEqual([name, true, status]);
    }
  },
);

describe("the outermost instants that Postgres takes", () => {
  it.each(["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-01-01T00:00:00+15:59"])(
    "%s is one",
    async (at) => {
      const query = `createdFrom=${encodeURIComponent(at)}`;
      expect((await send("GET /api/v1/links", { query })).status).toBe(200);
    },
  );
});

/** Every list, in every order that its own cursors name. */
const LISTS: readonly (readonly [string, string])[] = [
  ["GET /api/v1/links", "links slug"],
  ["GET /api/v1/links", "links -createdAt"],
  ["GET /api/v1/links", "links -clicks"],
  ["GET /api/v1/links", "links lastClickedAt"],
  ["GET /api/v1/folders", "folders"],
  ["GET /api/v1/domains", "domains"],
  ["GET /api/v1/keys", "keys"],
  ["GET /api/v1/webhooks", "webhooks"],
  ["GET /api/v1/webhooks/{webhookId}/deliveries", "deliveries"],
  ["GET /api/v1/operators/workspaces", "any-workspaces"],
  ["GET /api/v1/tags", "tags"],
  ["GET /api/v1/workspaces/{workspaceId}/members", "members"],
  ["GET /api/v1/workspaces/{workspaceId}/invitations", "invitations"],
  ["GET /api/v1/analytics/events", "clicks"],
  ["GET /api/v1/audit-log", "audit-log"],
  ["GET /api/v1/me/audit-log", "own-audit-log"],
  ["GET /api/v1/links/{linkId}/history", "history"],
  ["GET /api/v1/links/trash", "trash"],
];

it("knows every list of the document", () => {
  const lists = operations.filter(({ parameters }) => parameters.includes("query cursor"));
  expect(new Set(LISTS.map(([name]) => name))).toEqual(new Set(lists.map(({ name }) => name)));
});

it.each(LISTS)(
  "%s answers 422 to a cursor of %s with a NUL, and no 500 to any other",
  async (name, order) => {
    const id = "00000000-0000-7000-8000-000000000000";
    const sort = order.startsWith("links ") ? `sort=${order.slice("links ".length)}&` : "";
    for (const value of ["\u0000", "a\u0000b", "\ud800"]) {
      const cursor = encodeCursor({ order, value, id });
      const { status, text } = await send(name, { query: `${sort}cursor=${cursor}` });
      expect([status, text]).toEqual([422, expect.stringContaining("cursor_invalid")]);
    }
    for (const value of ["'; DELETE FROM links; --", "9".repeat(400), "-1", "1e400", "%"]) {
      const { status } = await send(name, { query: `${sort}cursor=${encodeCursor({ order, value, id })}` });
      expect([value, [200, 422].includes(status), status]).toEqual([value, true, status]);
    }
  },
);

/** As they are in a path: a NUL, half a pair of surrogates, half a character. */
const HOSTILE_TEXTS = ["x%00y", "%ED%A0%80", "%F0%9F"];

it.each(
  operations.flatMap((operation) =>
    parametersOf(operation.path).map((name) => [operation.name, name] as const),
  ),
)("%s answers 4xx to a %s that is no text, and no 500", async (name, parameter) => {
  const operation = operationNamed(name);
  for (const text of HOSTILE_TEXTS) {
    const hostile = { ...ids, [parameter]: text };
    const { status } = await sendOperation(operation, { app: stage.app, key, person, ids: hostile });
    expect([text, status >= 400 && status < 500, status]).toEqual([text, true, status]);
  }
});

function parametersOf(path: string): readonly string[] {
  return Array.from(path.matchAll(/\{(.+?)\}/g), ([, name = ""]) => name);
}
