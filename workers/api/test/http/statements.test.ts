/**
 * How many statements each operation sends to the database. A list with a statement for each row would show here. The operations
 * come from the OpenAPI document: a new one needs an entry.
 */
import { beforeAll, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { listDocumentedOperations, sendOperation } from "./every-operation.ts";

/**
 * Statements by operation, including the one that authenticates. Each transaction of a write begins with one that says who acts.
 * Publishing a change takes the last four, in one request.
 */
const STATEMENTS: { readonly [name: string]: number } = {
  "POST /api/v1/links": 11,
  "GET /api/v1/links": 2,
  "GET /api/v1/links/count": 2,
  "GET /api/v1/links/available": 2,
  "POST /api/v1/links/bulk": 11,
  // Of links that are not there. What 200 links take is in links/bulk-change.test.ts.
  "POST /api/v1/links/bulk/update": 2,
  "POST /api/v1/links/bulk/delete": 3,
  "POST /api/v1/links/bulk/restore": 3,
  "GET /api/v1/links/trash": 2,
  "POST /api/v1/links/upsert": 13,
  "POST /api/v1/links/import": 12,
  "GET /api/v1/links/export": 4,
  "GET /api/v1/links/{linkId}": 2,
  "PATCH /api/v1/links/{linkId}": 10,
  "DELETE /api/v1/links/{linkId}": 9,
  "GET /api/v1/links/{linkId}/aliases": 3,
  "DELETE /api/v1/links/{linkId}/aliases/{alias}": 12,
  "GET /api/v1/links/{linkId}/cache-status": 3,
  "POST /api/v1/links/{linkId}/resolve": 2,
  "PATCH /api/v1/domains/{domainId}": 11,
  "POST /api/v1/links/{linkId}/publish": 9,
  "GET /api/v1/links/{linkId}/qr": 2,
  "POST /api/v1/domains": 9,
  "GET /api/v1/domains": 2,
  "GET /api/v1/domains/{domainId}": 2,
  "POST /api/v1/domains/{domainId}/verify": 6,
  "GET /api/v1/domains/{domainId}/missed-visits": 3,
  "DELETE /api/v1/domains/{domainId}": 13,
  "PUT /api/v1/domains/{domainId}/logo": 5,
  "GET /api/v1/domains/{domainId}/logo": 2,
  "DELETE /api/v1/domains/{domainId}/logo": 3,
  "POST /api/v1/keys": 3,
  "GET /api/v1/keys": 2,
  "GET /api/v1/keys/{keyId}": 2,
  "PATCH /api/v1/keys/{keyId}": 3,
  "POST /api/v1/keys/{keyId}/rotate": 5,
  "DELETE /api/v1/keys/{keyId}": 3,
  "GET /api/v1/workspaces": 2,
  "GET /api/v1/workspaces/{workspaceId}": 2,
  "PATCH /api/v1/workspaces/{workspaceId}": 3,
  "DELETE /api/v1/workspaces/{workspaceId}": 14,
  "POST /api/v1/webhooks": 7,
  "GET /api/v1/webhooks": 2,
  "GET /api/v1/webhooks/{webhookId}": 2,
  "PATCH /api/v1/webhooks/{webhookId}": 4,
  "DELETE /api/v1/webhooks/{webhookId}": 3,
  "POST /api/v1/webhooks/{webhookId}/rotate": 4,
  "POST /api/v1/webhooks/{webhookId}/test": 3,
  "GET /api/v1/webhooks/{webhookId}/stats": 2,
  "GET /api/v1/webhooks/{webhookId}/deliveries": 3,
  "POST /api/v1/webhooks/{webhookId}/replay": 5,
  "GET /api/v1/links/{linkId}/history": 3,
  "POST /api/v1/links/{linkId}/history/{version}/revert": 12,
  "POST /api/v1/links/{linkId}/rules/copy": 11,
  "GET /api/v1/vocabularies": 1,
  "GET /api/v1/usage": 2,
  "GET /api/v1/audit-log": 2,
  "GET /api/v1/audit-log.csv": 4,
  "POST /api/v1/folders": 3,
  "POST /api/v1/tags": 3,
  "GET /api/v1/tags": 2,
  "GET /api/v1/tags/{tag}": 2,
  "PATCH /api/v1/tags/{tag}": 4,
  "DELETE /api/v1/tags/{tag}": 11,
  "GET /api/v1/folders": 2,
  "GET /api/v1/folders/{folderId}": 2,
  "PATCH /api/v1/folders/{folderId}": 3,
  "DELETE /api/v1/folders/{folderId}": 3,
  // One HTTP batch each: the transaction's limits, then a deadline and a statement for all that is counted, and for each list.
  "GET /api/v1/analytics/totals": 5,
  "GET /api/v1/analytics/timeseries": 5,
  "GET /api/v1/analytics/compare": 5,
  "GET /api/v1/analytics/breakdown": 5,
  "GET /api/v1/analytics/lines": 5,
  "GET /api/v1/analytics/values": 5,
  "GET /api/v1/analytics/events": 5,
  "GET /api/v1/analytics/events.csv": 7,
  "GET /api/v1/analytics/overview": 5,
  // Takes a place, reads the horizon (one HTTP batch), releases the place. Each further poll is a batch of 6.
  "GET /api/v1/analytics/live": 7,
};

const { stage, workspace, key } = await openKeyedStage("admin");
const operations = (await listDocumentedOperations(stage)).filter(({ scope }) => scope !== null);

beforeAll(async () => {
  const items = Array.from({ length: 150 }, (_, index) => ({
    url: `https://example.com/${index}`,
    tags: ["a", "b"],
  }));
  await callApi(stage, "POST /api/v1/links/bulk", { key, body: { items } });
});

it.each(operations)("$name sends the database as many statements as listed here", async (operation) => {
  // A deleted workspace would be missed by the others.
  const own =
    operation.name === "DELETE /api/v1/workspaces/{workspaceId}" ? await stage.addWorkspace() : null;
  // A workspace has room for fifty.
  await stage.client.query("DELETE FROM webhook_endpoints WHERE workspace_id = $1", [workspace.id]);
  const ids = await stage.addObjects(own ?? workspace);
  const as = own === null ? {} : { key: await stage.addKey(own, ["admin"]), query: "name=Test" };
  const query = operation.name === "GET /api/v1/links" ? { query: "limit=100" } : as;
  let count = 0;
  stage.endpoint.setFault(({ statements }) => {
    count += statements.length;
    return null;
  });
  const response = await sendOperation(operation, { app: stage.app, key, ids, ...query });
  await response.text();
  stage.endpoint.setFault(null);
  expect([operation.name, response.ok, count]).toEqual([operation.name, true, STATEMENTS[operation.name]]);
});

type PlanNode = {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly PlanNode[];
};

/** Rows that a plan reads, by table. */
function countRows(node: PlanNode, rows = new Map<string, number>()): ReadonlyMap<string, number> {
  const { "Relation Name": table, "Actual Rows": each, "Actual Loops": loops, Plans: plans = [] } = node;
  if (table !== undefined) {
    rows.set(table, (rows.get(table) ?? 0) + each * loops);
  }
  plans.forEach((plan) => countRows(plan, rows));
  return rows;
}

it.each(["/api/v1/links", "/api/v1/links/export"])(
  "GET %s costs the same after two years of clicks: it reads one total a link, and no rollup",
  async (path) => {
    await stage.client.query(
      `INSERT INTO link_totals (link_id, human, total, last_clicked_at) SELECT id, 17520, 17520, now() FROM links
       ON CONFLICT DO NOTHING`,
    );
    await stage.client.query(
      `INSERT INTO click_rollups (link_id, workspace_id, bucket_start, class, clicks)
       SELECT link.id, workspace_id, hour, 'human', 1 FROM (SELECT * FROM links LIMIT 5) AS link,
         generate_series(now() - interval '2 years', now(), interval '1 hour') AS hour
       ON CONFLICT DO NOTHING`,
    );
    const sent: { readonly query: string; readonly params: readonly unknown[] }[] = [];
    stage.endpoint.setFault(({ statements }) => {
      sent.push(...statements.filter(({ query }) => query.includes("link_totals")));
      return null;
    });
    const response = await stage.app.request(path, { headers: { authorization: `Bearer ${key}` } });
    await response.text();
    stage.endpoint.setFault(null);
    expect(sent).toHaveLength(1);
    const [{ query, params } = { query: "", params: [] }] = sent;
    const { rows } = await stage.client.query<{ "QUERY PLAN": readonly [{ readonly Plan: PlanNode }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${query}`,
      [...params],
    );
    const read = rows[0] === undefined ? new Map<string, number>() : countRows(rows[0]["QUERY PLAN"][0].Plan);
    expect([read.has("click_rollups"), (read.get("link_totals") ?? 0) > 0]).toEqual([false, true]);
    expect(read.get("link_totals")).toBeLessThanOrEqual(2 * (read.get("links") ?? 0));
  },
);
