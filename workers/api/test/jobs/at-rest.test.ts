/**
 * What the jobs of both Workers and the batches of clicks ask of the database, KV, queues and Durable Objects in hours of virtual time: of
 * an installation at rest, of one with ten clicks an hour, of a busy one. The table of docs/capacity-and-cost.md is made of it.
 */
import { readFileSync } from "node:fs";
import { WORK_KINDS, type WorkKind } from "@hopline/db/work/work-kinds";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { beforeEach, expect, it } from "vitest";
import { FREE_LIMITS_A_DAY, SUBREQUESTS } from "../../../../packages/ops/src/cost/free-limits.ts";
import { IS_FULL } from "../../../../packages/core/test/runs.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { toUuid } from "../to-uuid.ts";
import { type Counts, createInstallation, MINUTE_MS } from "./an-installation.ts";

const { stage, key } = await openKeyedStage("links:read", "links:write");
const HOUR_MS = 60 * MINUTE_MS;
const clicked = await callApi<{ readonly id: string }>(stage, "POST /api/v1/links", {
  key,
  body: { url: "https://example.com/clicked" },
});
const linkId = toUuid(clicked.body.id);
const anInstallation = (answerInstead?: () => Promise<Response>) =>
  createInstallation({ stage, linkId, ...(answerInstead === undefined ? {} : { answerInstead }) });

beforeEach(() => stage.client.query("DELETE FROM work"));

it("an idle day, an hour of ten clicks and, in full, a busy time cost what the page says, and two idle environments less than half of what is free", async () => {
  const rest = anInstallation();
  await rest.pass(24 * HOUR_MS);
  expect(rest.minutesWithRequests()).toHaveLength(4);
  const idle = { ...rest.counts };
  expect(idle).toMatchObject({ kvReads: 0, kvWrites: 0, kvLists: 4, queueOperations: 0 });
  expect(idle.objectRequests).toBe(2 * 1_440 + 2 * 4);
  expect(idle.most).toBeLessThanOrEqual(SUBREQUESTS.free);
  const ofBoth = { ...idle, invocations: 2 * 1_440 };
  const { kvLists, objectRequests, requests } = FREE_LIMITS_A_DAY;
  expect(2 * ofBoth.kvLists).toBeLessThanOrEqual(kvLists / 2);
  expect(2 * ofBoth.objectRequests).toBeLessThanOrEqual(objectRequests / 2);
  expect(2 * ofBoth.invocations).toBeLessThanOrEqual(requests / 2);

  const quiet = anInstallation();
  await quiet.pass(HOUR_MS);
  await quiet.reset();
  for (let click = 0; click < 10; click += 1) {
    await quiet.pass(3 * MINUTE_MS + 30_000);
    await quiet.click();
    await quiet.pass(2 * MINUTE_MS + 30_000);
  }
  const busy = anInstallation();
  if (IS_FULL) {
    await busy.pass(HOUR_MS);
    await busy.reset();
    for (let click = 0; click < 120; click += 1) {
      await busy.click();
      await busy.pass(10_000);
    }
  }

  const page = readFileSync(inWorkspace("docs/capacity-and-cost.md"), "utf8");
  const columns = [idle, quiet.counts, ...(IS_FULL ? [busy.counts] : [])];
  const toRow = (...names: readonly (keyof Counts)[]) =>
    columns.map((counts) => names.map((name) => counts[name]));
  const rows = {
    "SQL requests, statements": toRow("requests", "statements"),
    "minutes with any": [rest, quiet, ...(IS_FULL ? [busy] : [])].map((one) => [
      one.minutesWithRequests().length,
    ]),
    "KV reads, writes, lists": toRow("kvReads", "kvWrites", "kvLists"),
    "queue operations": toRow("queueOperations"),
    "Durable Object requests": toRow("objectRequests"),
    "most subrequests a run": toRow("most"),
  };
  for (const [what, counted] of Object.entries(rows)) {
    const line = page.split("\n").findLast((one) => one.startsWith(`| ${what} `)) ?? "";
    const printed = (line.match(/\d[\d,]*/g) ?? []).map((text) => Number(text.replaceAll(",", "")));
    // Statements that wait for each other are as many as it happens.
    const isAlike = counted
      .flat()
      .every((count, index) => Math.abs(count - (printed[index] ?? Number.NaN)) <= Math.max(5, count / 10));
    expect([what, counted, isAlike ? null : line]).toEqual([what, counted, null]);
  }
});

