/**
 * packages/db/roles.sql: what each role must not do, and the producer's statements under its role. All other tests of this folder
 * run the consumer's statements under its role, and those of `pnpm reconcile` under the reader's. The API's tests and the
 * end-to-end stacks do the same for whole Workers.
 */
import { readFileSync } from "node:fs";
import type { WorkerRole } from "@hopline/testkit/postgres/worker-roles";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { describe, expect, it } from "vitest";
import { claimUses } from "../src/links/claim-uses.ts";
import { domainKeyOf } from "@hopline/core/link/domain-record";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { sql } from "../src/sql.ts";
import { findLinkRecords } from "../src/links/find-link-records.ts";
import { listDeadLetters, markReplayed } from "../src/ledger/find-dead-letters.ts";
import { LINK_ID } from "./click-batch.ts";
import { DOMAIN, TIMEOUT_MS, useDbStage } from "./db-stage.ts";

const { select, runAs, runSql } = useDbStage();

it("the producer finds links and domains, and takes a use of a strict cap", async () => {
  const asProducer = runAs("hopline_producer");
  await select(
    `INSERT INTO link_caps (link_id, workspace_id, mode, max_clicks)
     SELECT id, workspace_id, 'strict', 1 FROM links WHERE id = $1`,
    [LINK_ID],
  );
  const host = `${DOMAIN}.example`;
  const [link, domain, unknown] = [linkKeyOf(host, "a"), domainKeyOf(host), linkKeyOf(host, "unknown")];
  const stranger = domainKeyOf("stranger.example");
  const found = await findLinkRecords(asProducer, [link, unknown, domain, stranger, link], TIMEOUT_MS);
  expect([...found.keys()].toSorted()).toEqual([domain, link].toSorted());
  expect(JSON.parse(found.get(link) ?? "")).toEqual({ format: 1, version: 1 });
  expect(JSON.parse(found.get(domain) ?? "")).toMatchObject({ format: 1, domain: DOMAIN });
  const wanted = { linkId: LINK_ID, wanted: 2, spare: 0 };
  expect(await claimUses(asProducer, wanted, TIMEOUT_MS)).toBe(1);
});

it("dead letters are listed by the reader, and replayed with the consumer's privileges", async () => {
  expect(
    await listDeadLetters(runAs("hopline_reader"), { withReplayed: true, limit: 1 }, TIMEOUT_MS),
  ).toEqual([]);
  await markReplayed(runSql, LINK_ID, TIMEOUT_MS);
});

it("may be run again, and then takes back what was granted by hand", async () => {
  const readKeys = () => runAs("hopline_producer")(sql`SELECT FROM api_keys`, TIMEOUT_MS);
  await select("GRANT SELECT ON api_keys TO hopline_producer");
  expect(await readKeys()).toEqual([]);
  await select(readFileSync(inWorkspace("packages/db/roles.sql"), "utf8"));
  await expect(readKeys()).rejects.toMatchObject({ code: "42501" });
});

describe("is refused:", () => {
  it.each<[WorkerRole, string]>([
    ["hopline_producer", "SELECT FROM api_keys"],
    ["hopline_producer", "SELECT FROM click_events"],
    ["hopline_producer", "SELECT FROM dead_letters"],
    ["hopline_producer", "UPDATE links SET url = 'https://elsewhere.example/'"],
    ["hopline_producer", "UPDATE link_caps SET max_clicks = 1000"],
    ["hopline_producer", "DELETE FROM links"],
    ["hopline_consumer", "SELECT FROM api_keys"],
    ["hopline_consumer", "SELECT host FROM domains"],
    ["hopline_consumer", "UPDATE links SET url = 'https://elsewhere.example/'"],
    ["hopline_consumer", "DELETE FROM link_caps"],
    ["hopline_consumer", "SELECT state FROM link_versions"],
    ["hopline_consumer", "UPDATE click_events SET class = 'human'"],
    ["hopline_consumer", "UPDATE dead_letters SET body = ''"],
    ["hopline_api", "DELETE FROM click_events"],
    ["hopline_api", "INSERT INTO click_rollups SELECT * FROM click_rollups"],
    ["hopline_api", "UPDATE segment_ledger SET inserted = 0"],
    ["hopline_api", "SELECT drop_click_chunks(now())"],
    ["hopline_api", "UPDATE audit_log SET actor = 'operator'"],
    ["hopline_reader", "SELECT claim_uses(gen_random_uuid(), 1, 0)"],
    ["hopline_reader", "SELECT return_uses(gen_random_uuid(), 1, 1)"],
    ["hopline_api", "SELECT return_uses(gen_random_uuid(), 1, 1)"],
    ["hopline_consumer", "SELECT claim_uses(gen_random_uuid(), 1, 0)"],
    ["hopline_producer", "UPDATE link_caps SET used = 0"],
    ["hopline_producer", "SELECT audit_event(gen_random_uuid(), 'link.clicks_deleted', NULL, NULL)"],
    ["hopline_consumer", "SELECT audit_event(gen_random_uuid(), 'link.clicks_deleted', NULL, NULL)"],
    ["hopline_api", "UPDATE link_versions SET actor = 'operator'"],
    ["hopline_reader", "SELECT FROM audit_log"],
    ["hopline_reader", "SELECT FROM links"],
    ["hopline_reader", "SELECT state FROM link_versions"],
    ["hopline_reader", "SELECT FROM api_keys"],
    ["hopline_reader", "DELETE FROM dead_letters"],
    ["hopline_reader", "TRUNCATE click_events"],
    ["hopline_api", "CREATE TABLE mine (id int)"],
  ])("%s: %s", async (role, text) => {
    const statement = sql(Object.assign([text], { raw: [text] }));
    await expect(runAs(role)(statement, TIMEOUT_MS)).rejects.toMatchObject({ code: "42501" });
  });
});

it("the consumer neither sees nor makes work of the API's: it could have a record of its own published", async () => {
  await select("INSERT INTO work (kind, key) VALUES ('publish', 'a.example/a'), ('spill', 'all')");
  expect(await runSql(sql`SELECT kind FROM work`, TIMEOUT_MS)).toEqual([{ kind: "spill" }]);
  expect(
    await runSql(sql`UPDATE work SET payload = '{}' WHERE kind = 'publish' RETURNING 1`, TIMEOUT_MS),
  ).toEqual([]);
  const forge = sql`INSERT INTO work (kind, key, payload) VALUES ('publish', 'a.example/b', '{}')`;
  await expect(runSql(forge, TIMEOUT_MS)).rejects.toMatchObject({ code: "42501" });
  await expect(
    runSql(sql`UPDATE work SET kind = 'publish' WHERE kind = 'spill'`, TIMEOUT_MS),
  ).rejects.toMatchObject({
    code: "42501",
  });
});

it("every table of the migrations is granted to somebody: a new one has to be added to packages/db/roles.sql", async () => {
  const forgotten = await select(`
    SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN (
      SELECT table_name FROM information_schema.role_table_grants WHERE grantee LIKE 'hopline\\_%'
    )`);
  expect(forgotten).toEqual([]);
});
