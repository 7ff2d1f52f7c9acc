/** The copier between real engines: every click arrives once, whatever happens on the way. */
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { toClientConfig } from "@hopline/testkit/postgres/database-url";
import pg from "pg";
import { describe, expect, it } from "vitest";

import { LINK_ID } from "../../db/test/click-batch.ts";
import { DAY_MS, DOMAIN, WORKSPACE } from "../../db/test/db-stage.ts";
import { toDay, useClickHouseStage, waitForHorizon, YESTERDAY_MS } from "./clickhouse-stage.ts";

describe.skipIf(!HAS_CLICKHOUSE)(`The copier${CLICKHOUSE_HINT}`, () => {
  const stage = useClickHouseStage();
  const { insert, copy, count, read, days } = stage;
  const at = (atMs: number, count = 10, isolateId = "00c0ffee00000001", first = 1) => ({
    isolateId,
    first,
    count,
    row: (index: number) => ({ clickedAtMs: atMs + index * 1_000 }),
  });
  const NO_DAY = { sealed: null };

  it("copies what was there before, what comes later, and each click once", async () => {
    await insert([at(YESTERDAY_MS - DAY_MS, 7), at(YESTERDAY_MS, 8, "00c0ffee00000002")]);
    await copy();
    expect(await count()).toEqual([15, 15]);
    await insert([
      at(YESTERDAY_MS + 3_600_000, 9, "00c0ffee00000003"),
      at(Date.now() - 1_000, 2, "00c0ffee00000004"),
    ]);
    await copy();
    await copy();
    expect(await count()).toEqual([26, 26]);
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
    expect(await read("SELECT * FROM clicks")).toEqual([
      {
        workspace_id: WORKSPACE,
        domain_id: DOMAIN,
        link_id: LINK_ID,
        event_id: row.eventId,
        clicked_at: new Date(row.clickedAtMs).toISOString().replace("T", " ").replace("Z", ""),
        link_version: 4,
        rule_id: "r1",
        variant_id: "",
        destination: row.destination,
        source: "link",
        class: "human",
        quality: 5,
        classifier_version: 1,
        visitor: 0,
        referrer_host: "",
        language: "de-CH",
        browser: "Firefox",
        os: "Linux",
        device: "desktop",
        country: "CH",
        region: "ZH",
        city: text,
        continent: "EU",
        latitude: -33.9,
        longitude: null,
        colo: "ZRH",
        asn: 4_200_000_000,
        utm_source: "\\N",
        utm_medium: "",
        utm_campaign: "",
        utm_term: "NULL",
        utm_content: "",
      },
    ]);
  });

  it("seals a day when both stores agree, and not today", async () => {
    await insert([at(YESTERDAY_MS, 5), at(Date.now() - 1_000, 3, "00c0ffee00000002")]);
    await copy();
    const [first] = await days();
    expect(first).toEqual({ workspace: WORKSPACE, day: toDay(YESTERDAY_MS), sealed: 5 });
    expect((await days()).slice(1)).toEqual([expect.objectContaining(NO_DAY)]);
  });

  it("takes the seal off a day before a late click is copied into it, and seals it again", async () => {
    await insert([at(YESTERDAY_MS, 5)]);
    await copy();
    await insert([at(YESTERDAY_MS, 1, "00c0ffee00000002")]);
    const seen: unknown[] = [];
    const watching = {
      ...stage.clickHouse,
      insert: async (...insertion: Parameters<typeof stage.clickHouse.insert>) => {
        seen.push(...(await days()));
        await stage.clickHouse.insert(...insertion);
      },
    };
    await copy({ clickHouse: watching });
    expect(seen).toEqual([expect.objectContaining(NO_DAY)]);
    await stage.makeDue();
    await copy();
    expect(await days()).toEqual([expect.objectContaining({ sealed: 6 })]);
  });

  it("does not skip a click that is committed late by a transaction that began early", async () => {
    await insert([at(YESTERDAY_MS, 2)]);
    await copy();
    const early = new pg.Client(toClientConfig(stage.databaseUrl()));
    await early.connect();
    await early.query("BEGIN");
    await early.query(
      `INSERT INTO click_events (event_id, clicked_at, link_id, link_version, workspace_id, source, class, classifier_version)
       SELECT gen_random_uuid(), clicked_at, link_id, 1, workspace_id, 'link', 'human', 1 FROM click_events LIMIT 1`,
    );
    await stage.insertNow([at(YESTERDAY_MS, 3, "00c0ffee00000002")]);
    await copy();
    expect(await count()).toEqual([2, 2]);
    await early.query("COMMIT");
    await early.end();
    await waitForHorizon(stage.select);
    await copy();
    expect(await count()).toEqual([6, 6]);
  });

  it("continues where it was when ClickHouse was away", async () => {
    await insert([at(YESTERDAY_MS, 5)]);
    await copy();
    await stage.server.kill();
    await insert([at(YESTERDAY_MS + 60_000, 5, "00c0ffee00000002")]);
    await expect(copy()).rejects.toMatchObject({ name: "ClickHouse.unavailable" });
    await insert([at(YESTERDAY_MS + 120_000, 5, "00c0ffee00000003")]);
    await expect(copy()).rejects.toMatchObject({ name: "ClickHouse.unavailable" });
    await stage.server.restart();
    await copy();
    expect(await count()).toEqual([15, 15]);
    await stage.makeDue();
    await copy();
    expect(await days()).toEqual([expect.objectContaining({ sealed: 15 })]);
  });

  it("inserts once what was inserted but not acknowledged, for new clicks and for days", async () => {
    const losing = {
      ...stage.clickHouse,
      insert: async (...insertion: Parameters<typeof stage.clickHouse.insert>) => {
        await stage.clickHouse.insert(...insertion);
        throw new Error("the answer was lost");
      },
    };
    await insert([at(YESTERDAY_MS, 5)]);
    await expect(copy({ clickHouse: losing })).rejects.toThrow("the answer was lost");
    await copy();
    await insert([at(YESTERDAY_MS + 60_000, 5, "00c0ffee00000002")]);
    await expect(copy({ clickHouse: losing })).rejects.toThrow("the answer was lost");
    // More clicks in the meantime do not change what is inserted again.
    await insert([at(YESTERDAY_MS + 120_000, 5, "00c0ffee00000003")]);
    await expect(copy({ clickHouse: losing })).rejects.toThrow("the answer was lost");
    await copy();
    expect(await count()).toEqual([15, 15]);
  });

  it("may be run twice at once", async () => {
    await insert([at(YESTERDAY_MS, 50), at(YESTERDAY_MS - DAY_MS, 50, "00c0ffee00000002")]);
    await Promise.all([copy(), copy()]);
    await insert([at(YESTERDAY_MS, 50, "00c0ffee00000003")]);
    await Promise.all([copy(), copy()]);
    expect(await count()).toEqual([150, 150]);
    await stage.makeDue();
    await copy();
    expect((await days()).map(({ sealed }) => sealed)).toEqual([50, 100]);
  });

  it.each(["runSql", "clickHouse"] as const)("may be killed at any statement: %s", async (where) => {
    await insert([at(YESTERDAY_MS, 20)]);
    let later = 0;
    for (let allowed = 0; allowed < 40; allowed += 1) {
      let left = allowed;
      const spend = () => {
        left -= 1;
        if (left < 0) {
          throw new Error("killed");
        }
      };
      const { clickHouse, runSql } = stage;
      const dying = {
        runSql: async (...statement: Parameters<typeof runSql>) => {
          if (where === "runSql") {
            spend();
          }
          return runSql(...statement);
        },
        clickHouse: {
          ...clickHouse,
          select: async (...query: Parameters<typeof clickHouse.select>) => {
            if (where === "clickHouse") {
              spend();
            }
            return clickHouse.select(...query);
          },
          insert: async (...insertion: Parameters<typeof clickHouse.insert>) => {
            if (where === "clickHouse") {
              spend();
            }
            await clickHouse.insert(...insertion);
          },
        },
      };
      const end = await copy(dying).catch((error: unknown) => error);
      if (!(end instanceof Error)) {
        break;
      }
      expect(end.message).toBe("killed");
      later += 1;
      await insert([at(YESTERDAY_MS + 60_000 * later, 2, "00c0ffee00000002", 2 * later - 1)]);
    }
    expect(later).toBeGreaterThan(1);
    await stage.makeDue();
    await copy();
    const total = 20 + 2 * later;
    expect(await count()).toEqual([total, total]);
    expect(await days()).toEqual([expect.objectContaining({ sealed: total })]);
  });
});