it("an edit is published at once and confirmed after a quarter of an hour, and nothing is asked in between", async () => {
  const edited = anInstallation();
  await edited.pass(HOUR_MS);
  await edited.reset();
  const created = await callApi<{ readonly id: string }>(stage, "POST /api/v1/links", {
    key,
    body: { url: "https://example.com/first" },
  });
  await callApi(stage, `PATCH /api/v1/links/${created.body.id}`, {
    key,
    body: { url: "https://example.com/second" },
  });
  await edited.announce();
  await edited.pass(30 * MINUTE_MS);
  expect(edited.minutesWithRequests()).toEqual([0, 1, 16]);
  expect((await stage.client.query("SELECT FROM work WHERE kind = 'publish'")).rowCount).toBe(0);
});

it("asks and does everything when the clock does not answer", async () => {
  const alone = anInstallation(() => Promise.reject(new Error("the object is away")));
  await alone.pass(2 * MINUTE_MS);
  expect(alone.minutesWithRequests()).toHaveLength(2);
  expect(alone.counts.kvLists).toBe(2);
});

/** Done hourly where runs look that often, and by the sweeps of an idle installation; where they are set up alone. */
const NOT_LOOKED_FOR: readonly WorkKind[] = [
  ...(["retention", "audit-retention", "remove-expired", "empty-trash"] as const),
  "custom-hostname",
];

it("work of each kind starts in the minute in which it is due, as with a look every minute, and what no run has seen with the next sweep", async () => {
  const kinds = WORK_KINDS.filter((kind) => !NOT_LOOKED_FOR.includes(kind));
  const addItems = async (dueInMinutes: (index: number) => number): Promise<void> => {
    await stage.client.query("DELETE FROM work");
    for (const [index, kind] of kinds.entries()) {
      await stage.client.query(
        `INSERT INTO work (kind, key, due_at, wanted_at)
         VALUES ($1, gen_random_uuid(), now() + $2 * interval '1 minute' - interval '1 second', now())`,
        [kind, dueInMinutes(index)],
      );
    }
  };
  /** Of items that no run has taken. */
  const listWaiting = async () => {
    const { rows } = await stage.client.query<{ readonly kind: string }>(
      "SELECT kind FROM work WHERE attempts = 0 AND kind = ANY($1)",
      [kinds],
    );
    return rows.map(({ kind }) => kind).toSorted();
  };
  const idle = anInstallation();
  await idle.pass(HOUR_MS);
  await idle.reset();
  await addItems((index) => 5 + index);
  await idle.announce();
  await idle.pass(4 * MINUTE_MS);
  for (const index of kinds.keys()) {
    expect(await listWaiting()).toEqual(kinds.slice(index).toSorted());
    await idle.pass(MINUTE_MS);
  }
  expect(await listWaiting()).toEqual([]);

  // What has failed is tried again and again: it would keep the next one awake.
  await stage.client.query("DELETE FROM work");
  const unseen = anInstallation();
  await unseen.pass(HOUR_MS);
  await unseen.reset();
  await addItems(() => 1);
  await unseen.pass(5 * HOUR_MS - MINUTE_MS);
  expect(await listWaiting()).toEqual(kinds.toSorted());
  await unseen.pass(2 * MINUTE_MS);
  expect(await listWaiting()).toEqual([]);
});
