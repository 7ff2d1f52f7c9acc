/** A scratch database with a workspace, a domain and a link, and clients with the Workers' privileges. */
import { openScratchStack, type ScratchStack } from "@hopline/testkit/stack/scratch-stack";
import { asRole, type WorkerRole } from "@hopline/testkit/postgres/worker-roles";
import { afterAll, beforeAll } from "vitest";
import { insertClicks } from "../src/ingest/insert-clicks.ts";
import {
  createNeonClient,
  createNeonTransactions,
  type RunSql,
  type RunTransaction,
} from "../src/neon-client.ts";
import { aBatch, LINK_ID, type SegmentShape } from "./click-batch.ts";

export const WORKSPACE = "0198f3c2-0000-7000-8000-000000000001";
export const DOMAIN = "0198f3c2-0000-7000-8000-000000000002";
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const TIMEOUT_MS = 30_000;

type Rows = readonly Record<string, unknown>[];

/** Opens it before the tests of a file, and closes it after them. */
export function useDbStage(maxConnections = 20) {
  let stack: ScratchStack;
  const select = async (statement: string, values: readonly unknown[] = []): Promise<Rows> =>
    (await stack.database.query<Record<string, unknown>>(statement, [...values])).rows;
  const settingsOf = (role: WorkerRole) => ({
    databaseUrl: asRole(role),
    sqlEndpoint: stack.sqlEndpoint.url,
  });
  const runAs =
    (role: WorkerRole): RunSql =>
    (...statement) =>
      createNeonClient(settingsOf(role))(...statement);
  const runTransactionAs =
    (role: WorkerRole): RunTransaction =>
    (...statements) =>
      createNeonTransactions(settingsOf(role))(...statements);
  const runSql = runAs("hopline_consumer");
  const addLink = (id: string, slug: string, { workspace = WORKSPACE, domain = DOMAIN } = {}) =>
    select(
      `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
       VALUES ($1, $2, $3, $4, 'https://example.com/', '{"format":1}')`,
      [id, workspace, domain, slug],
    );
  const addWorkspace = async (workspace: string, domain: string) => {
    await select("INSERT INTO workspaces (id, name) VALUES ($1, 'test')", [workspace]);
    await select("INSERT INTO domains (id, workspace_id, host, proof) VALUES ($1, $2, $3, 'vouched')", [
      domain,
      workspace,
      `${domain}.example`,
    ]);
  };
  beforeAll(async () => {
    stack = await openScratchStack({ maxConnections });
    await addWorkspace(WORKSPACE, DOMAIN);
    await addLink(LINK_ID, "a");
  });
  afterAll(() => stack?.close());
  return {
    /** The owner's: for a connection that a test keeps open. */
    databaseUrl: () => stack.databaseUrl,
    /** As the database's owner. */
    select,
    /** A connection of one's own, for transactions; release it. */
    connect: () => stack.database.connect(),
    /** With the consumer's privileges. */
    runSql,
    runTransaction: runTransactionAs("hopline_consumer"),
    runAs,
    runTransactionAs,
    addWorkspace,
    addLink,
    /** The consumer's statement. Resolves to how many clicks were new. */
    insert: (shapes: readonly SegmentShape[]) => insertClicks(runSql, aBatch(shapes), TIMEOUT_MS),
    /** Removes clicks and everything made of them. */
    emptyClicks: () =>
      select(
        `TRUNCATE click_events, click_rollups, workspace_rollups, segment_ledger, ledger_sums, dead_letters, event_retention,
          link_caps, link_totals, click_cube, cube_days, cube_visitors, cube_visits, work`,
      ),
  };
}
