/** What a client may expect of every route alike. The routes come from the OpenAPI document. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DocumentedOperation, listDocumentedOperations, pathOf } from "./every-operation.ts";
import { openStage, type Stage, type Workspace } from "../stage.ts";

const WITHOUT_TAG = [
  // They stream: a tag would have to read all of it first.
  "GET /api/v1/links/export",
  "GET /api/v1/analytics/events.csv",
  "GET /api/v1/analytics/live",
  // They answer for this very moment: the period before ends as far into itself as now, and a check is a measurement.
  "GET /api/v1/analytics/compare",
  "GET /api/health",
  "GET /api/metrics",
];
const WITHOUT_IDEMPOTENCY = [
  // It is not read twice; the slugs in the file make a repetition harmless.
  "POST /api/v1/links/import",
  // It changes nothing.
  "POST /api/v1/links/{linkId}/resolve",
];

const WITHOUT_PAGES = [
  // A key has one workspace.
  "GET /api/v1/workspaces",
];
/** The best few for what was typed so far: who wants others types on. */
const WITHOUT_CURSOR = ["GET /api/v1/analytics/values"];

const stage: Stage = await openStage();
const operations = await listDocumentedOperations(stage);
const reads = operations.filter(({ method, name }) => method === "GET" && !WITHOUT_TAG.includes(name));
const posts = operations.filter(
  ({ method, name }) => method === "POST" && !WITHOUT_IDEMPOTENCY.includes(name),
);
const lists = reads.filter(
  ({ name, answerFields }) => answerFields.includes("data") && !WITHOUT_CURSOR.includes(name),
);

let workspace: Workspace;
let key: string;
let ids: { readonly [parameter: string]: string };

beforeAll(async () => {
  workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["admin"]);
  ids = await stage.addObjects(workspace);
});

afterAll(() => stage.close());

describe.each(reads)("$name", (operation) => {
  it("has an ETag, and answers 304 to who has it already", async () => {
    const first = await send(operation);
    const tag = first.headers.get("etag") ?? "";
    expect([first.status, tag]).toEqual([200, expect.stringMatching(/^(W\/)?"[^"]+"$/)]);
    const again = await send(operation, { "if-none-match": tag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(operation.statuses).toContain("304");
  });
});

it("includes the page of the reference", async () => {
  const tag = (await stage.app.request("/api/docs")).headers.get("etag") ?? "";
  const again = await stage.app.request("/api/docs", { headers: { "if-none-match": tag } });
  expect([tag === "", again.status]).toEqual([false, 304]);
});

describe.each(lists)("$name", (operation) => {
  it("is read in pages, with a cursor", () => {
    // A list of a range of time says which, and whether all of it is still kept.
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
  it("is done once for one Idempotency-Key, and never shows a secret again", async () => {
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

function send(operation: DocumentedOperation, headers: { readonly [name: string]: string } = {}) {
  const { body } = operation;
  return stage.app.request(pathOf(operation, ids), {
    method: operation.method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === null ? {} : { "content-type": body.type }),
      ...headers,
    },
    ...(body === null ? {} : { body: body.text }),
  });
}
