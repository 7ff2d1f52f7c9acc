/** A database with the workspace, domain and link of `click-batch.ts`, for tests of what is counted ahead. */
import {
  createNeonClient,
  createNeonTransactions,
  type RunSql,
  type RunTransaction,
} from "../../src/neon-client.ts";
import { openScratchStack, type ScratchStack } from "@hopline/testkit/stack/scratch-stack";
import { LINK_ID } from "../ingest/click-batch.ts";

export const WORKSPACE = "0198f3c2-0000-7000-8000-000000000001";

/** And the clients that the Workers use. */
export type SummaryStack = {
  readonly stack: ScratchStack;
  readonly runSql: RunSql;
  readonly runTransaction: RunTransaction;
};

export async function openSummaryStack(): Promise<SummaryStack> {
  const stack = await openScratchStack();
  await stack.database.query("INSERT INTO workspaces (id, name) VALUES ($1, 'test')", [WORKSPACE]);
  await stack.database.query("INSERT INTO domains (id, workspace_id, host) VALUES ($1, $1, 'a.example')", [
    WORKSPACE,
  ]);
  await stack.database.query(
    `INSERT INTO links (id, workspace_id, domain_id, slug, url, record, tags)
     VALUES ($1, $2, $2, 'a', 'https://example.com/', '{}', '{mail,print}')`,
    [LINK_ID, WORKSPACE],
  );
  const settings = { databaseUrl: stack.databaseUrl, sqlEndpoint: stack.sqlEndpoint.url };
  return { stack, runSql: createNeonClient(settings), runTransaction: createNeonTransactions(settings) };
}

/** Clicks, and everything that is made of them. */
export async function emptyClicks(stack: ScratchStack): Promise<void> {
  await stack.database.query(
    `TRUNCATE click_events, click_rollups, workspace_rollups, segment_ledger, dead_letters, event_retention,
      summary_periods, dimension_summaries, link_summaries, scope_summaries, visitor_summaries,
      summary_weeks, dimension_weeks, link_weeks, scope_weeks, tag_summaries, tag_periods, tag_memberships,
      tag_generations`,
  );
}
