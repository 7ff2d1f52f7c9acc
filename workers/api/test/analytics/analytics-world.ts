/**
 * A known set of clicks in a real database, written by the consumer's statement, and the same questions answered by plain
 * arithmetic over the rows: the API's answers must match, whichever table it reads.
 */
import { makeDay } from "@hopline/analytics/cube/make-day";
import { createNeonTransactions } from "@hopline/db/neon-client";
import { expect } from "vitest";
import { callApi } from "../call-api.ts";
import type { ClickRow } from "@hopline/db/ingest/click-row";
import { type ClickBatch, insertClicks } from "@hopline/db/ingest/insert-clicks";
import { IS_FULL } from "../../../../packages/core/test/runs.ts";
import { aBatch, type SegmentShape } from "../../../../packages/db/test/click-batch.ts";
import { transactionsOver } from "../../../../packages/db/test/transactions-over.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import type { Stage, Workspace } from "../stage.ts";
import { runSqlOf } from "../run-sql-of.ts";
import { toUuid } from "../to-uuid.ts";

/** The year includes both clock changes of Berlin and New York; the default range those of autumn, and a quarter's end. */
export const YEAR_FROM_MS = Date.UTC(2026, 1, 20);
export const FIRST_MS = IS_FULL ? YEAR_FROM_MS : Date.UTC(2026, 8, 28);
export const LAST_MS = Date.UTC(2026, 11, 5);

export const DAY_MS = 86_400_000;
const CLICKS_A_YEAR = 3_000;

/** Of the default range, the days that have clicks: making them costs most. Around the quarter's end and both clock changes. */
const DAYS_WITH_CLICKS = ["2026-09-29/4", "2026-10-23/4", "2026-10-31/3", "2026-11-16/2"].flatMap((span) => {
  const [first = "", count] = span.split("/");
  return Array.from({ length: Number(count) }, (_, day) => Date.parse(first) + day * DAY_MS);
});

export type TestLink = {
  readonly id: string;
  readonly tags: readonly string[];
  readonly host: string;
  /** As in the API's answers. */
  readonly domainId: string;
  /** By version, from 1; of the versions from before `link_versions` none is known. */
  readonly destinations: readonly (string | null)[];
};

export type World = {
  readonly stage: Stage;
  readonly workspace: Workspace;
  readonly key: string;
  readonly seed: number;
  readonly links: TestLink[];
  readonly rows: ClickRow[];
  /** Counts a batch as the consumer does. */
  count: (batch: ClickBatch) => Promise<unknown>;
};

export async function fillWorld(stage: Stage, fromMs = FIRST_MS, seed = 1): Promise<World> {
  const world = await openWorld(stage, seed);
  await addClicks(world, { fromMs, clicks: atSameDensity(CLICKS_A_YEAR, fromMs) });
  return world;
}

/** From `fromMs` on, as many clicks a day as `clicksAYear` for the whole year; three times as many where few days have any. */
export function atSameDensity(clicksAYear: number, fromMs = FIRST_MS): number {
  const isSparse = fromMs === FIRST_MS && !IS_FULL;
  const spanMs = isSparse ? 3 * DAYS_WITH_CLICKS.length * DAY_MS : LAST_MS - fromMs;
  return Math.round((clicksAYear * spanMs) / (LAST_MS - YEAR_FROM_MS));
}

/**
 * A workspace with links, without clicks.
 *
 * @param seed of its clicks: a different one for each world in a database.
 */
export async function openWorld(stage: Stage, seed = 1): Promise<World> {
  const workspace = await stage.addWorkspace();
  const first = { host: workspace.host, domainId: toPublicId("dom", workspace.domainId) };
  const { domainId = "" } = await stage.addObjects(workspace);
  const second = { host: `${toUuid(domainId)}.example.com`, domainId };
  const links: TestLink[] = [];
  for (const [index, tags] of [["mail", "2026"], ["mail"], [], ["print"], [], [], []].entries()) {
    const { linkId } = await stage.addObjects(workspace);
    const link = {
      ...(index % 2 === 1 ? second : first),
      id: toUuid(linkId),
      tags,
      destinations: [null, "https://example.com/a", `https://example.com/${index % 2}`],
    };
    const change = (assignment: string, value: unknown) =>
      stage.client.query(`UPDATE links SET ${assignment} WHERE id = $1`, [link.id, value]);
    await change("domain_id = $2", toUuid(link.domainId));
    await stage.client.query("DELETE FROM link_versions WHERE link_id = $1", [link.id]);
    for (const destination of link.destinations.slice(1)) {
      await change("version = version + 1, url = $2", destination);
    }
    await change("tags = $2", tags);
    links.push(link);
  }
  const key = await stage.addKey(workspace, ["analytics:read"]);
  const count = (batch: ClickBatch) => insertClicks(runSqlOf(stage.client), batch, 30_000);
  return { stage, workspace, key, seed, links, rows: [], count };
}

