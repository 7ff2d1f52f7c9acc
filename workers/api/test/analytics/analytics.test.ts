/** The numbers of every question agree with each other, and with plain arithmetic over the clicks. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIMENSIONS } from "@hopline/analytics/dimension";
import { linkSubtraction } from "@hopline/analytics/cube/subtract-link";
import { tagsHandler } from "@hopline/analytics/cube/day-work";
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { insertClicks } from "@hopline/db/ingest/insert-clicks";
import { dropOldClicks } from "@hopline/db/ledger/drop-old-clicks";
import { removeClicks } from "@hopline/db/ledger/remove-clicks";
import { createNeonClient, createNeonTransactions, type RunTransaction } from "@hopline/db/neon-client";
import {
  addClicks,
  ALL,
  ask,
  atSameDensity,
  DAY_MS,
  fillWorld,
  FIRST_MS,
  HUMANS,
  isOneOf,
  LAST_MS,
  makeDays,
  matchingRows,
  namesOf,
  publicLink,
  type Query,
  retag,
  toQuery,
  toText,
  valuesOf,
  type World,
  type WorldFilter,
  YEAR_FROM_MS,
} from "./analytics-world.ts";
import {
  type Breakdown,
  type Comparison,
  type Counts,
  type Events,
  expectComparison,
  expectCounts,
  expectEvents,
  expectScreen,
  idsOf,
  type Series,
  type Told,
  type WorldCounts,
} from "./expect-answers.ts";
import { newEntityId } from "../../src/http/entity-id.ts";
import { callApi } from "../call-api.ts";
import { runSqlOf } from "../run-sql-of.ts";
import { openClickHouse, type TestClickHouse } from "../test-clickhouse.ts";
import { openStage, type Stage } from "../stage.ts";
import { IS_FULL, runs } from "../../../../packages/core/test/runs.ts";
import { doWork } from "../../../../packages/db/test/do-work.ts";

let stage: Stage;
let clickHouse: TestClickHouse | null;
let world: World;

beforeAll(async () => {
  clickHouse = HAS_CLICKHOUSE ? await openClickHouse() : null;
  stage = await openStage({ clickHouseUrl: clickHouse?.url ?? "" });
  world = await fillWorld(stage);
});

afterAll(async () => {
  await stage.close();
  await clickHouse?.close();
});

type Problem = { readonly code: string; readonly errors: readonly { path: string; message: string }[] };

const HOUR_MS = 3_600_000;
const KATHMANDU = "Asia/Kathmandu";

/** A question that tests change. */
const EVERYTHING: WorldCounts = {
  fromMs: FIRST_MS,
  toMs: LAST_MS,
  filters: [ALL],
  visitors: false,
  interval: "week",
  timeZone: "UTC",
  dimension: null,
  limit: 3,
};

const aRange = fc
  .uniqueArray(
    fc.oneof(
      ...[1, 900_000, DAY_MS].map((grainMs) =>
        fc.integer({ max: (LAST_MS - FIRST_MS) / grainMs, min: 0 }).map((at) => FIRST_MS + at * grainMs),
      ),
    ),
    { minLength: 2, maxLength: 2 },
  )
  .map((edges) => ({ fromMs: Math.min(...edges), toMs: Math.max(...edges) }));

const SCOPES = ["link", "tag", "country", "referrer", "browser", "os", "device"];
const OTHERS = ["domain", "class", "variant", "destination", "region", "city", "utmSource"];

/** Values that occur, including the empty one if there can be one. */
function aFilter(dimensions: readonly string[], isNot: boolean): fc.Arbitrary<WorldFilter> {
  return fc.constantFrom(...dimensions).chain((dimension) => {
    const occurring = new Set(world.rows.flatMap((row) => namesOf(world, row, dimension)));
    occurring.delete("all");
    return fc
      .uniqueArray(fc.constantFrom(...occurring), { minLength: 1, maxLength: 3 })
      .map((values) => ({ dimension, values, isNot }));
  });
}

/** A scope of a day's summaries. */
const aScope = () =>
  aFilter(SCOPES, false).map(({ dimension, values }) => isOneOf(dimension, ...values.slice(0, 1)));

