/**
 * What a small business would have after two months: Harbour Café, with a shop for beans, its links, people and clicks. Made up, and
 * the same in every run but for the dates. Links and people are made as the API makes them; clicks go through the consumer's
 * statement, so that totals, series and the ledger are what they would be.
 */
import { createHash } from "node:crypto";

import { createClient, type HoplineClient } from "@hopline/client/client";
import type { CreateLink, Link } from "@hopline/client/openapi";
import { eventIdOf } from "@hopline/core/click/event-id";
import type { ClickRow } from "@hopline/db/ingest/click-row";
import { insertClicks } from "@hopline/db/ingest/insert-clicks";
import { createNeonClient } from "@hopline/db/neon-client";
import type { Client } from "pg";

import type { DashboardStack } from "./dashboard-stack.ts";

export const HOST = "go.harbourcafe.example";
const WORKSPACE_ID = "0198f3c2-0000-7000-8000-000000000001";
const DOMAIN_ID = "0198f3c2-0000-7000-8000-000000000002";
/** Of this data alone; the database is thrown away. */
const API_KEY = "hop_ofHarbourCoffeeForScreenshots000";
const DAYS = 60;
const DAY_MS = 86_400_000;
const SEGMENT_CLICKS = 100;
const TIMEOUT_MS = 60_000;

const PEOPLE = [
  { id: "0198f3c2-0000-7000-8000-000000000011", name: "Mara Lindqvist", email: "mara", role: "owner" },
  { id: "0198f3c2-0000-7000-8000-000000000012", name: "Jonas Weber", email: "jonas", role: "admin" },
  { id: "0198f3c2-0000-7000-8000-000000000013", name: "Aisha Khan", email: "aisha", role: "editor" },
] as const;

const TAGS = {
  newsletter: "#2b7fb8",
  instagram: "#b8336a",
  print: "#c98a1b",
  shop: "#2f9d6c",
  events: "#7a5cc0",
  partners: null,
} as const;
type Tag = keyof typeof TAGS;

const FOLDERS = ["Autumn menu", "Roastery", "Events"] as const;

type Plan = {
  readonly slug: string;
  readonly title: string;
  /** Behind https://harbourcafe.example, or whole. */
  readonly to: string;
  readonly tags: readonly Tag[];
  readonly folder?: (typeof FOLDERS)[number];
  readonly ageDays: number;
  /** Clicks on an average day. */
  readonly daily: number;
  /** Share of scans. */
  readonly scans?: number;
  readonly more?: Partial<CreateLink>;
};

const site = (path: string) => (path.startsWith("https:") ? path : `https://harbourcafe.example${path}`);

const appRules: CreateLink["rules"] = [
  {
    id: "iphones",
    when: { os: ["iOS"] },
    to: { url: "https://apps.example.com/harbour-cafe" },
  },
  {
    id: "evenings",
    when: {
      time: { zone: "Europe/Berlin", days: ["thu", "fri", "sat"], start: "17:00", end: "22:00" },
      country: ["DE", "DK"],
    },
    to: { url: site("/evening-menu") },
  },
];

