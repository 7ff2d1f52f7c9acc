/** The totals of links are those of their clicks, also after an upgrade from a release that did not keep them. */
import { beforeEach, expect, it } from "vitest";
import { countLinkTotals } from "../../src/ledger/count-link-totals.ts";
import { LINK_ID, T0 } from "../click-batch.ts";
import { TIMEOUT_MS, useDbStage } from "../db-stage.ts";

const { select, insert, emptyClicks, runTransaction } = useDbStage();

beforeEach(emptyClicks);

const totals = async () =>
  (
    await select(
      "SELECT link_id, human::int AS human, total::int AS total, last_clicked_at AS last FROM link_totals",
    )
  ).map((row) => Object.values(row));

it("are kept with the clicks, each once", async () => {
  const first = { count: 10, row: (index: number) => ({ class: index < 4 ? "bot" : "human" }) };
  await insert([first]);
  await insert([first, { isolateId: "00c0ffee00000002", count: 3, row: () => ({ clickedAtMs: T0 - 5 }) }]);
  expect(await totals()).toEqual([[LINK_ID, 9, 13, new Date(T0 + 10)]]);
});

it("move their link in lists when it is more than a tenth of its clicks or a minute behind", async () => {
  await select(`INSERT INTO link_totals (link_id) VALUES ('${LINK_ID}')`);
  const place = async () =>
    Object.values((await select("SELECT clicks_rank::int, last_clicked_minute FROM link_totals"))[0] ?? {});
  const click = (first: number, count: number, clickedAtMs: number) =>
    insert([{ first, count, row: () => ({ clickedAtMs }) }]);
  await click(1, 10, T0);
  expect(await place()).toEqual([10, new Date(T0)]);
  await click(11, 1, T0 + 60_000);
  expect(await place()).toEqual([10, new Date(T0)]);
  await click(12, 1, T0);
  expect(await place()).toEqual([12, new Date(T0 + 60_000)]);
  await click(13, 1, T0 + 120_001);
  expect(await place()).toEqual([13, new Date(T0 + 120_001)]);
});

it("are counted again while clicks are written, and none is lost or counted twice", async () => {
  await insert([{ count: 10 }]);
  await select("DELETE FROM link_totals");
  const isolates = Array.from({ length: 8 }, (_, index) => `00c0ffee000001${index + 10}`);
  await Promise.all([
    ...isolates.map((isolateId) => insert([{ isolateId, count: 5 }])),
    countLinkTotals(runTransaction, TIMEOUT_MS),
    ...isolates.map((isolateId) => insert([{ isolateId, first: 6, count: 5 }])),
  ]);
  expect(await totals()).toMatchObject([[LINK_ID, 90, 90, expect.any(Date)]]);
});