function aQuestion(): fc.Arbitrary<WorldCounts> {
  const any = [...SCOPES, ...OTHERS];
  return fc
    .record({
      range: aRange,
      filters: fc.uniqueArray(fc.oneof(aFilter(any, false), aFilter(any, true), aScope()), {
        maxLength: 3,
        selector: ({ dimension, isNot }) => `${dimension}${isNot}`,
      }),
      dimension: fc.constantFrom(...DIMENSIONS),
      limit: fc.constantFrom(2, 5, 50),
      timeZone: fc.constantFrom("UTC", KATHMANDU, "Europe/Zurich", "America/New_York", "Australia/Lord_Howe"),
      wanted: fc.constantFrom("hour", "day", "week", "month", "quarter", "year"),
      visitors: fc.boolean(),
    })
    .map(({ range, wanted, ...asked }) => {
      const isLong = range.toMs - range.fromMs > 30 * DAY_MS;
      return { ...asked, ...range, interval: wanted === "hour" && isLong ? "day" : wanted };
    });
}

/** A dashboard's questions: a few selected values, and the choices next to them. Then lists share what they are counted from. */
function aScreen() {
  const listed = fc.uniqueArray(fc.constantFrom(...DIMENSIONS), { maxLength: 4 });
  return fc
    .record({
      range: aRange,
      filters: fc.uniqueArray(aScope(), { maxLength: 2, selector: ({ dimension }) => dimension }),
      lists: listed,
      choices: listed,
    })
    .map(({ range, filters, lists, choices }) => {
      const facets = [...new Set([...filters.map(({ dimension }) => dimension), ...choices])];
      return { ...range, filters, lists, facets };
    });
}

/** Each continues from the previous one. The cube changes how answers are found, never the answers. */
const STATES: readonly (readonly [string, () => Promise<void>])[] = [
  ["no day is in the cube", () => Promise.resolve()],
  [
    "some days are in the cube, and others run: clicks came since their last slice, late and more than once",
    async () => {
      await makeDays(world, isThird);
      await makeDays(world, (dayMs) => (dayMs / DAY_MS) % 3 === 1, true);
      for (const clicks of [atSameDensity(150), atSameDensity(150)]) {
        await addClicks(world, { clicks, times: 2 });
        await makeDays(world, (dayMs) => (dayMs / DAY_MS) % 6 === 1, true);
      }
      const [{ n } = { n: 0 }] = (
        await stage.client.query("SELECT count(*)::int AS n FROM cube_days WHERE slice >= 96000")
      ).rows;
      expect(n).toBeGreaterThan(6);
    },
  ],
  [
    "every day is, and every tag",
    async () => {
      await makeDays(world, () => true);
      await makeTags();
    },
  ],
  [
    "links came to tags and left them since, and a tag was renamed",
    async () => {
      await retag(world, [["mail"], ["2026"], ["mail", "new"], [], ["print"]]);
      await renameTag("mail", "letter");
    },
  ],
  ["clicks came late", () => addClicks(world, { clicks: atSameDensity(150) })],
  [
    "some days with late clicks are made again, and every tag, and then a link's clicks were removed by a removal that died again and again",
    async () => {
      await makeDays(world, isThird);
      await makeTags();
      await removeLastLink("done");
    },
  ],
];

type Answers = (bringAbout: () => Promise<void>, questions: number) => void;

/** Continue from those above. With many parts that are not merged each question costs the most: by default a few are asked. */
const CLICKHOUSE_STATES: readonly (readonly [...(typeof STATES)[number], Answers])[] = !HAS_CLICKHOUSE
  ? []
  : [
      [
        "clicks have moved to ClickHouse",
        async () => {
          await clickHouse?.moveIn(stage);
          world.count = async (batch) => clickHouse?.count(stage, batch);
        },
        answersAreRight,
      ],
      [
        "clicks came late to ClickHouse, and some twice, and a link's were removed and are still there",
        async () => {
          await addClicks(world, { clicks: atSameDensity(150), times: 2 });
          await plantDuplicates();
          await removeLastLink("kept out");
        },
        IS_FULL ? answersAreRight : fewAnswersAreRight,
      ],
      [
        "clicks have moved back to Postgres",
        async () => {
          await clickHouse?.moveBack(stage);
          world.count = (batch) => insertClicks(runSqlOf(stage.client), batch, 30_000);
        },
        answersAreRight,
      ],
    ];

const isThird = (dayMs: number) => (dayMs / DAY_MS) % 3 === 0;

