/** The consumer's statement over the real endpoint, on the Postgres that DATABASE_URL names. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { insertClicks } from "../../src/ingest/insert-clicks.ts";
import { type DeadLetter, insertDeadLetter } from "../../src/ingest/insert-dead-letters.ts";
import { aBatch, aSegmentEntry, LINK_ID, type SegmentShape, T0 } from "../click-batch.ts";
import { DOMAIN, TIMEOUT_MS, useDbStage, WORKSPACE } from "../db-stage.ts";

/** As many as there are connections: more would only wait for one in this process, and run out of time there when the machine is busy. */
const AT_ONCE = 80;
const { select, insert, emptyClicks, runSql } = useDbStage(AT_ONCE);

beforeEach(emptyClicks);

describe("a batch of clicks", () => {
  it("writes events, rollups and ledger rows at once, and looks up workspace and domain", async () => {
    expect(await insert([{ count: 3 }, { first: 4, count: 2, row: () => ({ class: "bot" }) }])).toBe(5);

    const events = await select(
      "SELECT workspace_id, domain_id, class, clicked_at FROM click_events ORDER BY event_id",
    );
    expect(events).toHaveLength(5);
    expect(events[0]).toEqual({
      workspace_id: WORKSPACE,
      domain_id: DOMAIN,
      class: "human",
      clicked_at: new Date(T0 + 1),
    });
    const rollup = {
      link_id: LINK_ID,
      bucket_start: new Date(T0),
      workspace_id: WORKSPACE,
      domain_id: DOMAIN,
      hashes: "0",
    };
    expect(await select("SELECT * FROM click_rollups ORDER BY class")).toEqual([
      { ...rollup, class: "bot", clicks: "2" },
      { ...rollup, class: "human", clicks: "3" },
    ]);
    expect(await ledger()).toEqual([
      [1, 3, { inserted: 3, duplicates: 0, rejected: 0, deliveries: 1, delayMs: 2500 }],
      [4, 2, { inserted: 2, duplicates: 0, rejected: 0, deliveries: 1, delayMs: 2500 }],
    ]);
  });

  it("counts people who came through an alias by its slug, each once", async () => {
    await select("TRUNCATE alias_clicks");
    const DAY_MS = 86_400_000;
    const through = (alias: string) => (index: number) => ({
      alias,
      class: index === 0 ? "bot" : "human",
      clickedAtMs: T0 + (index % 2) * DAY_MS,
    });
    const shapes = [
      { count: 4, row: through("spring") },
      { first: 5, count: 2, row: through("a\\b") },
      { first: 7, count: 2 },
      {
        first: 9,
        count: 2,
        row: () => ({ alias: "spring", linkId: "0198f3c2-0000-7000-8000-0000000000ff" }),
      },
    ];
    await insert(shapes.slice(0, 3));
    await insert(shapes);
    await insert([{ isolateId: "00c0ffee00000002", count: 2, row: through("spring") }]);
    const today = { link_id: LINK_ID, day: "2026-11-21", last_clicked_at: new Date(T0) };
    const tomorrow = { link_id: LINK_ID, day: "2026-11-22", last_clicked_at: new Date(T0 + DAY_MS) };
    expect(
      await select(
        "SELECT link_id, slug, day::text, clicks::int, last_clicked_at FROM alias_clicks ORDER BY 2 DESC, 3",
      ),
    ).toEqual([
      { ...today, slug: "spring", clicks: 1 },
      { ...tomorrow, slug: "spring", clicks: 3 },
      { ...tomorrow, slug: "a\\b", clicks: 1 },
    ]);
  });

  it("stores each value as it is, whatever is in it", async () => {
    const cities = ["", "null", " a\tb\n", 'say "hi"', "\\", "{a,b}", "Zürich", "東京", null];
    await insert([{ count: cities.length, row: (index) => ({ city: cities[index] ?? null }) }]);
    expect((await select("SELECT city FROM click_events ORDER BY event_id")).map(({ city }) => city)).toEqual(
      cities,
    );
  });

  it("that is delivered again changes no count, and the ledger's sums say how often it was delivered", async () => {
    await insert([{ count: 10 }]);
    expect(await insert([{ count: 10 }])).toBe(0);
    expect(await insert([{ count: 10, copies: 2 }])).toBe(0);

    expect(await select("SELECT count(*)::int AS n FROM click_events")).toEqual([{ n: 10 }]);
    expect(await select("SELECT clicks FROM click_rollups")).toEqual([{ clicks: "10" }]);
    expect(await ledger()).toEqual([
      [1, 10, { inserted: 10, duplicates: 0, rejected: 0, deliveries: 1, delayMs: 2500 }],
    ]);
    expect(await select("SELECT bucket_start, duplicates FROM ledger_sums")).toEqual([
      { bucket_start: new Date(T0), duplicates: "30" },
    ]);
  });

  it("adds to the rollups what it adds to the events, and nothing when it is delivered again", async () => {
    const shape = { count: 10, row: (index: number) => ({ class: index < 7 ? "human" : "bot" }) };
    await insert([shape]);
    await insert([shape, { first: 11, count: 5 }]);
    expect(
      await select("SELECT class, sum(clicks)::int AS clicks FROM workspace_rollups GROUP BY 1 ORDER BY 1"),
    ).toEqual([
      { class: "bot", clicks: 3 },
      { class: "human", clicks: 12 },
    ]);
  });

  it("counts the copies of one message in one batch as duplicates", async () => {
    expect(await insert([{ count: 10, copies: 3 }])).toBe(10);
    expect(await ledger()).toEqual([
      [1, 10, { inserted: 10, duplicates: 20, rejected: 0, deliveries: 3, delayMs: 2500 }],
    ]);
  });

  it("counts a click in the quarter of an hour in which it happened", async () => {
    const quarterMs = 900_000;
    const at = [T0, T0 + quarterMs - 1, T0 + quarterMs];
    await insert([{ count: 3, row: (index) => ({ clickedAtMs: at[index] ?? 0 }) }]);
    expect(await select("SELECT bucket_start, clicks FROM click_rollups ORDER BY 1")).toEqual([
      { bucket_start: new Date(T0), clicks: "2" },
      { bucket_start: new Date(T0 + quarterMs), clicks: "1" },
    ]);
  });

  it("counts the clicks of a removed link, without a link and a workspace", async () => {
    const linkId = "0198f3c2-0000-7000-8000-000000000000";
    expect(await insert([{ count: 2, row: () => ({ linkId }) }])).toBe(2);
    const nobodys = { link_id: "00000000-0000-0000-0000-000000000000", workspace_id: null, domain_id: null };
    expect(await select("SELECT DISTINCT link_id, workspace_id, domain_id FROM click_events")).toEqual([
      nobodys,
    ]);
    expect(await select("SELECT link_id, workspace_id, domain_id, clicks FROM click_rollups")).toEqual([
      { ...nobodys, clicks: "2" },
    ]);
    expect(await select("SELECT FROM link_totals")).toEqual([]);
  });

  it("stores an instant to the millisecond, so that a click always conflicts with itself", async () => {
    const instants = [1, 999, 1_700_000_000_001, 1_795_000_000_123, 4_102_444_799_999];
    const shape: SegmentShape = { count: 5, row: (index) => ({ clickedAtMs: instants[index] ?? 0 }) };
    await insert([shape]);
    const stored = await select("SELECT clicked_at FROM click_events ORDER BY clicked_at");
    expect(stored.map((row) => Number(row["clicked_at"]))).toEqual(instants);
    expect(await insert([shape])).toBe(0);
  });
});