const PLANS: readonly Plan[] = [
  {
    slug: "menu",
    title: "Menu on the tables",
    to: "/menu",
    tags: ["print"],
    folder: "Autumn menu",
    ageDays: 58,
    daily: 34,
    scans: 0.86,
    more: { rules: appRules },
  },
  {
    slug: "autumn",
    title: "Autumn drinks",
    to: "/menu/autumn",
    tags: ["instagram", "newsletter"],
    folder: "Autumn menu",
    ageDays: 44,
    daily: 27,
    more: { utm: { source: "instagram", medium: "social", campaign: "autumn" } },
  },
  {
    slug: "beans",
    title: "Bean subscription",
    to: "/shop/subscription",
    tags: ["shop", "newsletter"],
    folder: "Roastery",
    ageDays: 60,
    daily: 19,
    more: { utm: { source: "newsletter", medium: "email", campaign: "beans" } },
  },
  { slug: "book", title: "Book a table", to: "/reservations", tags: ["instagram"], ageDays: 60, daily: 16 },
  {
    slug: "gift",
    title: "Gift cards",
    to: "/shop/gift-cards",
    tags: ["shop"],
    folder: "Roastery",
    ageDays: 37,
    daily: 11,
    more: {
      split: [
        { id: "photo", url: site("/shop/gift-cards"), weight: 50 },
        { id: "plain", url: site("/shop/gift-cards?layout=plain"), weight: 50 },
      ],
    },
  },
  { slug: "jobs", title: "Work with us", to: "/jobs", tags: ["print", "partners"], ageDays: 52, daily: 4 },
  {
    slug: "jazz",
    title: "Jazz on the quay",
    to: "/events/jazz",
    tags: ["events", "print"],
    folder: "Events",
    ageDays: 26,
    daily: 13,
    scans: 0.4,
    more: { expiresAt: new Date(Date.now() + 12 * DAY_MS).toISOString(), expiredUrl: site("/events") },
  },
  {
    slug: "cupping",
    title: "Cupping evening, 24 seats",
    to: "/events/cupping",
    tags: ["events"],
    folder: "Events",
    ageDays: 19,
    daily: 6,
    more: { cap: { mode: "strict", maxClicks: 400 } },
  },
  { slug: "map", title: "How to find us", to: "/visit", tags: ["print"], ageDays: 60, daily: 9, scans: 0.5 },
  { slug: "wifi", title: "Guest network", to: "/wifi", tags: ["print"], ageDays: 41, daily: 8, scans: 0.95 },
  {
    slug: "ethiopia",
    title: "Ethiopia Guji, new harvest",
    to: "/shop/ethiopia-guji",
    tags: ["shop", "instagram"],
    folder: "Roastery",
    ageDays: 15,
    daily: 12,
  },
  {
    slug: "press",
    title: "Press kit",
    to: "/press",
    tags: ["partners"],
    ageDays: 48,
    daily: 2,
    more: { password: "for the press" },
  },
  {
    slug: "advent",
    title: "Advent calendar of beans",
    to: "/shop/advent",
    tags: ["shop", "newsletter"],
    folder: "Roastery",
    ageDays: 6,
    daily: 0,
    more: { startsAt: new Date(Date.now() + 8 * DAY_MS).toISOString() },
  },
  {
    slug: "review",
    title: "Leave a review",
    to: "https://reviews.example.com/harbour-cafe",
    tags: ["print"],
    ageDays: 33,
    daily: 5,
    scans: 0.7,
  },
];

type Weighted = readonly (readonly [value: string, weight: number])[];

const COUNTRIES: Weighted = [
  ["DE", 58],
  ["DK", 12],
  ["NL", 7],
  ["SE", 6],
  ["AT", 5],
  ["GB", 4],
  ["CH", 3],
  ["US", 3],
  ["FR", 2],
  ["PL", 2],
  ["JP", 1],
  ["BR", 1],
  ["AU", 1],
];
const CITIES: { readonly [country: string]: Weighted } = {
  DE: [
    ["Hamburg", 60],
    ["Berlin", 14],
    ["Kiel", 9],
    ["Lübeck", 7],
    ["Bremen", 6],
    ["München", 4],
  ],
  DK: [
    ["København", 7],
    ["Aarhus", 3],
  ],
};
const REFERRERS: Weighted = [
  ["", 46],
  ["instagram.com", 26],
  ["google.com", 15],
  ["facebook.com", 6],
  ["hamburg-tips.example", 5],
  ["linkedin.com", 2],
];
const DEVICES: Weighted = [
  ["iOS/Safari/phone", 40],
  ["Android/Chrome/phone", 34],
  ["Windows/Chrome/desktop", 9],
  ["macOS/Safari/desktop", 7],
  ["Windows/Edge/desktop", 4],
  ["Linux/Firefox/desktop", 3],
  ["iOS/Safari/tablet", 3],
];
const CONTINENTS: { readonly [country: string]: string } = { US: "NA", JP: "AS", BR: "SA", AU: "OC" };
const LANGUAGES: { readonly [country: string]: string } = {
  DE: "de-DE",
  DK: "da",
  NL: "nl",
  SE: "sv",
  AT: "de-AT",
  CH: "de-CH",
  FR: "fr",
  PL: "pl",
  JP: "ja",
  BR: "pt-BR",
};
/** A café's day, by hour in its own zone. */
const HOURS = [1, 1, 0, 0, 0, 1, 4, 14, 22, 20, 17, 15, 18, 17, 14, 15, 17, 14, 12, 11, 9, 7, 4, 2];
/** From Sunday. */
const WEEKDAYS = [1.25, 0.62, 0.78, 0.85, 0.95, 1.15, 1.5];