async function renameTag(from: string, to: string): Promise<void> {
  const editor = await stage.addKey(world.workspace, ["links:write"]);
  const { body } = await callApi(stage, `PATCH /api/v1/tags/${from}`, { key: editor, body: { name: to } });
  expect(body).toMatchObject({ name: to, links: 2 });
  for (const [index, link] of world.links.entries()) {
    world.links[index] = { ...link, tags: link.tags.map((tag) => (tag === from ? to : tag)) };
  }
}

/** As a delivery leaves them that was cut off before its clicks were counted: until its parts are merged, ClickHouse has them twice. */
async function plantDuplicates(): Promise<void> {
  await clickHouse?.execute("ALTER TABLE clicks MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1");
  await clickHouse?.execute(
    `INSERT INTO clicks SELECT * FROM (
       SELECT * FROM clicks WHERE toDate(clicked_at) <= '2026-10-20' ORDER BY event_id LIMIT 1 BY toDate(clicked_at))`,
  );
}

/** By a removal that dies after some transactions, and is continued. */
async function removeLastLink(wanted: string): Promise<void> {
  const link = world.links.pop();
  const key = await stage.addKey(world.workspace, ["admin"]);
  const destroyed = await callApi(stage, `DELETE /api/v1/links/${publicLink(link)}?clicks=delete`, { key });
  expect(destroyed.status).toBe(204);
  const left = world.rows.filter(({ linkId }) => linkId !== link?.id);
  world.rows.splice(0, world.rows.length, ...left);
  const runTransaction = createNeonTransactions(settings());
  const target = { workspaceId: world.workspace.id, linkId: link?.id ?? "" };
  for (let lives = 1; ; lives += 7) {
    let transactions = 0;
    const dying: RunTransaction = (...statements) => {
      transactions += 1;
      return transactions > lives ? Promise.reject(new Error("killed")) : runTransaction(...statements);
    };
    // The lease of the one that died ends.
    await stage.client.query("UPDATE work SET due_at = now() WHERE kind = 'summary'");
    const options = {
      leaseId: randomUUID(),
      subtractLink: linkSubtraction(dying, 30_000),
      timeoutMs: 30_000,
      endsAtMs: Infinity,
      nowMs: () => 0,
      fromDay: null,
    };
    const outcome = await removeClicks(dying, target, options).then(
      (removal) => removal.outcome,
      (error: unknown) => String(error),
    );
    if (outcome !== "Error: killed") {
      expect(outcome).toBe(wanted);
      return;
    }
  }
}

async function makeTags(): Promise<void> {
  const runTransaction = createNeonTransactions(settings());
  await stage.client.query("UPDATE work SET due_at = now() WHERE kind = 'tags'");
  expect(await doWork(runTransaction, { tags: tagsHandler(runTransaction) })).toEqual([]);
  const { rows } = await stage.client.query("SELECT FROM work WHERE kind = 'tags'");
  expect(rows).toEqual([]);
}

const settings = () => ({ databaseUrl: stage.databaseUrl, sqlEndpoint: stage.endpoint.url });

it.skipIf(!HAS_CLICKHOUSE)(`clicks in ClickHouse are among the states${CLICKHOUSE_HINT}`, () => {
  expect(clickHouse?.url).toMatch(/^http/);
});

describe.each(STATES)("the numbers of any question, if %s,", (_state, bringAbout) => {
  answersAreRight(bringAbout);
});