describe(`${AT_ONCE} batches at once for one hot link`, () => {
  it("do not deadlock, and every total is exact", async () => {
    // Each batch next to its own reverse: two deliveries at once that would take their locks in opposite orders.
    const half = AT_ONCE / 2;
    const batches = Array.from({ length: half }, (_, index) => [segmentOf(index), segmentOf(index + half)]);
    const statements = batches.flatMap((batch) => [batch, batch.toReversed()]);
    const inserted = await Promise.all(statements.map((shapes) => insert(shapes)));

    expect(inserted.reduce((sum, count) => sum + count, 0)).toBe(AT_ONCE * 40);
    expect(await select("SELECT count(*)::int AS n FROM click_events")).toEqual([{ n: 3_200 }]);
    expect(
      await select("SELECT class, sum(clicks)::int AS clicks FROM click_rollups GROUP BY 1 ORDER BY 1"),
    ).toEqual([
      { class: "bot", clicks: 800 },
      { class: "human", clicks: 2_400 },
    ]);
    expect(
      await select(`SELECT sum(inserted)::int AS inserted,
        (sum(duplicates) + (SELECT COALESCE(sum(duplicates), 0) FROM ledger_sums))::int AS duplicates FROM segment_ledger`),
    ).toEqual([{ inserted: 3_200, duplicates: 3_200 }]);
  });
});

describe("the locks of a batch", () => {
  afterEach(() => select("DROP FUNCTION note_the_order CASCADE"));

  it("are taken by key in every table, in whatever order the clicks came", async () => {
    await noteTheOrder();
    const linkOf = (click: number) => `0198f3c2-0000-7000-8000-${String(click * 7_919).padStart(12, "0")}`;
    await select(
      `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
       SELECT id, $1, $2, id::text, 'https://example.com/', '{}' FROM unnest($3::uuid[]) AS id`,
      [WORKSPACE, DOMAIN, Array.from({ length: 500 }, (_, click) => linkOf(click))],
    );
    // Without ORDER BY, hashing would mix up the 500 links of one statement.
    await insert(
      Array.from({ length: 10 }, (_, index) => ({
        isolateId: ((index * 7) % 10).toString(16).padStart(16, "0"),
        count: 50,
        row: (click: number) => ({
          linkId: linkOf(index * 50 + click),
          clickedAtMs: T0 + (((index * 50 + click) * 7_919) % 500),
        }),
      })),
    );
    for (const [table, taken] of [
      ["click_events", 500],
      ["click_rollups", 500],
      ["segment_ledger", 10],
    ] as const) {
      const noted = await select(`SELECT key FROM noted WHERE table_name = '${table}' ORDER BY position`);
      const keys = noted.map(({ key }) => String(key));
      expect(keys).toHaveLength(taken);
      expect(keys).toEqual(keys.toSorted());
    }
  });
});

