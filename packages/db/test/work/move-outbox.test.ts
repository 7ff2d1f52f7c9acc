/** migrations/0020_work.sql on a database of the release before it, and beside that release's API. */
import { readFileSync } from "node:fs";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { expect, it } from "vitest";
import { LINK_ID } from "../click-batch.ts";
import { TIMEOUT_MS, useDbStage } from "../db-stage.ts";

const { select, runAs } = useDbStage();

it("moves what waits in the outbox, with its retries, and again when it is run again", async () => {
  await select("DROP TRIGGER link_outbox_to_work ON link_outbox");
  await select(
    `INSERT INTO link_outbox (link_key, link_id, version, record, created_at, attempts, due_at, published_at) VALUES
       ('a.example/waits', $1, 3, 'waits', now() - interval '1 minute', 4, now() + interval '1 second', NULL),
       ('a.example/confirming', $1, 2, 'confirming', now(), 0, now() + interval '90 seconds', now())`,
    [LINK_ID],
  );
  const migration = readFileSync(inWorkspace("migrations/0020_work.sql"), "utf8");
  await select(migration);
  await select(migration);
  expect(
    await select(`SELECT key, payload, attempts, wanted_at < now() - interval '50 seconds' AS "hasWaited",
      due_at > now() + interval '80 seconds' AS "isLater" FROM work WHERE kind = 'publish' ORDER BY key`),
  ).toEqual([
    {
      key: "a.example/confirming",
      payload: { linkId: LINK_ID, version: 2, record: "confirming", isPublished: true },
      attempts: 0,
      hasWaited: false,
      isLater: true,
    },
    {
      key: "a.example/waits",
      payload: { linkId: LINK_ID, version: 3, record: "waits" },
      attempts: 4,
      hasWaited: true,
      isLater: false,
    },
  ]);
  expect(await select("SELECT FROM link_outbox")).toEqual([]);
});

it("copies what the API of the release before still enqueues, and never an older version", async () => {
  const enqueue = (version: number) =>
    runAs("hopline_api")(
      `INSERT INTO link_outbox (link_key, link_id, version, record, lease, due_at)
       VALUES ('a.example/edited', $1, $2, $3, gen_random_uuid(), now() + interval '15 seconds')
       ON CONFLICT (link_key) DO UPDATE SET version = excluded.version, record = excluded.record`,
      [LINK_ID, version, `v${version}`],
      TIMEOUT_MS,
    );
  const stored = () =>
    select("SELECT payload, revision, due_at > now() AS later FROM work WHERE key = 'a.example/edited'");
  await enqueue(5);
  await enqueue(6);
  const newest = { payload: { linkId: LINK_ID, version: 6, record: "v6" }, revision: "2", later: true };
  expect(await stored()).toEqual([newest]);
  await enqueue(4);
  expect(await stored()).toEqual([newest]);
});
