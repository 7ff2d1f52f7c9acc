/** What `pnpm reconcile` says of webhooks' clicks. */
import { sql } from "@hopline/db/sql";
import { findWebhookAccounts } from "@hopline/db/webhooks/reconcile-webhooks";
import { expect, it } from "vitest";
import { runSqlOf } from "../run-sql-of.ts";
import { openWebhookStage } from "./webhook-stage.ts";

const TIMEOUT_MS = 30_000;
const { stage, addWebhook, receiver, click, run } = await openWebhookStage();
const runSql = runSqlOf(stage.client);

it("a click that is in no row is missing, one that is in two is doubled", async () => {
  const { url } = await receiver();
  await addWebhook({ url, events: ["click"], mode: "batch" });
  await click({ count: 3 });
  await run();
  expect(await findWebhookAccounts(runSql, TIMEOUT_MS)).toMatchObject([
    { delivered: 3, missing: 0, doubled: 0 },
  ]);
  await stage.client.query("UPDATE webhook_deliveries SET event_ids = event_ids[2:] || event_ids[2:2]");
  expect(await findWebhookAccounts(runSql, TIMEOUT_MS)).toMatchObject([
    { delivered: 3, missing: 1, doubled: 1 },
  ]);
});

it("compares no click with each that is listed, whatever the planner believes of a list", async () => {
  const plan: string[] = [];
  await findWebhookAccounts(async (statement, timeoutMs) => {
    const rows = await runSql(sql`EXPLAIN ${statement}`, timeoutMs);
    plan.push(...rows.map((row) => String(row["QUERY PLAN"])));
    return [];
  }, TIMEOUT_MS);
  expect(plan.join("\n")).toContain("CTE Scan on listed");
  expect(plan.join("\n")).not.toContain("Anti Join");
});
