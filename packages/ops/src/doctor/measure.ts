/**
 * Measures on a deployment what no rehearsal can show (docs/first-real-day.md): each with the figure to expect. It visits the first
 * host as a visitor does; with the first key it also edits a link of its own, and deletes that again.
 */
import { createClient } from "@hopline/client/client";

import type { Place } from "../deploy/prove.ts";
import type { Tools } from "../deploy/tools.ts";
import { CANARY_SLUG, countClicksOf, ensureCanary } from "../operate/canary-link.ts";
import { toFetch } from "../operate/first-account.ts";

export type Measurement = {
  readonly name: string;
  /** With its unit; why not, where it could not be measured. */
  readonly measured: string;
  readonly expected: string;
};

export type MeasureDeps = Pick<Tools, "fetch" | "wait"> & {
  /** Of the first workspace; null: nothing is edited. */
  readonly key: string | null;
  readonly nowMs: () => number;
};

const VISITS = 20;
/** Of what needs no key: a network has 60 in ten seconds. */
const OPEN_VISITS = 10;
const BURST = 100;
const PAUSE_MS = 500;
const TIMEOUT_MS = 60_000;

/** One after the other. Nothing of it rejects: what fails is its own finding. */
export async function measureDeployment(place: Place, deps: MeasureDeps): Promise<readonly Measurement[]> {
  const found: Measurement[] = [];
  for (const { name, expected, measure } of MEASURES) {
    const measured = await measure(place, deps).catch(
      (error: unknown) => `not measured: ${error instanceof Error ? error.message : String(error)}`,
    );
    found.push({ name, measured, expected });
  }
  return found;
}

type Measure = {
  readonly name: string;
  readonly expected: string;
  readonly measure: (place: Place, deps: MeasureDeps) => Promise<string>;
};

const MEASURES: readonly Measure[] = [
  {
    name: "Certificate and first answer",
    expected: "an answer at once; up to 15 min after a host was added",
    measure: async (place, deps) => `${await timeUntil(() => answers(place, deps), deps)} ms`,
  },
  {
    name: "Round trip of the API to the database",
    expected: "5-50 ms with both in one region; over 100 ms the region is wrong",
    measure: (place, deps) => readHealth(place, deps, "database"),
  },
  {
    name: "Round trip of the API to KV",
    expected: "5-50 ms, the first one up to 200 ms",
    measure: (place, deps) => readHealth(place, deps, "kv"),
  },
  {
    name: "Round trip of the API to the change feed",
    expected: "5-50 ms near its region, 100-250 ms across an ocean",
    measure: (place, deps) => readHealth(place, deps, "feed"),
  },
  {
    name: "Redirect by tier, as this data centre answers",
    expected: "isolate for all but the first visits",
    measure: measureTiers,
  },
  {
    name: "Edit until visitors get it",
    expected: "within 2 s; 5 s on workers.dev, which has no Cache API",
    measure: measureEdit,
  },
  {
    name: `Queue: ${BURST} clicks until the last is counted`,
    expected: "within 10 s",
    measure: measureBurst,
  },
  {
    name: "CPU: cold and large answers that Cloudflare refuses (error 1102)",
    expected: "0 on Workers Paid; on Free a few may be refused",
    measure: measureRefusals,
  },
];

async function visit(url: string, { fetch }: MeasureDeps, headers: Record<string, string> = {}) {
  return fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
}

async function answers({ host }: Place, deps: MeasureDeps): Promise<boolean> {
  return (await visit(`https://${host}/api/health`, deps)).status < 500;
}

/** Milliseconds until it holds. Rejects after a minute. */
async function timeUntil(holds: () => Promise<boolean>, { nowMs, wait }: MeasureDeps): Promise<number> {
  const startedAtMs = nowMs();
  while (!(await holds())) {
    if (nowMs() - startedAtMs > TIMEOUT_MS) {
      throw new Error("not within a minute");
    }
    await wait(PAUSE_MS);
  }
  return Math.round(nowMs() - startedAtMs);
}

async function readHealth({ host }: Place, deps: MeasureDeps, of: string): Promise<string> {
  const latencies: number[] = [];
  for (let left = OPEN_VISITS; left > 0; left -= 1) {
    const health: unknown = await (await visit(`https://${host}/api/health`, deps)).json();
    const { dependencies } = health as Readonly<Record<string, Record<string, { latencyMs: number }>>>;
    latencies.push(dependencies?.[of]?.latencyMs ?? Number.NaN);
  }
  const ordered = latencies.toSorted((one, other) => one - other);
  return `${ordered[OPEN_VISITS >> 1]} ms in the middle of ${OPEN_VISITS}, worst ${ordered.at(-1)} ms`;
}

async function requireCanary({ databaseUrl, host }: Place): Promise<string> {
  const id = await ensureCanary(databaseUrl, host);
  if (id === null) {
    throw new Error(`no workspace has ${host}, or its link ${CANARY_SLUG} is off`);
  }
  return id;
}

async function measureTiers(place: Place, deps: MeasureDeps): Promise<string> {
  await requireCanary(place);
  const tiers = new Map<string, number>();
  for (let left = VISITS; left > 0; left -= 1) {
    const response = await visit(`https://${place.host}/${CANARY_SLUG}`, deps, { [ASKS_FOR_TIER]: "1" });
    const tier = response.headers.get("server-timing") ?? String(response.status);
    tiers.set(tier, (tiers.get(tier) ?? 0) + 1);
  }
  return [...tiers].map(([tier, count]) => `${tier} ${count}`).join(", ");
}

async function measureEdit({ host }: Place, deps: MeasureDeps): Promise<string> {
  if (deps.key === null) {
    throw new Error("set FIRST_API_KEY to a key of the workspace that has the host");
  }
  const client = createClient({ baseUrl: `https://${host}`, key: deps.key, fetch: toFetch(deps.fetch) });
  const { id, slug } = await client.createLink({ body: { domain: host, url: "https://example.com/1" } });
  try {
    const leadsTo = (path: string) => async () => {
      const { headers } = await visit(`https://${host}/${slug}`, deps);
      return headers.get("location") === `https://example.com/${path}`;
    };
    await timeUntil(leadsTo("1"), deps);
    await client.updateLink({ linkId: id, body: { url: "https://example.com/2" } });
    return `${await timeUntil(leadsTo("2"), deps)} ms`;
  } finally {
    await client.deleteLink({ linkId: id });
  }
}

async function measureBurst(place: Place, deps: MeasureDeps): Promise<string> {
  const id = await requireCanary(place);
  const before = await countClicksOf(place.databaseUrl, id);
  const address = `https://${place.host}/${CANARY_SLUG}`;
  await Promise.all(Array.from({ length: BURST }, () => visit(address, deps)));
  const isCounted = async () => (await countClicksOf(place.databaseUrl, id)) >= before + BURST;
  return `${await timeUntil(isCounted, deps)} ms`;
}

async function measureRefusals({ host }: Place, deps: MeasureDeps): Promise<string> {
  let refused = 0;
  for (let left = OPEN_VISITS; left > 0; left -= 1) {
    const response = await visit(`https://${host}/api/openapi.json`, deps);
    const text = await response.text();
    refused += response.status >= 500 && /\b1102\b/.test(text) ? 1 : 0;
  }
  return `${refused} of ${OPEN_VISITS}`;
}

/** As workers/producer/src/answer/respond-redirect.ts reads it. */
const ASKS_FOR_TIER = "hopline-debug";
