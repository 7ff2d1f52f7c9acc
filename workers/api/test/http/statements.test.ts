/**
 * What each operation costs the database: requests to it and the statements in them. A list that asked for each of its
 * rows would be seen here. The operations come from the OpenAPI document: a new one has to say its number.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DocumentedOperation, listDocumentedOperations, pathOf } from "./every-operation.ts";
import { openStage, type Stage, type Workspace } from "../stage.ts";

/** Statements by operation, the one that authenticates included. Publishing a change takes the last one or two. */
const STATEMENTS: { readonly [name: string]: number } = {
  "POST /api/v1/links": 7,
  "GET /api/v1/links": 2,
  "POST /api/v1/links/bulk": 7,
  "POST /api/v1/links/upsert": 8,
  "POST /api/v1/links/import": 7,
  "GET /api/v1/links/export": 2,
  "GET /api/v1/links/{linkId}": 2,
  "PATCH /api/v1/links/{linkId}": 7,
  "DELETE /api/v1/links/{linkId}": 6,
  "GET /api/v1/links/{linkId}/cache-status": 3,
  "POST /api/v1/links/{linkId}/resolve": 2,
  "PATCH /api/v1/domains/{domainId}": 7,
  "POST /api/v1/links/{linkId}/purge": 6,
  "GET /api/v1/links/{linkId}/qr": 2,
  "POST /api/v1/domains": 2,
  "GET /api/v1/domains": 2,
  "GET /api/v1/domains/{domainId}": 2,
  "DELETE /api/v1/domains/{domainId}": 3,
  "POST /api/v1/keys": 2,
  "GET /api/v1/keys": 2,
  "GET /api/v1/keys/{keyId}": 2,
  "DELETE /api/v1/keys/{keyId}": 2,
  "GET /api/v1/workspaces": 2,
  "GET /api/v1/workspaces/{workspaceId}": 2,
  "PATCH /api/v1/workspaces/{workspaceId}": 2,
  "GET /api/v1/tags": 2,
  // One HTTP batch each: the limits of the transaction, the summaries that may be used, then a piece of the answer each, and
  // whether it is complete. Without visitors the totals of a first screen are its chart's.
  "GET /api/v1/analytics/totals": 7,
  "GET /api/v1/analytics/timeseries": 7,
  "GET /api/v1/analytics/compare": 9,
  "GET /api/v1/analytics/breakdown": 8,
  "GET /api/v1/analytics/values": 8,
  "GET /api/v1/analytics/events": 7,
  "GET /api/v1/analytics/events.csv": 5,
  "POST /api/v1/analytics/query": 12,
  // To take a place, to find out where "now" is (one HTTP batch), to leave the place. Each further look is a batch of 6.
  "GET /api/v1/analytics/live": 7,
};

const stage: Stage = await openStage();
const operations = (await listDocumentedOperations(stage)).filter(({ scope }) => scope !== null);
let workspace: Workspace;
let key: string;
let ids: { readonly [parameter: string]: string };

beforeAll(async () => {
  workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["admin"]);
  const items = Array.from({ length: 150 }, (_, index) => ({
    url: `https://example.com/${index}`,
    tags: ["a", "b"],
  }));
  await request("POST", "/api/v1/links/bulk", JSON.stringify({ items }));
});

afterAll(() => stage.close());

it.each(operations)("$name asks the database as often as is written here", async (operation) => {
  ids = await stage.addObjects(workspace);
  let count = 0;
  stage.endpoint.setFault(({ statements }) => {
    count += statements.length;
    return null;
  });
  const response = await send(operation);
  stage.endpoint.setFault(null);
  expect([operation.name, response.status < 300, count]).toEqual([
    operation.name,
    true,
    STATEMENTS[operation.name],
  ]);
});

async function send(operation: DocumentedOperation): Promise<Response> {
  const query = operation.method === "GET" && operation.name.endsWith("/links") ? "?limit=100" : "";
  const response = await request(
    operation.method,
    pathOf(operation, ids) + query,
    operation.body?.text,
    operation.body?.type,
  );
  await response.text();
  return response;
}

async function request(
  method: string,
  path: string,
  body?: string,
  type = "application/json",
): Promise<Response> {
  return stage.app.request(path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": type },
    ...(body === undefined ? {} : { body }),
  });
}