export type ClickOptions = {
  readonly clicks: number;
  /** Anywhere in the world's time if left out. */
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly visitorsADay?: number;
  /** How often they are delivered. */
  readonly times?: number;
};

/** The same for the same number: clicks of an isolate of their own. */
export function segmentOf({ seed, links }: World, number: number, options: ClickOptions): SegmentShape {
  const own = seed * 2 ** 24 + number;
  const isolateId = `00c0ffee${own.toString(16).padStart(8, "0")}`;
  const { rows } = aBatch([{ isolateId, count: options.clicks, row: createRows(links, own, options) }]);
  return { isolateId, count: options.clicks, row: (index) => rows[index] ?? {} };
}

export async function addClicks(world: World, options: ClickOptions): Promise<void> {
  const batch = aBatch([segmentOf(world, world.rows.length, options)]);
  for (let time = 0; time < (options.times ?? 1); time += 1) {
    await world.count(batch);
  }
  world.rows.push(...batch.rows);
}

/** In the order of the links. Links keep their clicks. */
export async function retag(world: World, tagsOfLinks: readonly (readonly string[])[]): Promise<void> {
  for (const [index, link] of world.links.entries()) {
    const tags = tagsOfLinks[index] ?? [];
    await world.stage.client.query("UPDATE links SET tags = $2 WHERE id = $1", [link.id, tags]);
    world.links[index] = { ...link, tags };
  }
}

export function publicLink(link: TestLink | undefined): string {
  return toPublicId("lnk", link?.id ?? "");
}

/** A small seeded generator: the same clicks in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function createRows(links: readonly TestLink[], seed: number, options: ClickOptions) {
  const { fromMs = FIRST_MS, toMs = LAST_MS, visitorsADay = 5 } = options;
  const random = createRandom(seed);
  const pick = <Value>(values: readonly [Value, ...Value[]]): Value =>
    values[random(values.length)] ?? values[0];
  const days = fromMs === FIRST_MS && toMs === LAST_MS && !IS_FULL ? DAYS_WITH_CLICKS : null;
  const spanMs = days === null ? toMs - fromMs : days.length * DAY_MS;
  const toTime = (atMs: number): number =>
    days === null ? fromMs + atMs : (days[Math.floor(atMs / DAY_MS)] ?? 0) + (atMs % DAY_MS);
  // A third is on edges of quarters of an hour, where tables meet.
  const pickTime = (index: number): number =>
    index % 3 === 0 ? toTime(random(spanMs / 900_000) * 900_000) - random(2) : toTime(random(spanMs));
  return (index: number): Partial<ClickRow> => {
    const clickedAtMs = pickTime(index);
    return {
      clickedAtMs,
      linkId: links[random(links.length)]?.id ?? "",
      linkVersion: 1 + random(3),
      ruleId: pick([null, "r1", "r2"]),
      variantId: pick([null, "a", "b"]),
      destination: pick([null, "https://example.com/a", `https://example.com/${"long".repeat(1_500)}`]),
      source: pick(["link", "qr"]),
      class: pick(["human", "human", "bot", "preview"]),
      // No visitor is in two days, because the hash includes the day.
      visitor: random(4) === 0 ? null : visitorOf(Math.floor(clickedAtMs / DAY_MS), random(visitorsADay)),
      referrerHost: pick([null, "", "news.example.org", "=1+1"]),
      language: pick([null, "de-CH", "en"]),
      browser: pick([null, "Firefox", "Chrome"]),
      os: pick([null, "Linux", "iOS"]),
      device: pick(["desktop", "phone"]),
      country: pick([null, "CH", "DE", "US"]),
      region: pick([null, "ZH", "BE"]),
      city: pick([null, "Zürich", "Bern, Stadt", 'O\'Hare "x"']),
      continent: pick(["EU", "NA"]),
      colo: pick([null, "ZRH", "FRA"]),
      utmSource: pick([null, "", "mail"]),
      utmMedium: pick([null, "cpc"]),
      utmCampaign: pick([null, "spring"]),
      utmContent: pick([null, "a", "b"]),
    };
  };
}

function visitorOf(day: number, number: number): string {
  return `00000000-0000-4000-8000-${String(day * 100 + number).padStart(12, "0")}`;
}

export type WorldFilter = {
  readonly dimension: string;
  readonly values: readonly (string | null)[];
  readonly isNot: boolean;
};

/** Of a row, where they have another name than the dimension. */
const FIELDS: Partial<Record<string, keyof ClickRow>> = {
  rule: "ruleId",
  variant: "variantId",
  referrer: "referrerHost",
};

