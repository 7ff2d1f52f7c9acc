/** Click caps over the real endpoint, on the Postgres that DATABASE_URL names. */
import { beforeEach, describe, expect, it } from "vitest";
import { insertBatch } from "../../src/ingest/insert-clicks.ts";
import { claimUses, returnUses } from "../../src/links/claim-uses.ts";
import { aBatch, LINK_ID } from "../click-batch.ts";
import { TIMEOUT_MS, useDbStage } from "../db-stage.ts";

const { select, emptyClicks, runSql, runAs } = useDbStage(40);
const asProducer = runAs("hopline_producer");

beforeEach(emptyClicks);

describe("a strict cap", () => {
  it("gives exactly its number of uses to 200 concurrent visitors, however many of them ask together", async () => {
    await setCap("strict", 50);
    const sizes = [1, 2, 3, 14, 20];
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, index) => claimUntilAnswered(sizes[index % sizes.length] ?? 1)),
    );
    expect(answers.reduce((sum, granted) => sum + granted, 0)).toBe(50);
    expect(await used()).toBe(50);
  });

  it("that was lowered below its uses grants nothing, and forgets none", async () => {
    await setCap("strict", 5);
    await select("UPDATE link_caps SET used = 9");
    expect(await claimUntilAnswered(3)).toBe(0);
    expect(await used()).toBe(9);
  });

  it("gives an isolate at most 1 % of what is left beyond those who wait, so that one below 100 is exact", async () => {
    await setCap("strict", 1_000);
    const asked: number[] = [];
    for (const used of [0, 500, 901, 999, 1_000]) {
      await select("UPDATE link_caps SET used = $1", [used]);
      asked.push(await claimUses(asProducer, { linkId: LINK_ID, wanted: 2, spare: 50 }, TIMEOUT_MS));
    }
    expect(asked).toEqual([10, 5, 2, 1, 0]);
  });

  it("takes back what an isolate did not use, but not after an edit or once its end is published", async () => {
    await setCap("strict", 1_000);
    const [link] = await select("SELECT version FROM links WHERE id = $1", [LINK_ID]);
    const version = Number(link?.["version"]);
    const after = async (change: string, ofVersion = version) => {
      await select(`UPDATE link_caps SET used = 10, ${change}`);
      await returnUses(asProducer, { linkId: LINK_ID, unused: 4, version: ofVersion }, TIMEOUT_MS);
      return used();
    };
    expect(await after("published_used_up = false")).toBe(6);
    expect(await after("published_used_up = false", version - 1)).toBe(10);
    // The edge is not told of tags, and still has the version before.
    await select("UPDATE links SET tags = '{spring}' WHERE id = $1", [LINK_ID]);
    expect(await after("published_used_up = false")).toBe(6);
    expect(await after("published_used_up = true")).toBe(10);
    expect(await after("published_used_up = false, mode = 'fast'")).toBe(10);
    await select("UPDATE links SET record = replace(record, 'https', 'http') WHERE id = $1", [LINK_ID]);
    expect(await after("published_used_up = false, mode = 'strict'")).toBe(10);
  });

  it("whose row is locked for 25 ms grants nothing, and counts nothing", async () => {
    await setCap("strict", 50);
    await select("BEGIN");
    await select("UPDATE link_caps SET used = used");
    await expect(
      claimUses(asProducer, { linkId: LINK_ID, wanted: 1, spare: 0 }, TIMEOUT_MS),
    ).rejects.toMatchObject({ code: "55P03" });
    await select("ROLLBACK");
    expect(await used()).toBe(0);
  });

  it("grants nothing to a link without a cap", async () => {
    expect(await claimUses(asProducer, { linkId: LINK_ID, wanted: 1, spare: 9 }, TIMEOUT_MS)).toBe(0);
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

  it("is reported by each batch that reaches it, until it is published", async () => {
    await setCap("fast", 25);
    const insert = (first: number) => insertBatch(runSql, aBatch([{ first, count: 10 }]), TIMEOUT_MS);
    const reports = [await insert(1), await insert(11), await insert(21), await insert(31)];
    expect(reports.map(({ usedUpLinks }) => usedUpLinks)).toEqual([0, 0, 1, 1]);
    await select("UPDATE link_caps SET published_used_up = true");
    expect((await insert(41)).usedUpLinks).toBe(0);
    expect(await used()).toBe(50);
  });

  it("does not count for strict caps, which are counted before the redirect", async () => {
    await setCap("strict", 25);
    await insertBatch(runSql, aBatch([{ count: 10 }]), TIMEOUT_MS);
    expect(await used()).toBe(0);
  });
});

/** The wait for the row may exceed 25 ms. An isolate tries again then. */
async function claimUntilAnswered(wanted: number): Promise<number> {
  for (;;) {
    try {
      return await claimUses(asProducer, { linkId: LINK_ID, wanted, spare: 0 }, TIMEOUT_MS);
    } catch (error) {
      expect(error).toMatchObject({ code: "55P03" });
    }
  }
}

function setCap(mode: string, maxClicks: number) {
  const values = [LINK_ID, mode, maxClicks];
  return select(
    `INSERT INTO link_caps (link_id, workspace_id, mode, max_clicks)
     SELECT id, workspace_id, $2::text, $3::bigint FROM links WHERE id = $1`,
    values,
  );
}

async function used(): Promise<number> {
  const [row] = await select("SELECT used FROM link_caps WHERE link_id = $1", [LINK_ID]);
  return Number(row?.["used"]);
}
