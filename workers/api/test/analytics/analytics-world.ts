/**
 * A known set of clicks in a real database, written by the consumer's statement, and the same questions answered by plain
 * arithmetic over the rows: the API's answers must match, whichever table it reads.
 */
import { makeDay } from "@hopline/analytics/cube/make-day";
import { createNeonTransactions } from "@hopline/db/neon-client";
import { expect } from "vitest";
import { callApi } from "../call-api.ts";
import type { ClickRow } from "@hopline/db/ingest/click-row";
import { insertClicks } from "@hopline/db/ingest/insert-clicks";
import { eventIdOf } from "@hopline/core/click/event-id";
import { IS_FULL } from "../../../../packages/core/test/runs.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import type { Stage, Workspace } from "../stage.ts";
import { runSqlOf } from "../run-sql-of.ts";
import { toUuid } from "../to-uuid.ts";

/** The year includes both clock changes of Berlin and New York; the default range includes those of autumn. */
export const YEAR_FROM_MS = Date.UTC(2026, 1, 20);
export const FIRST_MS = IS_FULL ? YEAR_FROM_MS : Date.UTC(2026, 8, 14);
export const LAST_MS = Date.UTC(2026, 11, 5);

export const DAY_MS = 86_400_000;
const CLICKS_A_YEAR = 3_000;
const BATCH = 500;

export type TestLink = {
  readonly id: string;
  readonly tags: readonly string[];
  readonly host: string;
  readonly domainId: string;
  /** By version, from 1; of the versions from before `link_versions` none is known. */
  readonly destinations: readonly (string | null)[];
};
export type World = { readonly links: TestLink[]; readonly rows: ClickRow[] };

/** @param isolateId a different one for each world in a database. */
export async function fillWorld(
  stage: Stage,
  workspace: Workspace,
  isolateId: string,
  fromMs = FIRST_MS,
): Promise<World> {
  const world = await openWorld(stage, workspace);
  await addClicks(stage, world, { isolateId, fromMs, clicks: atSameDensity(CLICKS_A_YEAR, fromMs) });
  return world;
}

/** From `fromMs` on, as many clicks a day as `clicksAYear` for the whole year. */
export function atSameDensity(clicksAYear: number, fromMs = FIRST_MS): number {
  return Math.round((clicksAYear * (LAST_MS - fromMs)) / (LAST_MS - YEAR_FROM_MS));
}

/** Links without clicks. */
export async function openWorld(stage: Stage, workspace: Workspace): Promise<World> {
  const second = await addDomain(stage, workspace);
  const links: TestLink[] = [];
  for (const [index, tags] of [["mail", "2026"], ["mail"], [], ["print"], []].entries()) {
    const { linkId } = await stage.addObjects(workspace);
    const id = toUuid(linkId);
    const isSecond = index % 2 === 1;
    await stage.client.query("UPDATE links SET domain_id = $2 WHERE id = $1", [
      id,
      isSecond ? second.id : workspace.domainId,
    ]);
    const destinations = [null, "https://example.com/a", `https://example.com/${index % 2}`];
    await stage.client.query("DELETE FROM link_versions WHERE link_id = $1", [id]);
    for (const destination of destinations.slice(1)) {
      await stage.client.query("UPDATE links SET url = $2, version = version + 1 WHERE id = $1", [
        id,
        destination,
      ]);
    }
    await stage.client.query("UPDATE links SET tags = $2 WHERE id = $1", [id, tags]);
    const { id: domainId, host } = isSecond ? second : { id: workspace.domainId, host: workspace.host };
    links.push({ id, tags, host, domainId, destinations });
  }
  return { links, rows: [] };
}

export type ClickOptions = {
  /** A different one for each call. */
  readonly isolateId: string;
  readonly clicks: number;
  /** Anywhere in the world's time if left out. */
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly visitorsADay?: number;
  /** The time of each click, instead of a range. */
  readonly timesMs?: readonly number[];
};

