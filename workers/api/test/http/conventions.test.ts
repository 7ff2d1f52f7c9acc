/** What clients can rely on for every route. The routes come from the OpenAPI document. */
import { describe, expect, it } from "vitest";
import { openKeyedStage } from "../keyed-stage.ts";
import { type DocumentedOperation, listDocumentedOperations, sendOperation } from "./every-operation.ts";

const WITHOUT_TAG = [
  // They stream: a tag would need all of the body first.
  "GET /api/v1/links/export",
  "GET /api/v1/analytics/events.csv",
  "GET /api/v1/analytics/live",
  // Their answers depend on the current time.
  "GET /api/v1/analytics/compare",
  "GET /api/health",
  "GET /api/metrics",
];
const WITHOUT_IDEMPOTENCY = [
  // It is carried out again, and finds what it created (lost-answers.test.ts).
  "POST /api/v1/links/import",
  // It changes nothing.
  "POST /api/v1/links/{linkId}/resolve",
  // Of people, who see what they have done; inviting, switching and leaving twice is once.
  "POST /api/v1/workspaces",
  "POST /api/v1/workspaces/{workspaceId}/switch",
  "POST /api/v1/workspaces/{workspaceId}/leave",
  "POST /api/v1/workspaces/{workspaceId}/invitations",
];

const WITHOUT_PAGES = [
  // A key has one workspace.
  "GET /api/v1/workspaces",
  // At most 100, of one person.
  "GET /api/v1/sessions",
  // A link has at most 20.
  "GET /api/v1/links/{linkId}/aliases",
];
/** The best few for what was typed so far; typing on gives others. */
const WITHOUT_CURSOR = ["GET /api/v1/analytics/values"];

const { stage, workspace, key } = await openKeyedStage("admin");
const ids = await stage.addObjects(workspace);
const { cookie: person } = await stage.addPerson(workspace, "owner");
const documented = await listDocumentedOperations(stage);
// Those under /api/auth begin or end a session: nobody keeps their answers, and nothing is sent twice.
const operations = documented.filter(({ path }) => !path.startsWith("/api/auth/"));
const reads = operations.filter(({ method, name }) => method === "GET" && !WITHOUT_TAG.includes(name));
const posts = operations.filter(
  ({ method, name }) => method === "POST" && !WITHOUT_IDEMPOTENCY.includes(name),
);
const lists = reads.filter(
  ({ name, answerFields }) => answerFields.includes("data") && !WITHOUT_CURSOR.includes(name),
);

describe.each(reads)("$name", (operation) => {
  it("has an ETag, and answers 304 to a client that sends it", async () => {
    const first = await send(operation);
    const tag = first.headers.get("etag") ?? "";
    expect([first.status, tag]).toEqual([200, expect.stringMatching(/^(W\/)?"[^"]+"$/)]);
    const again = await send(operation, { "if-none-match": tag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(operation.statuses).toContain("304");
  });
});

it.each(["/api/docs", "/api/openapi.json"])("%s has an ETag too", async (path) => {
  const tag = (await stage.app.request(path)).headers.get("etag") ?? "";
  const again = await stage.app.request(path, { headers: { "if-none-match": tag } });
  expect([tag === "", again.status]).toEqual([false, 304]);
});

describe.each(lists)("$name", (operation) => {
  it("is read in pages, with a cursor", () => {
    // A list of a time range says which, and whether it is complete.
    const fields = operation.answerFields.filter((name) => name !== "range");
    expect(fields.toSorted()).toEqual(["data", "nextCursor"]);
    const parameters = WITHOUT_PAGES.includes(operation.name) ? [] : ["query cursor", "query limit"];
    expect(operation.parameters).toEqual(expect.arrayContaining(parameters));
  });
});

it("finds the lists", () => {
  expect(lists.length).toBeGreaterThanOrEqual(5);
});

describe.each(posts)("$name", (operation) => {
  it("is carried out once per Idempotency-Key, and never shows a secret again", async () => {
    expect(operation.parameters).toContain("header idempotency-key");
    const headers = { "idempotency-key": `once ${operation.name}` };
    const first = await send(operation, headers);
    const answer = await first.text();
    const again = await send(operation, headers);
    expect(first.ok).toBe(true);
    if (/"hop_/.test(answer)) {
      expect([again.status, await again.text()]).toEqual([
        409,
        expect.stringContaining("idempotency_secret"),
      ]);
    } else {
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect([again.status, await again.text()]).toEqual([first.status, answer]);
    }
  });
});

const send = (operation: DocumentedOperation, headers: { readonly [name: string]: string } = {}) =>
  sendOperation(operation, { app: stage.app, key, person, ids, headers });
