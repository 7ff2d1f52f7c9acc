/**
 * What a list reads, whatever its filter and order, by the plans of the statements that the API sends: never a whole table,
 * and never a sort of many rows. How long it takes is measured by `pnpm bench --only lists`.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openStage } from "../stage.ts";
import { fillLinks, FILTERS, FOLDERS, WORKSPACE_ID } from "./fill-links.ts";

/** As many again belong to others. */
const LINKS = 20_000;
/** More than the slowest list reads; all links of the workspace are as many, and all that there are twice as many. */
const MAX_READ = 20_000;
/** The others differ by the column only. */
const SORTS = ["-createdAt", "-clicks", "lastClickedAt"];

const stage = await openStage();
afterAll(() => stage.close());
let key: string;

beforeAll(async () => {
  await fillLinks(stage.client, LINKS);
  key = await stage.addKey({ id: WORKSPACE_ID, host: "", domainId: "" }, ["links:read"]);
});

type Plan = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly Plan[];
};

function nodesOf(plan: Plan): readonly Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

function rowsOf(node: Plan): number {
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return (node["Actual Rows"] + removed) * node["Actual Loops"];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** `read`: rows of tables and of index-only scans. `scanned`: tables that were read from one end to the other. */
async function measure(query: string) {
  const sent: { readonly query: string; readonly params: readonly unknown[] }[] = [];
  stage.endpoint.setFault(({ statements }) => {
    sent.push(...statements);
    return null;
  });
  const answer = await callApi(stage, `GET /api/v1/links?limit=100&${query}`, { key });
  stage.endpoint.setFault(null);
  expect(answer.status).toBe(200);
  const nodes: Plan[] = [];
  await stage.client.query("BEGIN");
  // The first statement is the one that authenticates.
  for (const { query: text, params } of sent.slice(1)) {
    const { rows } = await stage.client.query<{ "QUERY PLAN": readonly { readonly Plan: Plan }[] }>(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
      [...params],
    );
    nodes.push(...rows.flatMap((row) => row["QUERY PLAN"].flatMap(({ Plan: plan }) => nodesOf(plan))));
  }
  await stage.client.query("ROLLBACK");
  const isRead = (node: Plan) => node["Node Type"].endsWith("Scan") && node["Relation Name"] !== undefined;
  return {
    read: sum(nodes.filter(isRead).map(rowsOf)),
    sorted: sum(
      nodes
        .filter((node) => node["Node Type"].endsWith("Sort"))
        .flatMap(({ Plans: inputs = [] }) => inputs.map(rowsOf)),
    ),
    scanned: nodes
      .filter((node) => node["Node Type"] === "Seq Scan" && rowsOf(node) > 1_000)
      .map((node) => node["Relation Name"]),
  };
}

it.each(Object.entries(FILTERS))("reads a part of the links for a list with %s", async (_name, filter) => {
  for (const sort of SORTS) {
    const { read, sorted, scanned } = await measure(`${filter}&sort=${sort}`);
    expect({
      sort,
      scanned,
      isBounded: read < MAX_READ,
      isSortSmall: sorted < LINKS / 4,
      read,
      sorted,
    }).toEqual({
      sort,
      scanned: [],
      isBounded: true,
      isSortSmall: true,
      read,
      sorted,
    });
  }
});

it("ends a walk whose first part has let almost nothing through", async () => {
  for (const sort of SORTS) {
    const { read } = await measure(`tag=nothing&sort=${sort}`);
    expect([sort, read < 4_000, read]).toEqual([sort, true, read]);
  }
});

it("reads of 6,000 links in the order of clicks only their own totals", async () => {
  const { read, scanned } = await measure("tag=imported&tag=oldest&sort=-lastClickedAt");
  expect([read < 15_000, scanned, read]).toEqual([true, [], read]);
});

it("reads a range of the order by creation where it is, however far from the beginning", async () => {
  const { read, sorted } = await measure("createdBefore=2025-01-08T00:00:00Z&sort=-createdAt");
  expect([read < 1_500, sorted < 500, read, sorted]).toEqual([true, true, read, sorted]);
});

it("reads the indexes of domain, folder and search together", async () => {
  const folder = FOLDERS.large.replaceAll("-", "");
  const { read } = await measure(
    `search=pring&tag=twentieth&domain=d2.w1.example&folder=fld_${folder}&sort=-slug`,
  );
  // 2,000 links are in the domain, 3,300 have the word; the walk before takes 2,000 steps.
  expect([read < 4_000, read]).toEqual([true, read]);
});
