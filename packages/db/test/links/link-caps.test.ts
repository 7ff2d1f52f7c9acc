/** Click caps over the real endpoint, on whatever Postgres DATABASE_URL names. */
import { claimUse } from "../../src/links/claim-use.ts";
import { insertBatch } from "../../src/ingest/insert-clicks.ts";
import {
  createNeonClient,
  createNeonTransactions,
  type RunSql,
  type RunTransaction,
} from "../../src/neon-client.ts";
import { openScratchStack, type ScratchStack } from "@hopline/testkit/stack/scratch-stack";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { aBatch, LINK_ID } from "../ingest/click-batch.ts";

const TIMEOUT_MS = 60_000;
const WORKSPACE = "0198f3c2-0000-7000-8000-000000000001";

let stack: ScratchStack;
let runSql: RunSql;
let runTransaction: RunTransaction;

beforeAll(async () => {
  stack = await openScratchStack({ maxConnections: 40 });
  const settings = { databaseUrl: stack.databaseUrl, sqlEndpoint: stack.sqlEndpoint.url };
  runSql = createNeonClient(settings);
  runTransaction = createNeonTransactions(settings);
  await stack.database.query("INSERT INTO workspaces (id, name) VALUES ($1, 'Test')", [WORKSPACE]);
  await stack.database.query("INSERT INTO domains (id, workspace_id, host) VALUES ($1, $1, 'go.example')", [
    WORKSPACE,
  ]);
  await stack.database.query(
    "INSERT INTO links (id, workspace_id, domain_id, slug, url, record) VALUES ($1, $2, $2, 'hot', 'https://example.com/', '{}')",
    [LINK_ID, WORKSPACE],
  );
}, 60_000);

afterAll(() => stack?.close());

beforeEach(async () => {
  await stack.database.query("TRUNCATE click_events, click_rollups, segment_ledger, link_caps");
});

describe("a strict cap", () => {
  it("gives exactly its number of uses to 200 concurrent visitors", async () => {
    await setCap("strict", 50);
    const answers = await Promise.all(Array.from({ length: 200 }, () => claimUntilAnswered()));
    expect(answers.filter((isGranted) => isGranted)).toHaveLength(50);
    expect(await used()).toBe(50);
  });

  it("that can't be asked within 50 ms grants nothing, and takes nothing", async () => {
    await setCap("strict", 50);
    await stack.database.query("BEGIN");
    await stack.database.query("UPDATE link_caps SET used = used");
    await expect(claimUse(runTransaction, LINK_ID, TIMEOUT_MS)).rejects.toMatchObject({ code: "57014" });
    await stack.database.query("ROLLBACK");
    expect(await used()).toBe(0);
  });

  it("of a link that has none known grants nothing", async () => {
    expect(await claimUse(runTransaction, LINK_ID, TIMEOUT_MS)).toBe(false);
  });
});

describe("a fast cap", () => {
  it("counts each click once, however often and however concurrently it is delivered", async () => {
    await setCap("fast", 1_000);
    const deliveries = Array.from({ length: 60 }, (_, index) => {
      const isolateId = (index % 20).toString(16).padStart(16, "0");
      return insertBatch(runSql, aBatch([{ isolateId, count: 10 }]), TIMEOUT_MS);
    });
    await Promise.all(deliveries);
    expect(await used()).toBe(200);
  });

  it("is noticed by the batch that reaches it, until the edge knows", async () => {
    await setCap("fast", 25);
    const insert = (first: number) => insertBatch(runSql, aBatch([{ first, count: 10 }]), TIMEOUT_MS);
    const reports = [await insert(1), await insert(11), await insert(21), await insert(31)];
    expect(reports.map(({ usedUpLinks }) => usedUpLinks)).toEqual([0, 0, 1, 1]);
    await stack.database.query("UPDATE link_caps SET published_used_up = true");
    expect((await insert(41)).usedUpLinks).toBe(0);
    expect(await used()).toBe(50);
  });

  it("leaves strict caps alone: those are counted before the redirect", async () => {
    await setCap("strict", 25);
    await insertBatch(runSql, aBatch([{ count: 10 }]), TIMEOUT_MS);
    expect(await used()).toBe(0);
  });
});

/** On a busy machine 50 ms may pass in the queue for the row: that is a 503, and the visitor comes again. */
async function claimUntilAnswered(): Promise<boolean> {
  for (;;) {
    try {
      return await claimUse(runTransaction, LINK_ID, TIMEOUT_MS);
    } catch (error) {
      expect(error).toMatchObject({ code: "57014" });
    }
  }
}

async function setCap(mode: string, maxClicks: number): Promise<void> {
  await stack.database.query("INSERT INTO link_caps (link_id, mode, max_clicks) VALUES ($1, $2, $3)", [
    LINK_ID,
    mode,
    maxClicks,
  ]);
}

async function used(): Promise<number> {
  const result = await stack.database.query("SELECT used FROM link_caps WHERE link_id = $1", [LINK_ID]);
  return Number(result.rows[0]?.used);
}