export async function addClicks(stage: Stage, world: World, options: ClickOptions): Promise<void> {
  const { isolateId, timesMs = [] } = options;
  const rows = makeRows(world.links, options).map((row, index) => ({
    ...row,
    clickedAtMs: timesMs[index] ?? row.clickedAtMs,
    // The hash includes the day.
    visitor: timesMs[index] === undefined ? row.visitor : null,
  }));
  for (let first = 0; first < rows.length; first += BATCH) {
    await insertBatch(stage, rows.slice(first, first + BATCH), { isolateId, first });
  }
  world.rows.push(...rows);
}

/** In the order of the links. Links keep their clicks. */
export async function retag(
  stage: Stage,
  world: World,
  tagsOfLinks: readonly (readonly string[])[],
): Promise<void> {
  for (const [index, link] of world.links.entries()) {
    const tags = tagsOfLinks[index] ?? [];
    await stage.client.query("UPDATE links SET tags = $2 WHERE id = $1", [link.id, tags]);
    world.links[index] = { ...link, tags };
  }
}

async function addDomain(stage: Stage, workspace: Workspace): Promise<{ id: string; host: string }> {
  const id = crypto.randomUUID();
  const host = `${id}.example.com`;
  await stage.client.query(
    "INSERT INTO domains (id, workspace_id, host, proof) VALUES ($1, $2, $3, 'vouched')",
    [id, workspace.id, host],
  );
  return { id, host };
}

export function publicLink(link: TestLink | undefined): string {
  return toPublicId("lnk", link?.id ?? "");
}

async function insertBatch(
  stage: Stage,
  rows: readonly ClickRow[],
  segment: { readonly isolateId: string; readonly first: number },
): Promise<void> {
  const times = rows.map(({ clickedAtMs }) => clickedAtMs);
  await insertClicks(
    runSqlOf(stage.client),
    {
      rows,
      segmentOfRow: rows.map(() => 0),
      segments: [
        {
          isolateId: segment.isolateId,
          firstSequence: segment.first + 1,
          clickCount: rows.length,
          sentCount: rows.length,
          deliveries: 1,
          receivedAtMs: Math.max(...times),
          firstClickedAtMs: Math.min(...times),
          lastClickedAtMs: Math.max(...times),
        },
      ],
    },
    30_000,
  );
}

/** A small seeded generator: the same clicks in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function makeRows(links: readonly TestLink[], options: ClickOptions): readonly ClickRow[] {
  const { isolateId, clicks, fromMs = FIRST_MS, toMs = LAST_MS, visitorsADay = 5 } = options;
  const random = createRandom(Number.parseInt(isolateId.slice(-4), 16));
  const pick = <Value>(values: readonly [Value, ...Value[]]): Value =>
    values[random(values.length)] ?? values[0];
  // A third is on edges of quarters of an hour, where tables meet.
  const pickTime = (index: number): number =>
    index % 3 === 0
      ? fromMs + random((toMs - fromMs) / 900_000) * 900_000 - random(2)
      : fromMs + random(toMs - fromMs);
  return Array.from({ length: clicks }, (_, index) => pickTime(index)).map((clickedAtMs, index) => ({
    eventId: eventIdOf(isolateId, index + 1),
    clickedAtMs,
    linkId: links[random(links.length)]?.id ?? "",
    linkVersion: 1 + random(3),
    ruleId: pick([null, "r1", "r2"]),
    variantId: pick([null, "a", "b"]),
    destination: pick([null, "https://example.com/a", `https://example.com/${"long".repeat(1_500)}`]),
    source: pick(["link", "qr"]),
    class: pick(["human", "human", "bot", "preview"]),
    quality: 0,
    classifierVersion: 1,
    // No visitor is in two days, because the hash includes the day.
    visitor: random(4) === 0 ? null : visitorOf(Math.floor(clickedAtMs / 86_400_000), random(visitorsADay)),
    referrerHost: pick([null, "", "news.example.org", "=1+1"]),
    language: pick([null, "de-CH", "en"]),
    browser: pick([null, "Firefox", "Chrome"]),
    os: pick([null, "Linux", "iOS"]),
    device: pick(["desktop", "phone"]),
    country: pick([null, "CH", "DE", "US"]),
    region: pick([null, "ZH", "BE"]),
    city: pick([null, "Zürich", "Bern, Stadt", 'O\'Hare "x"']),
    continent: pick(["EU", "NA"]),
    latitude: null,
    longitude: null,
    colo: pick([null, "ZRH", "FRA"]),
    asn: null,
    utmSource: pick([null, "", "mail"]),
    utmMedium: pick([null, "cpc"]),
    utmCampaign: pick([null, "spring"]),
    utmTerm: null,
    utmContent: pick([null, "a", "b"]),
  }));
}

function visitorOf(day: number, number: number): string {
  return `00000000-0000-4000-8000-${String(day * 100 + number).padStart(12, "0")}`;
}

export type WorldFilter = {
  readonly dimension: string;
  readonly values: readonly (string | null)[];
  readonly isNot: boolean;
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
    case "rule":
      return [row.ruleId];
    case "variant":
      return [row.variantId];
    case "destination":
      return [row.destination || (link?.destinations[row.linkVersion - 1] ?? null)];
    case "region":
      return [row.region === null ? null : `${row.country ?? ""}-${row.region}`];
    case "city": {
      const region = row.region === null ? "" : `-${row.region}`;
      return [row.city === null ? null : `${row.country ?? ""}${region}/${row.city}`];
    }
    case "referrer":
      return [row.referrerHost || null];
    default: {
      const value = (row as { readonly [name: string]: unknown })[dimension];
      return [typeof value === "string" && value !== "" ? value : null];
    }
  }
}

/** What a filter may say to mean this click: its value, a place's own name, a domain's id. */
export function namesOf(world: World, row: ClickRow, dimension: string): readonly (string | null)[] {
  const values = valuesOf(world, row, dimension);
  const link = world.links.find(({ id }) => id === row.linkId);
  if (dimension === "domain" && link !== undefined) {
    return [...values, toPublicId("dom", link.domainId)];
  }
  return dimension === "region" || dimension === "city" ? [...values, row[dimension]] : values;
}