describe("a dead letter", () => {
  it("of a refused click counts as rejected until it is replayed, however often it is delivered", async () => {
    const whole = aBatch([{ count: 10 }]);
    const entry = aSegmentEntry({ count: 10 });
    const first = { ...whole, rows: whole.rows.slice(0, 9), segmentOfRow: whole.segmentOfRow.slice(0, 9) };
    await insertClicks(runSql, { ...first, segments: [{ ...entry, sentCount: 9 }] }, TIMEOUT_MS);
    const letter = aLetter({
      clicks: { firstSequence: 10, count: 1, segment: { ...entry, sentCount: 1, deliveries: 0 } },
    });
    expect(await insertDeadLetter(runSql, letter, TIMEOUT_MS)).toBe(true);
    expect(await insertDeadLetter(runSql, letter, TIMEOUT_MS)).toBe(false);
    expect(await ledger()).toEqual([
      [1, 10, { inserted: 9, duplicates: 1, rejected: 1, deliveries: 1, delayMs: 2500 }],
    ]);
    expect(
      await select(
        "SELECT kind, reason, source, body, isolate_id, first_sequence, click_count FROM dead_letters",
      ),
    ).toEqual([
      {
        kind: "click_refused",
        reason: "23514",
        source: "hopline-clicks-0",
        body: "sealed.v1.x.y",
        isolate_id: "00c0ffee00000001",
        first_sequence: "10",
        click_count: 1,
      },
    ]);

    const last = {
      rows: whole.rows.slice(9),
      segmentOfRow: [0],
      segments: [{ ...entry, sentCount: 1, deliveries: 0 }],
    };
    await insertClicks(runSql, last, TIMEOUT_MS);
    expect((await ledger())[0]?.[2]).toMatchObject({ inserted: 10, rejected: 0 });
  });

  it("of a message that cannot be read is not in the ledger", async () => {
    await insertDeadLetter(runSql, aLetter({ kind: "message_undecodable", clicks: null }), TIMEOUT_MS);
    expect(await select("SELECT kind, isolate_id, click_count FROM dead_letters")).toEqual([
      { kind: "message_undecodable", isolate_id: null, click_count: null },
    ]);
    expect(await ledger()).toEqual([]);
  });
});

/** A trigger sees rows in the order in which their locks are taken. */
async function noteTheOrder(): Promise<void> {
  const keys = {
    click_events: "extract(epoch FROM NEW.clicked_at)::text || NEW.event_id",
    click_rollups: "NEW.link_id || NEW.bucket_start::text || NEW.class",
    segment_ledger: "NEW.isolate_id || lpad(NEW.first_sequence::text, 20, '0')",
  };
  const branches = Object.entries(keys).map(
    ([table, key]) =>
      `IF TG_ARGV[0] = '${table}' THEN INSERT INTO noted (table_name, key) VALUES ('${table}', ${key}); END IF;`,
  );
  const triggers = Object.keys(keys).map(
    (table) =>
      `CREATE TRIGGER note BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION note_the_order('${table}');`,
  );
  await select(`
    CREATE TABLE IF NOT EXISTS noted (position bigint GENERATED ALWAYS AS IDENTITY, table_name text, key text);
    CREATE FUNCTION note_the_order() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
      AS $$ BEGIN ${branches.join(" ")} RETURN NEW; END $$;
    ${triggers.join("\n")}`);
}

/** Most clicks are for the hot link; the others differ from segment to segment. */
function segmentOf(index: number): SegmentShape {
  const row = (click: number) => ({
    class: click % 4 === 0 ? "bot" : "human",
    linkId:
      click < 30 ? LINK_ID : `0198f3c2-0000-7000-8000-${String((index * click) % 40).padStart(12, "0")}`,
  });
  return { isolateId: index.toString(16).padStart(16, "0"), count: 40, row };
}

function aLetter(change: Partial<DeadLetter>): DeadLetter {
  return {
    id: "0198f3c2-0000-7000-8000-00000000000a",
    kind: "click_refused",
    reason: "23514",
    source: "hopline-clicks-0",
    sealedBody: "sealed.v1.x.y",
    clicks: null,
    ...change,
  };
}

async function ledger(): Promise<readonly (readonly [number, number, object])[]> {
  const found = await select("SELECT * FROM segment_ledger ORDER BY isolate_id, first_sequence");
  return found.map((row) => [
    Number(row["first_sequence"]),
    Number(row["click_count"]),
    {
      inserted: row["inserted"],
      duplicates: Number(row["duplicates"]),
      rejected: row["rejected"],
      deliveries: row["deliveries"],
      delayMs: Number(row["queue_delay_ms"]),
    },
  ]);
}
