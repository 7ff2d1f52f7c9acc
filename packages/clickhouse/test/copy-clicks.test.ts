/** The copier between real engines: every click arrives once, whatever happens on the way. */
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { describe, expect, it } from "vitest";

import { LINK_ID } from "../../db/test/click-batch.ts";
import { DAY_MS, DOMAIN, HOUR_MS, TIMEOUT_MS, WORKSPACE } from "../../db/test/db-stage.ts";
import { SLICE_ROWS } from "../src/copy/click-slice.ts";
import { copyDay } from "../src/copy/copy-day.ts";
import { markMadeDay } from "../src/copy/mark-days.ts";
import { toDay, useClickHouseStage, YESTERDAY_MS } from "./clickhouse-stage.ts";

/** Not over, though midnight may come while this runs. */
const TOMORROW_MS = YESTERDAY_MS + 2 * DAY_MS;

describe.skipIf(!HAS_CLICKHOUSE)(`The copier${CLICKHOUSE_HINT}`, () => {
  const stage = useClickHouseStage();
  const { insert, select, copy, count, read, days } = stage;
  const at = (atMs: number, count = 10, isolateId = "00c0ffee00000001", first = 1) => ({
    isolateId,
    first,
    count,
    row: (index: number) => ({ clickedAtMs: atMs + index * 1_000 }),
  });
  const mark = () => stage.runSql(markMadeDay({ workspaceId: WORKSPACE, dayMs: YESTERDAY_MS }), TIMEOUT_MS);
  const copyDayOnce = (clickHouse = stage.clickHouse) =>
    copyDay(toDay(YESTERDAY_MS), Infinity, {
      runSql: stage.runSql,
      clickHouse,
      timeoutMs: TIMEOUT_MS,
      nowMs: Date.now,
    });

  it("copies what was there before, what comes later, and each click once", async () => {
    await insert([at(YESTERDAY_MS - DAY_MS, 7), at(YESTERDAY_MS, 8, "00c0ffee00000002")]);
    expect(await copy()).toEqual({ sealed: 2, wrong: 0, isBehind: false });
    expect(await count()).toEqual([15, 15]);
    await insert([at(YESTERDAY_MS + HOUR_MS, 9, "00c0ffee00000003"), at(TOMORROW_MS, 2, "00c0ffee00000004")]);
    expect(await copy()).toEqual({ sealed: 1, wrong: 0, isBehind: false });
    expect(await copy()).toEqual({ sealed: 0, wrong: 0, isBehind: false });
    // Others are copied when their day is over.
    expect(await count()).toEqual([24, 24]);
    expect((await days()).map(({ day, sealed }) => [day, sealed])).toEqual([
      [toDay(YESTERDAY_MS - DAY_MS), 7],
      [toDay(YESTERDAY_MS), 17],
    ]);
  });

  it("copies a quarter of an hour of many slices, among others", async () => {
    const many = SLICE_ROWS + 10;
    await insert([at(YESTERDAY_MS, 3), at(YESTERDAY_MS + 2 * HOUR_MS, 4, "00c0ffee00000002")]);
    await select(
      `INSERT INTO click_events (event_id, clicked_at, link_id, link_version, workspace_id, source, class, classifier_version)
       SELECT gen_random_uuid(), to_timestamp($2::float8 / 1000) + (n / 3) * interval '10 ms', $3, 1, $1, 'link', 'human', 1
       FROM generate_series(1, $4::int) AS n`,
      [WORKSPACE, YESTERDAY_MS + HOUR_MS, LINK_ID, many],
    );
    await select(
      `INSERT INTO workspace_rollups (workspace_id, bucket_start, domain_id, class, clicks)
       VALUES ($1, to_timestamp($2::float8 / 1000), $3, 'human', $4)`,
      [WORKSPACE, YESTERDAY_MS + HOUR_MS, DOMAIN, many],
    );
    expect(await copy()).toEqual({ sealed: 1, wrong: 0, isBehind: false });
    expect(await count()).toEqual([many + 7, many + 7]);
  });

  it("copies every column, whatever text is in it", async () => {
    const text = 'a "b", \\c\\n\td\ne (東京) \\N';
    const row = {
      eventId: "00c0ffee-0000-0001-0000-00000000abcd",
      clickedAtMs: YESTERDAY_MS + 123,
      linkVersion: 4,
      ruleId: "r1",
      variantId: "",
      destination: `https://example.com/?q=${text}`,
      quality: 5,
      visitor: null,
      referrerHost: null,
      city: text,
      latitude: -33.9,
      longitude: null,
      asn: 4_200_000_000,
      utmSource: "\\N",
      utmTerm: "NULL",
    };
    await insert([{ count: 1, row: () => row }]);
    await copy();
    const [{ inserted_xid: _xid, ...stored } = {}] = await select("SELECT * FROM click_events");
    const numbers = new Set(["link_version", "latitude", "longitude", "asn"]);
    const expected = Object.entries(stored).map(([column, value]) => [
      column,
      numbers.has(column) ? value && Number(value) : (value ?? ""),
    ]);
    expect(await read("SELECT * FROM clicks")).toEqual([
      {
        ...Object.fromEntries(expected),
        clicked_at: new Date(row.clickedAtMs).toISOString().replace("T", " ").replace("Z", ""),
        visitor: 0,
      },
    ]);
  });

  it("empties and copies only the quarter of an hour that a late click came into", async () => {
    await insert([at(YESTERDAY_MS, 5), at(YESTERDAY_MS + HOUR_MS, 5, "00c0ffee00000002")]);
    await copy();
    await insert([at(YESTERDAY_MS + HOUR_MS, 1, "00c0ffee00000003")]);
    const lines: number[] = [];
    const watching = {
      ...stage.clickHouse,
      insert: async (statement: string, data: string, timeoutMs: number) => {
        lines.push(data.split("\n").length);
        expect(await days()).toEqual([expect.objectContaining({ sealed: null })]);
        await stage.clickHouse.insert(statement, data, timeoutMs);
      },
    };
    await copy({ clickHouse: watching });
    expect(lines).toEqual([6]);
    expect(await count()).toEqual([11, 11]);
    expect(await days()).toEqual([expect.objectContaining({ sealed: 11 })]);
  });

  it("does not seal a day that a click came into while it was copied", async () => {
    await insert([at(YESTERDAY_MS, 5)]);
    await mark();
    const busy = {
      ...stage.clickHouse,
      insert: async (...insertion: Parameters<typeof stage.clickHouse.insert>) => {
        await stage.clickHouse.insert(...insertion);
        await insert([at(YESTERDAY_MS + HOUR_MS, 1, "00c0ffee00000002")]);
        await mark();
      },
    };
    await copyDayOnce(busy);
    expect(await days()).toEqual([expect.objectContaining({ sealed: null })]);
    await copy();
    expect(await days()).toEqual([expect.objectContaining({ sealed: 6 })]);
  });

  it("continues when ClickHouse is back, hours of clicks later", async () => {
    await insert([at(YESTERDAY_MS, 5)]);
    await copy();
    await stage.server.kill();
    await insert([at(YESTERDAY_MS + 60_000, 5, "00c0ffee00000002")]);
    await expect(copy()).rejects.toMatchObject({ name: "ClickHouse.unavailable" });
    await insert([at(YESTERDAY_MS + HOUR_MS, 5, "00c0ffee00000003")]);
    await expect(copy()).rejects.toMatchObject({ name: "ClickHouse.unavailable" });
    await stage.server.restart();
    await copy();
    expect(await count()).toEqual([15, 15]);
    expect(await days()).toEqual([expect.objectContaining({ sealed: 15 })]);
  });

  it("may be run twice at once, as when a run was given up and goes on", async () => {
    await insert([at(YESTERDAY_MS, 50)]);
    await copy();
    await insert([at(YESTERDAY_MS, 50, "00c0ffee00000003")]);
    await mark();
    await Promise.allSettled([copyDayOnce(), copyDayOnce()]);
    await copy();
    expect(await count()).toEqual([100, 100]);
    expect((await days()).map(({ sealed }) => sealed)).toEqual([100]);
  });

  it("may be killed at any statement, which is carried out nevertheless", async () => {
    await insert([at(YESTERDAY_MS, 20)]);
    let later = 0;
    for (let allowed = 0; allowed < 40; allowed += 1) {
      let left = allowed;
      const mortal =
        <Arguments extends readonly unknown[], Result>(run: (...given: Arguments) => Promise<Result>) =>
        async (...given: Arguments) => {
          left -= 1;
          const isLast = left === -1;
          if (left >= -1) {
            const result = await run(...given);
            if (!isLast) {
              return result;
            }
          }
          throw new Error("killed");
        };
      const { select: ask, insert: put, execute } = stage.clickHouse;
      const end = await copy({
        runSql: mortal(stage.runSql),
        clickHouse: { select: mortal(ask), insert: mortal(put), execute: mortal(execute) },
      }).catch((error: unknown) => error);
      if (!(end instanceof Error)) {
        break;
      }
      expect(end.message).toBe("killed");
      later += 1;
      await insert([at(YESTERDAY_MS + 60_000 * later, 2, "00c0ffee00000002", 2 * later - 1)]);
    }
    expect(later).toBeGreaterThan(5);
    await copy();
    const total = 20 + 2 * later;
    expect(await count()).toEqual([total, total]);
    expect(await days()).toEqual([expect.objectContaining({ sealed: total })]);
  });
});