it("an overview reads clicks in one statement of one request, which days it may read of the cube included", async () => {
  let requests = 0;
  const texts: string[] = [];
  stage.endpoint.setFault(({ statements }) => {
    const isOfClicks = statements.some(({ query: text }) => text.includes('FROM "click_events"'));
    requests += isOfClicks ? 1 : 0;
    texts.push(...(isOfClicks ? statements.map(({ query: text }) => text) : []));
    return null;
  });
  const lists = ["link", "tag", "city"];
  const filters = [isOneOf("country", "CH", null), { dimension: "device", values: ["phone"], isNot: true }];
  await expectScreen(world, { ...EVERYTHING, filters, lists, facets: ["country", "class"] });
  stage.endpoint.setFault(null);
  expect(requests).toBe(1);
  const isSetting = /^\s*(SET TRANSACTION|SELECT set_config)/;
  expect(texts.filter((text) => !isSetting.test(text))).toEqual([expect.stringContaining("cube_day AS")]);
  const settings = texts.flatMap((text) =>
    [...text.matchAll(/set_config\('([^']+)'/g)].map(([, name]) => name),
  );
  expect(new Set(settings)).toEqual(new Set(["jit", "enable_sort", "work_mem", "statement_timeout"]));
});

it("the lines of a page of links come in one request, and each adds up to its link's clicks", async () => {
  let requests = 0;
  stage.endpoint.setFault(({ statements }) => {
    requests += statements.some(({ query: text }) => text.includes("click_cube")) ? 1 : 0;
    return null;
  });
  const days = { from: "2026-10-19", to: "2026-11-17" };
  const links = world.links.slice(0, 100).map(publicLink);
  const asked = { ...days, dimension: "link", interval: "day", limit: 100, link: links };
  const { lines } = await ask<{ lines: readonly { value: string; clicks: number; points: number[] }[] }>(
    world,
    "lines",
    asked,
  );
  stage.endpoint.setFault(null);
  expect([requests, lines.length > 1, lines.every(({ value }) => links.includes(value))]).toEqual([
    1,
    true,
    true,
  ]);
  for (const { value, clicks, points } of lines) {
    const { clicks: counted } = await ask<{ clicks: number }>(world, "totals", { ...days, link: value });
    expect([points.length, points.reduce((sum, one) => sum + one, 0), clicks]).toEqual([
      30,
      counted,
      counted,
    ]);
  }
});

it.each(DIMENSIONS)("%s can be counted by and filtered by, everywhere", async (dimension) => {
  const [fromMs, toMs] = [Date.UTC(2026, 9, 19), Date.UTC(2026, 10, 2)];
  const asked = { ...EVERYTHING, fromMs, toMs, dimension };
  const [value = null] = matchingRows(world, asked).flatMap((row) => valuesOf(world, row, dimension));
  const among = (isNot: boolean) => [
    ...(dimension === "class" ? [] : [ALL]),
    { dimension, values: [value], isNot },
  ];
  await expectCounts(world, { ...asked, filters: among(true), dimension: null });
  const having = { ...asked, filters: among(false) };
  await expectCounts(world, having);
  await expectComparison(world, having);
  await expectEvents(world, having, 1);
  await expectScreen(world, { ...having, lists: [dimension], facets: [dimension] });
  const { from: _from, to: _to, ...live } = toQuery(having);
  for (const path of [`events.csv?${toText(toQuery(having))}`, `live?${toText(live)}`]) {
    const headers = { authorization: `Bearer ${world.key}` };
    const response = await stage.app.request(`/api/v1/analytics/${path}`, { headers });
    expect([path, response.status, await response.text()]).toEqual([path, 200, expect.any(String)]);
  }
});

describe.each(CLICKHOUSE_STATES)("the numbers of any question, if %s,", (_state, bringAbout, answers) => {
  answers(bringAbout, 8);
});

/** To be registered for a state: what reads every table, and removed links and duplicates would change. */
function fewAnswersAreRight(bringAbout: () => Promise<void>): void {
  beforeAll(bringAbout);

  it("are what the clicks say, in lists and one by one", async () => {
    const asked = { ...EVERYTHING, visitors: true, dimension: "link" };
    await expectCounts(world, asked);
    await expectEvents(world, asked, 1);
    await expectScreen(world, { ...asked, lists: ["link", "tag"], facets: ["country"] });
  });
}

/** To be registered for each state. @param questions fewer where each costs more. */
function answersAreRight(bringAbout: () => Promise<void>, questions = 16): void {
  beforeAll(bringAbout);

  it("are what the clicks say", async () => {
    await fc.assert(
      fc.asyncProperty(aQuestion(), async (asked) => {
        await expectCounts(world, asked);
        await expectComparison(world, asked);
        await expectEvents(world, asked, 1);
      }),
      runs(questions),
    );
  });

  it("are so in every list of an overview, and of every tag", async () => {
    await fc.assert(
      fc.asyncProperty(aScreen(), (asked) => expectScreen(world, asked)),
      runs(questions),
    );
    for (const tag of new Set(world.links.flatMap(({ tags }) => tags))) {
      const lists = ["link", "device", "rule"];
      await expectScreen(world, { ...EVERYTHING, filters: [isOneOf("tag", tag)], lists, facets: [] });
    }
    // In a zone whose days are not UTC's.
    await expectCounts(world, { ...EVERYTHING, timeZone: KATHMANDU, interval: "day", dimension: "tag" });
  });

  it("are those of the links within a key's bounds, as if there were no others", async () => {
    const within = [world.links[0], world.links[3]].map((link) => link?.id ?? "");
    const own = newEntityId();
    await stage.client.query("UPDATE links SET maker_id = $1 WHERE id = ANY($2)", [own, within]);
    const key = await stage.addKey(world.workspace, ["analytics:read"], { bounds: { own: [own] } });
    const bounded = { ...world, key, rows: world.rows.filter(({ linkId }) => within.includes(linkId)) };
    const everything = { ...EVERYTHING, lists: ["link", "country"], facets: ["link", "tag", "domain"] };
    await expectScreen(bounded, everything);
    await fc.assert(
      fc.asyncProperty(aQuestion(), async (asked) => {
        await expectCounts(bounded, asked);
        await expectEvents(bounded, asked, 1);
      }),
      runs(1),
    );
  });

  it("are found by a part of the value, or of a link's address, in any case", async () => {
    const rows = matchingRows(world, EVERYTHING);
    const host = world.links[0]?.host ?? "";
    for (const [dimension, search, found] of [
      ["city", "zÜ", rows.filter(({ city }) => city === "Zürich")],
      ["link", host.toUpperCase(), rows.filter((row) => valuesOf(world, row, "domain").includes(host))],
    ] as const) {
      const query = { ...toQuery(EVERYTHING), dimension, search, limit: 100 };
      const { data } = await ask<{ data: Breakdown["values"] }>(world, "values", query);
      const values = found.flatMap((row) => valuesOf(world, row, dimension));
      expect(new Set(data.map(({ value }) => value))).toEqual(new Set(values));
      expect(data.length).toBeGreaterThan(1);
    }
  });
}

it("every event is listed once, page by page and as CSV", async () => {
  const asked = { fromMs: Date.UTC(2026, 9, 1), toMs: Date.UTC(2026, 10, 20), filters: [] };
  await expectEvents(world, asked);
  const headers = { authorization: `Bearer ${world.key}` };
  const csv = await stage.app.request(`/api/v1/analytics/events.csv?${toText(toQuery(asked))}`, { headers });
  expect(csv.headers.get("content-type")).toContain("text/csv");
  const [header, ...lines] = (await csv.text()).trimEnd().split("\r\n");
  expect(header).toContain("id,at,link,domain");
  expect(lines.map((line) => line.slice(0, 36))).toEqual(idsOf(matchingRows(world, asked)));
  expect(lines.some((line) => line.includes(",'=1+1,"))).toBe(true);
  // By its address a person knows a link.
  expect(header?.endsWith(",shortUrl")).toBe(true);
  expect(lines.some((line) => /,https:\/\/[^,/]+\/[^,]+$/.test(line))).toBe(true);
});

it("another workspace's data is in no answer, even if its links and domains are in the filters", async () => {
  const stranger = { stage, key: await stage.addKey(await stage.addWorkspace(), ["admin"]) };
  const [link] = world.links;
  const lists = ["link", "tag", "country"];
  for (const filter of [{}, { link: publicLink(link) }, { domain: link?.host ?? "" }, { tag: "letter" }]) {
    const query = { ...toQuery(EVERYTHING), ...filter };
    const answers = [
      await ask<object>(stranger, "overview", { ...query, visitors: true, lists, facets: lists }),
      await ask<object>(stranger, "compare", query),
      await ask<object>(stranger, "lines", { ...query, dimension: "link" }),
      await ask<object>(stranger, "values", { ...query, dimension: "country" }),
      await ask<object>(stranger, "events", query),
    ];
    expect(JSON.stringify(answers)).not.toMatch(/"(clicks|total|visitors)":[1-9]|"(data|values|lines)":\[\{/);
  }
});

describe("a question that can't be answered", () => {
  const refuse = async (path: string, app: Pick<Stage, "app"> = stage) => {
    const answer = await callApi<Problem>(app, `GET /api/v1/analytics/${path}`, { key: world.key });
    const { code, errors } = answer.body;
    expect(answer.status).toBe(422);
    return { code, paths: errors.map((error) => error.path), message: errors[0]?.message };
  };

  it.each([
    ["from=2026-02-30", "from"],
    ["from=yesterday", "from"],
    ["from=2026-11-02&to=2026-11-01", "to"],
    ["to=2026-11-01", "from"],
    ["period=today&from=2026-11-01", "period"],
    ["timeZone=Mars/Olympus", "timeZone"],
    // Its days begin within a quarter of an hour, and what is pre-aggregated has no smaller part.
    ["timeZone=%2B05:07", "timeZone"],
    ["class=robot", "class"],
    ["class.not=all", "class"],
    ["link=lnk_1", "link"],
    ["contry=CH", "contry"],
    ["from=1812-01-01&to=1813-01-01", "from"],
  ])("%s is refused with the name of its field", async (query, path) => {
    expect(await refuse(`totals?${query}`)).toMatchObject({ code: "invalid", paths: [path] });
  });

  it("with too many points is refused, and the answer says which interval to use", async () => {
    expect(await refuse("timeseries?interval=15m&from=2026-01-01&to=2026-12-31")).toMatchObject({
      code: "query_too_wide",
      message: expect.stringContaining("use week or longer"),
    });
  });

  describe("in the time given", () => {
    const YEAR = "from=2026-01-01&to=2026-12-31";
    const LOCKED = [
      ["click_rollups", "totals?", ["from", "link"]],
      ["click_events", "breakdown?dimension=city&visitors=true&", ["visitors", "from"]],
      ["cube_visitors", "compare?visitors=true&", ["visitors", "from"]],
    ] as const;

    const askWhileLocked = async (tables: string, path: string) => {
      const database = stage.openAnotherDatabase({ analyticsTimeoutMs: 200 });
      await stage.client.query("BEGIN");
      await stage.client.query(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
      const [query, app] = [`${YEAR}&link=${publicLink(world.links[0])}`, stage.appWith({}, { database })];
      const question = `GET /api/v1/analytics/${path}${query}` as const;
      const { status, body } = await callApi<Problem>({ app }, question, { key: world.key });
      await stage.client.query("ROLLBACK");
      return { status, code: body.code, paths: body.errors?.map((error) => error.path) };
    };

    describe("of a million clicks", () => {
      const counted = () => [world.workspace.id, world.workspace.domainId];

      beforeAll(async () => {
        await stage.client.query(
          `INSERT INTO workspace_rollups (workspace_id, bucket_start, domain_id, class, clicks)
           VALUES ($1, '2026-01-01 00:01', $2, 'human', 1000000)`,
          counted(),
        );
      });

      afterAll(async () => {
        await stage.client.query(
          `DELETE FROM workspace_rollups
           WHERE workspace_id = $1 AND domain_id = $2 AND bucket_start = '2026-01-01 00:01'`,
          counted(),
        );
      });

      it.each(LOCKED)("is refused, and told how to narrow it: %s, %s", async (table, path, paths) => {
        const refused = await askWhileLocked(table, path);
        expect(refused).toMatchObject({ status: 422, code: "query_too_wide", paths });
      });

      it("is not refused where nothing can be counted", async () => {
        const refused = await askWhileLocked("click_rollups, workspace_rollups", "totals?");
        expect(refused).toMatchObject({ status: 503, code: "database_unavailable" });
      });
    });

    it.each(LOCKED)("of fewer clicks can be asked again: %s, %s", async (table, path) => {
      const refused = await askWhileLocked(table, path);
      expect(refused).toMatchObject({ status: 503, code: "database_unavailable" });
    });
  });
});

describe("of a year", () => {
  /** These days are pre-aggregated before retention removes their clicks; as if the others never had been. */
  const [MADE_FROM_MS, MADE_TO_MS] = [Date.UTC(2026, 2, 26), Date.UTC(2026, 3, 1)];
  const KEPT_FROM_MS = Date.UTC(2026, 5, 1);
  const UNTIL_MS = Date.UTC(2026, 8, 1);

  /** In another workspace. Made after the states above, which would copy it to ClickHouse day by day. */
  let year: World;

  beforeAll(async () => {
    year = await fillWorld(stage, YEAR_FROM_MS, 2);
    await addClicks(year, { clicks: 900, fromMs: MADE_FROM_MS, toMs: MADE_TO_MS, visitorsADay: 40 });
  });

  describe("days", () => {
    it.each([
      [KATHMANDU, "2026-02-20", "2026-12-04"],
      ["Europe/Berlin", "2026-03-20", "2026-04-05"],
      ["Europe/Berlin", "2026-10-20", "2026-10-30"],
      ["America/New_York", "2026-03-01", "2026-11-10"],
      ["Australia/Lord_Howe", "2026-03-25", "2026-10-10"],
      ["America/Havana", "2026-03-01", "2026-11-10"],
    ])("of %s from %s to %s hold the clicks of that date", async (timeZone, from, to) => {
      // Local time in the zone, independent of the API's arithmetic.
      const format = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
      const query = { timeZone, from, to, interval: "day", class: "all" };
      const { points } = await ask<Series>(year, "timeseries", query);
      const dates = points.map(({ at }) => format.format(Date.parse(at)));
      const clicksOf = Map.groupBy(year.rows, ({ clickedAtMs }) => format.format(clickedAtMs));
      expect(points.map(({ clicks }) => clicks)).toEqual(
        dates.map((date) => clicksOf.get(date)?.length ?? 0),
      );
      expect([dates[0], dates.at(-1), new Set(dates).size]).toEqual([from, to, dates.length]);
    });

    it.each([
      [{ from: "2026-06-01T00:00:00Z", to: "2026-06-01T06:00:00Z" }, "15m", 24],
      [{ from: "2026-06-01", to: "2026-06-02" }, "hour", 48],
      [{ from: "2026-06-01", to: "2026-06-30" }, "day", 30],
      [{ from: "2026-01-01", to: "2026-12-31" }, "week", 53],
      [{ from: "2020-01-01", to: "2026-12-31" }, "month", 84],
      [{ from: "2005-01-01", to: "2026-12-31" }, "year", 22],
    ])("and other buckets are chosen by the range: %j in %s", async (range, interval, points) => {
      const series = await ask<Series>(year, "timeseries", range);
      expect([series.interval, series.points.length]).toEqual([interval, points]);
    });

    it.each([
      [{ from: "2026-10-01", to: "2026-10-31" }, "2026-08-31T22:00:00.000Z", "2026-09-30T22:00:00.000Z"],
      [{ from: "2026-10-20", to: "2026-10-26" }, "2026-10-12T22:00:00.000Z", "2026-10-19T22:00:00.000Z"],
      [
        { from: "2026-10-20T06:30:00Z", to: "2026-10-20T08:00:00Z" },
        "2026-10-20T05:00:00.000Z",
        "2026-10-20T06:30:00.000Z",
      ],
    ])("are compared with their predecessors: %j", async (range, from, to) => {
      const query = { ...range, timeZone: "Europe/Berlin" };
      const { previous } = await ask<Comparison>(year, "compare", query);
      const rows = matchingRows(year, { fromMs: Date.parse(from), toMs: Date.parse(to), filters: [] });
      expect(previous).toMatchObject({ range: { from, to }, clicks: rows.length });
    });
  });

  describe("after retention has removed single clicks", () => {
    /** A day in Kathmandu starts at 18:15 UTC of the previous day. */
    const LOCAL: Span = [MADE_FROM_MS + 18.25 * HOUR_MS, MADE_TO_MS - 5.75 * HOUR_MS];
    const isMade = (atMs: number) => atMs >= MADE_FROM_MS && atMs < MADE_TO_MS;

    beforeAll(async () => {
      await makeDays(year, isMade);
      await stage.client.query("DELETE FROM work");
      await dropOldClicks(createNeonClient(settings()), {
        beforeMs: KEPT_FROM_MS,
        nowMs: KEPT_FROM_MS,
        timeoutMs: 30_000,
      });
    });

    type Span = readonly [fromMs: number, toMs: number];

    const over = ([fromMs, toMs]: Span, filters: readonly WorldFilter[]) => ({ fromMs, toMs, filters });
    const linksOf = (count: number) => isOneOf("link", ...year.links.slice(0, count).map(publicLink));
    /** What an answer says of its range; of a list, every page. */
    const isComplete = async (
      name: string,
      span: Span,
      more: Query,
      filters: readonly WorldFilter[] = [ALL],
    ) => {
      const query = { ...toQuery(over(span, filters)), ...more };
      const first = await ask<Told & Partial<Events>>(year, name, query);
      const cursor = first.nextCursor ?? null;
      const last = cursor === null ? first : await ask<Told>(year, name, { ...query, cursor });
      expect(last.range.complete).toBe(first.range.complete);
      return first.range.complete;
    };

    it.each<[string, Span, readonly WorldFilter[], boolean]>([
      ["the workspace", [Date.UTC(2026, 2, 1), UNTIL_MS], [], true],
      ["a device on pre-aggregated days", [MADE_FROM_MS, MADE_TO_MS], [isOneOf("device", "phone")], true],
      [
        "a device on days whose clicks are kept",
        [KEPT_FROM_MS, UNTIL_MS],
        [isOneOf("device", "phone")],
        true,
      ],
      ["a device on all days", [MADE_FROM_MS, UNTIL_MS], [isOneOf("device", "phone")], false],
      [
        "a tag, before and after its links changed, by device",
        [MADE_FROM_MS, MADE_TO_MS],
        [isOneOf("tag", "mail"), isOneOf("device", "phone")],
        true,
      ],
    ])(
      "clicks of %s are counted as far as they are known, and the answer says whether all are",
      async (_what, span, filters, complete) => {
        const asked = over(span, [...filters, ALL]);
        for (const tags of [
          [["mail"], ["mail"], [], []],
          [["mail"], [], ["mail"], []],
        ]) {
          await retag(year, tags);
          const { clicks, range } = await ask<Counts & Told>(year, "totals", toQuery(asked));
          const known = matchingRows(year, asked).filter(
            ({ clickedAtMs }) => complete || clickedAtMs >= KEPT_FROM_MS || isMade(clickedAtMs),
          );
          expect([range.complete, clicks]).toEqual([complete, known.length]);
        }
      },
    );

    it.each<[string, () => readonly WorldFilter[], string | null]>([
      ["the workspace, and by country,", () => [], "country"],
      ["a country", () => [isOneOf("country", "CH")], null],
      ["a country without clicks", () => [isOneOf("country", "AQ")], null],
      ["a link", () => [linksOf(1)], null],
    ])(
      "visitors of %s are complete on pre-aggregated days, in any zone",
      async (_what, placeOf, dimension) => {
        const asked = { ...EVERYTHING, timeZone: KATHMANDU, interval: "day", visitors: true, dimension };
        for (const classes of [ALL, HUMANS]) {
          await expectCounts(year, { ...asked, ...over(LOCAL, [...placeOf(), classes]) });
        }
      },
    );

    const VISITORS = { visitors: true };
    const ANY: Span = [MADE_FROM_MS, UNTIL_MS];

    it.each<[string, string, Query, Span, (() => readonly WorldFilter[])?]>([
      ["visitors of an hour", "totals", VISITORS, [MADE_FROM_MS + 30 * HOUR_MS, MADE_FROM_MS + 31 * HOUR_MS]],
      ["visitors from an odd minute on", "totals", VISITORS, [LOCAL[0] + 60_000, LOCAL[1]]],
      ["visitors of two links", "totals", VISITORS, LOCAL, () => [linksOf(2), ALL]],
      ["visitors of bots", "totals", VISITORS, LOCAL, () => [isOneOf("class", "bot")]],
      ["visitors of two countries", "totals", VISITORS, LOCAL, () => [isOneOf("country", "CH", "DE"), ALL]],
      ["cities of all days", "breakdown", { dimension: "city" }, ANY],
      ["cities over time", "lines", { dimension: "city" }, ANY],
      ["a screen of cities", "overview", { lists: "city" }, ANY],
      ["suggestions", "values", { dimension: "city" }, ANY],
      ["a list of pre-aggregated days", "events", { limit: 5 }, [MADE_FROM_MS, MADE_TO_MS]],
      ["a list from before the first click", "events", { limit: 5 }, [KEPT_FROM_MS - DAY_MS, UNTIL_MS]],
    ])("%s need the clicks, and the answer says so", async (_what, name, more, span, filtersOf) => {
      expect(await isComplete(name, span, more, filtersOf?.())).toBe(false);
      expect(await isComplete(name, [KEPT_FROM_MS, UNTIL_MS], more, filtersOf?.())).toBe(true);
    });

    it("a list of days before the first click is complete", async () => {
      expect(await isComplete("events", [Date.UTC(2026, 0, 1), Date.UTC(2026, 1, 1)], {})).toBe(true);
    });
  });
});