/** The links, in the order of PLANS. */
export async function fillDemoBusiness(stack: DashboardStack): Promise<readonly Link[]> {
  const { database, appOrigin } = stack;
  await addWorkspace(database);
  const hopline = createClient({ baseUrl: appOrigin, key: API_KEY });
  const links = await addLinks(hopline);
  for (const [index, { ageDays }] of PLANS.entries()) {
    const at = new Date(Date.now() - ageDays * DAY_MS - index * 1_000_000);
    await database.query("UPDATE links SET created_at = $2 WHERE id = $1", [toUuid(links[index]), at]);
  }
  await addClicks(stack, links);
  return links;
}

async function addWorkspace(client: Client): Promise<void> {
  await client.query("INSERT INTO workspaces (id, name) VALUES ($1, 'Harbour Café')", [WORKSPACE_ID]);
  await client.query(
    "INSERT INTO domains (id, workspace_id, host, proof, proved_at) VALUES ($1, $2, $3, 'vouched', now() - interval '60 days')",
    [DOMAIN_ID, WORKSPACE_ID, HOST],
  );
  for (const { id, name, email, role } of PEOPLE) {
    await client.query(
      "INSERT INTO people (id, name, email, email_verified, is_operator) VALUES ($1, $2, $3, true, $4)",
      [id, name, `${email}@harbourcafe.example`, role === "owner"],
    );
    await client.query(
      "INSERT INTO members (id, workspace_id, person_id, role) VALUES (gen_random_uuid(), $1, $2, $3)",
      [WORKSPACE_ID, id, role],
    );
  }
  await client.query(
    `INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes)
     VALUES (gen_random_uuid(), $1, 'Till system', $2, $3, '{links:read,links:write,analytics:read}')`,
    [WORKSPACE_ID, API_KEY.slice(0, 12), createHash("sha256").update(API_KEY).digest()],
  );
}

async function addLinks(hopline: HoplineClient): Promise<readonly Link[]> {
  for (const [name, color] of Object.entries(TAGS)) {
    await hopline.createTag({ body: { name, color } });
  }
  for (const name of FOLDERS) {
    await hopline.createFolder({ body: { name } });
  }
  const links: Link[] = [];
  for (const { slug, title, to, tags, folder = null, more } of PLANS) {
    links.push(
      await hopline.createLink({ body: { slug, title, url: site(to), tags: [...tags], folder, ...more } }),
    );
  }
  return links;
}

async function addClicks(stack: DashboardStack, links: readonly Link[]): Promise<void> {
  const runSql = createNeonClient({
    databaseUrl: stack.databaseUrl,
    sqlEndpoint: stack.sqlEndpointUrl,
  });
  const random = createRandom(20_261_122);
  // The last click has just come: the day before it is accounted for.
  const nowMs = Date.now();
  const times = PLANS.flatMap((plan, index) =>
    [...timesOf(plan, random), ...(index === 0 ? [nowMs - 30_000] : [])].map((clickedAtMs) => ({
      plan,
      link: links[index],
      clickedAtMs,
    })),
  ).toSorted((one, other) => one.clickedAtMs - other.clickedAtMs);
  for (const [number, segmentTimes] of inSegments(times).entries()) {
    const isolateId = (number + 1).toString(16).padStart(16, "0");
    const rows = segmentTimes.map(({ plan, link, clickedAtMs }, index) => ({
      ...clickOf(plan, clickedAtMs, random),
      eventId: eventIdOf(isolateId, index + 1),
      linkId: toUuid(link),
      utmSource: link?.utm?.source ?? null,
      utmMedium: link?.utm?.medium ?? null,
      utmCampaign: link?.utm?.campaign ?? null,
    }));
    const lastMs = rows.at(-1)?.clickedAtMs ?? 0;
    const segment = {
      isolateId,
      firstSequence: 1,
      clickCount: rows.length,
      sentCount: rows.length,
      deliveries: 1,
      receivedAtMs: lastMs + 900,
      firstClickedAtMs: rows[0]?.clickedAtMs ?? 0,
      lastClickedAtMs: lastMs,
    };
    const batch = { rows, segmentOfRow: rows.map(() => 0), segments: [segment] };
    await insertClicks(runSql, batch, TIMEOUT_MS);
  }
}