export type WorldQuestion = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly filters: readonly WorldFilter[];
};

export function matchingRows(world: World, { fromMs, toMs, filters }: WorldQuestion): readonly ClickRow[] {
  return world.rows.filter(
    (row) =>
      row.clickedAtMs >= fromMs &&
      row.clickedAtMs < toMs &&
      filters.every(
        ({ dimension, values, isNot }) =>
          namesOf(world, row, dimension).some((value) => values.includes(value)) !== isNot,
      ),
  );
}

export const HUMANS: WorldFilter = { dimension: "class", values: ["human"], isNot: false };

export function toParameters(
  fromMs: number,
  toMs: number,
  filters: readonly WorldFilter[] = [],
): URLSearchParams {
  const parameters = new URLSearchParams({
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
  });
  for (const { dimension, values, isNot } of filters) {
    for (const value of values) {
      parameters.append(isNot ? `${dimension}.not` : dimension, value ?? "");
    }
  }
  return parameters;
}

/** The answer of /api/v1/analytics/…, which has to be a 200. */
export async function askAnalytics<Body>(
  { stage, key }: { readonly stage: Stage; readonly key: string },
  name: string,
  parameters: URLSearchParams | Record<string, string>,
): Promise<Body> {
  const path = `GET /api/v1/analytics/${name}?${new URLSearchParams(parameters).toString()}`;
  const { status, body } = await callApi<Body>(stage, path, { key });
  expect([path, status, status === 200 ? null : body]).toEqual([path, 200, null]);
  return body;
}

export function countVisitors(rows: readonly ClickRow[]): number {
  return new Set(rows.flatMap(({ visitor }) => visitor ?? [])).size;
}

/** Makes days of the cube, every fourth in several slices. */
export async function makeDaysOf(
  { stage, workspaceId }: { readonly stage: Stage; readonly workspaceId: string },
  daysMs: readonly number[],
  sliceClicks: number,
): Promise<void> {
  const settings = { databaseUrl: stage.databaseUrl, sqlEndpoint: stage.endpoint.url };
  const runTransaction = createNeonTransactions(settings);
  for (const dayMs of daysMs) {
    const options = { timeoutMs: 30_000, ...((dayMs / DAY_MS) % 4 === 1 ? { sliceClicks } : {}) };
    while (!(await makeDay(runTransaction, { workspaceId, dayMs }, options))) {
      // One slice at a time.
    }
  }
}