/** A click's value of a dimension, as in the API's answers. */
export function valuesOf(world: World, row: ClickRow, dimension: string): readonly (string | null)[] {
  const link = world.links.find(({ id }) => id === row.linkId);
  switch (dimension) {
    case "link":
      return [publicLink(link)];
    case "domain":
      return [link?.host ?? null];
    case "tag":
      return link === undefined || link.tags.length === 0 ? [null] : link.tags;
    case "destination":
      return [row.destination || (link?.destinations[row.linkVersion - 1] ?? null)];
    case "region":
      return [row.region === null ? null : `${row.country ?? ""}-${row.region}`];
    case "city": {
      const region = row.region === null ? "" : `-${row.region}`;
      return [row.city === null ? null : `${row.country ?? ""}${region}/${row.city}`];
    }
    default: {
      const value = (row as { readonly [name: string]: unknown })[FIELDS[dimension] ?? dimension];
      return [typeof value === "string" && value !== "" ? value : null];
    }
  }
}

/** What a filter may say to mean this click: its value, a place's own name, a domain's id, every class. */
export function namesOf(world: World, row: ClickRow, dimension: string): readonly (string | null)[] {
  const values = valuesOf(world, row, dimension);
  switch (dimension) {
    case "domain":
      return [...values, world.links.find(({ id }) => id === row.linkId)?.domainId ?? null];
    case "region":
    case "city":
      return [...values, row[dimension]];
    case "class":
      return [...values, "all"];
    default:
      return values;
  }
}

export type WorldQuestion = {
  readonly fromMs: number;
  readonly toMs: number;
  /** Of humans, unless one is of classes. */
  readonly filters: readonly WorldFilter[];
};

export function isOneOf(dimension: string, ...values: readonly (string | null)[]): WorldFilter {
  return { dimension, values, isNot: false };
}

export const HUMANS: WorldFilter = isOneOf("class", "human");
export const ALL: WorldFilter = isOneOf("class", "all");

export function matchingRows(world: World, { fromMs, toMs, filters }: WorldQuestion): readonly ClickRow[] {
  const all = filters.some(({ dimension }) => dimension === "class") ? filters : [...filters, HUMANS];
  return world.rows.filter(
    (row) =>
      row.clickedAtMs >= fromMs &&
      row.clickedAtMs < toMs &&
      all.every(
        ({ dimension, values, isNot }) =>
          namesOf(world, row, dimension).some((value) => values.includes(value)) !== isNot,
      ),
  );
}

/** A parameter with several values is repeated. */
export type Query = { readonly [name: string]: string | number | boolean | readonly string[] };

export function toQuery({ fromMs, toMs, filters }: WorldQuestion): Query {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  const named = filters.map(({ dimension, values, isNot }) => [
    isNot ? `${dimension}.not` : dimension,
    values.map((value) => value ?? ""),
  ]);
  return { from, to, ...Object.fromEntries(named) };
}

export function toText(query: Query): string {
  const all = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((one) => [name, `${one}`]),
  );
  return new URLSearchParams(all).toString();
}

/** The answer of /api/v1/analytics/…, which has to be a 200. */
export async function ask<Body>(
  { stage, key }: Pick<World, "stage" | "key">,
  name: string,
  query: Query,
): Promise<Body> {
  const path = `GET /api/v1/analytics/${name}?${toText(query)}`;
  const { status, body } = await callApi<Body>(stage, path, { key });
  expect([path, status, status === 200 ? null : body]).toEqual([path, 200, null]);
  return body;
}

export function countVisitors(rows: readonly ClickRow[]): number {
  return new Set(rows.flatMap(({ visitor }) => visitor ?? [])).size;
}

/** Makes days of the cube that have clicks, every fourth in several slices. @param isRunning they have only begun. */
export async function makeDays(
  { stage, workspace, rows }: World,
  isWanted: (dayMs: number) => boolean,
  isRunning = false,
): Promise<void> {
  if (isRunning) {
    await transactionsOver(async (text) => (await stage.client.query(text)).rows);
  }
  const settings = { databaseUrl: stage.databaseUrl, sqlEndpoint: stage.endpoint.url };
  const days = new Set(rows.map(({ clickedAtMs }) => Math.floor(clickedAtMs / DAY_MS)));
  for (const dayMs of [...days].map((day) => day * DAY_MS).filter(isWanted)) {
    const options = {
      timeoutMs: 30_000,
      nowMs: isRunning ? dayMs : dayMs + DAY_MS,
      openClicks: 2,
      mostOpenClicks: 2,
      ...((dayMs / DAY_MS) % 4 === 1 ? { sliceClicks: 8 } : {}),
    };
    const day = { workspaceId: workspace.id, dayMs };
    while ((await makeDay(createNeonTransactions(settings), day, options))?.againInSeconds === 0) {
      // One slice at a time.
    }
  }
}