type AtTime = { readonly clickedAtMs: number };

/** None has clicks of two days: the ledger counts a segment on the day of its first. */
function inSegments<Click extends AtTime>(clicks: readonly Click[]): readonly (readonly Click[])[] {
  const days = Map.groupBy(clicks, ({ clickedAtMs }) => Math.floor(clickedAtMs / DAY_MS));
  return [...days.values()].flatMap((ofDay) =>
    Array.from({ length: Math.ceil(ofDay.length / SEGMENT_CLICKS) }, (_, index) =>
      ofDay.slice(index * SEGMENT_CLICKS, (index + 1) * SEGMENT_CLICKS),
    ),
  );
}

/** `lnk_` and 32 hexadecimal digits, which Postgres reads as a UUID. */
function toUuid(link: Link | undefined): string {
  return (link?.id ?? "").slice("lnk_".length);
}

/** Since the link exists, up to now; a little more each week. */
function timesOf({ ageDays, daily }: Plan, random: () => number): readonly number[] {
  const days = Math.min(ageDays, DAYS);
  return Array.from({ length: days }, (_, index) => index).flatMap((index) => {
    const dayMs = Math.floor(Date.now() / DAY_MS - index) * DAY_MS;
    const weekday = WEEKDAYS[new Date(dayMs).getUTCDay()] ?? 1;
    const growth = 1.25 - (0.5 * index) / DAYS;
    const clicks = Math.round(daily * weekday * growth * (0.7 + 0.6 * random()));
    return Array.from({ length: clicks }, () => dayMs + hourOf(random) * 3_600_000 + random() * 3_600_000)
      .map(Math.floor)
      .filter((atMs) => atMs < Date.now());
  });
}

/** In UTC, where the café's clock is an hour ahead. */
function hourOf(random: () => number): number {
  const hours: Weighted = HOURS.map((weight, hour) => [String((hour + 23) % 24), weight]);
  return Number(pick(hours, random));
}

function clickOf({ scans = 0.03 }: Plan, clickedAtMs: number, random: () => number) {
  const country = pick(COUNTRIES, random);
  const [os = "", browser = "", device = ""] = pick(DEVICES, random).split("/");
  const isScan = random() < scans;
  const referrer = isScan ? "" : pick(REFERRERS, random);
  const known = CITIES[country];
  return {
    clickedAtMs,
    linkVersion: 1,
    ruleId: null,
    variantId: null,
    destination: null,
    source: isScan ? "qr" : "link",
    class: random() < 0.06 ? "bot" : "human",
    visitor: Math.floor(Math.floor(clickedAtMs / DAY_MS) * 1_000 + random() * 160)
      .toString(16)
      .padStart(32, "0"),
    referrerHost: referrer === "" ? null : referrer,
    language: LANGUAGES[country] ?? "en",
    browser: isScan && device === "desktop" ? "Safari" : browser,
    os: isScan && device === "desktop" ? "iOS" : os,
    device: isScan ? "phone" : device,
    country,
    region: null,
    city: known === undefined ? null : pick(known, random),
    continent: CONTINENTS[country] ?? "EU",
    colo: "HAM",
    utmTerm: null,
    utmContent: null,
  } satisfies Omit<ClickRow, "eventId" | "linkId" | "utmSource" | "utmMedium" | "utmCampaign">;
}

function pick(choices: Weighted, random: () => number): string {
  const total = choices.reduce((sum, [, weight]) => sum + weight, 0);
  let left = random() * total;
  for (const [value, weight] of choices) {
    left -= weight;
    if (left < 0) {
      return value;
    }
  }
  return choices.at(-1)?.[0] ?? "";
}

/** The same numbers for the same seed, in [0, 1): the linear congruential generator of Numerical Recipes. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
