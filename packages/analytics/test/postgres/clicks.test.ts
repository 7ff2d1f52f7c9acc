import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { LINK_ID } from "../../../db/test/click-batch.ts";
import { TIMEOUT_MS, useDbStage, WORKSPACE } from "../../../db/test/db-stage.ts";
import { sql } from "@hopline/db/sql";
import { listClicks } from "../../src/postgres/clicks.ts";
import { readSnapshot } from "../../src/postgres/snapshot.ts";

const { select, runTransaction } = useDbStage();

it("a page of a link's clicks reads that link's, not all clicks back to its last ones", async () => {
  await select(
    `INSERT INTO click_events (event_id, clicked_at, link_id, link_version, workspace_id, source, class)
     SELECT gen_random_uuid(), timestamptz '2026-01-20' + n * interval '1 second',
       CASE WHEN n % 100 = 0 AND n < 5000 THEN $1::uuid ELSE $2::uuid END, 1, $3, 'link', 'human'
     FROM generate_series(1, 20000) AS n`,
    [LINK_ID, randomUUID(), WORKSPACE],
  );
  await select("ANALYZE click_events");
  const range = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 1, 1) };
  const filters = [{ dimension: "link", is: [LINK_ID], isNot: [] }] as const;
  const question = { workspaceId: WORKSPACE, range, filters };
  const page = listClicks({ kind: "clicks", question, after: null, limit: 10 });
  const plan = { ...page, query: sql`EXPLAIN (ANALYZE, TIMING OFF) ${page.query}`, read: JSON.stringify };
  const [text] = await readSnapshot({ runTransaction, timeoutMs: TIMEOUT_MS }, [plan]);
  // A hypertable names its chunks before the index.
  expect(text).toMatch(/Scan[^"]* (using|on) (\w+_)?click_events_of_link/);
  expect(text).not.toContain("Rows Removed by Filter");
});
