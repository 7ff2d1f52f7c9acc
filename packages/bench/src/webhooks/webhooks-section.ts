/**
 * From a click to ten receivers: 200 clicks a second through the production bundles in one workerd, with their queues' own
 * settings, and a Postgres that commits to disk; once with clicks in batches, once with a message for each, and once in batches
 * while another workspace has fifty receivers that never answer. Everything runs on this machine, visitors and receivers too.
 * Counts before it times: where a receiver's own count or an endpoint's stats are not the clicks that were made, the run is an error.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";

import { createClient, type HoplineClient } from "@hopline/client/client";
import { eventIdOf } from "@hopline/core/click/event-id";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { type DatabaseServer, openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { DURABLE } from "@hopline/testkit/postgres/postgres-server";
import { buildWorkers } from "@hopline/testkit/workspace/build-workers";
import type pg from "pg";
import { Pool } from "undici";

import { addKey } from "../add-key.ts";
import { meterPrograms } from "../cpu-meter.ts";
import type { Section, SectionReport } from "../section.ts";
import { median, percentile } from "../statistics.ts";
import { formatTable } from "../table.ts";
import { seedStack, withStack } from "../with-stack.ts";
import type { ReceiverReport } from "./receiver-thread.ts";

const CASES = [
  { name: "batch", mode: "batch", hanging: 0 },
  { name: "each", mode: "each", hanging: 0 },
  { name: "beside-hanging", mode: "batch", hanging: 50 },
] as const;
const HANGING_PATH = "/hangs";
const ENDPOINTS = 10;
const CLICKS_PER_SECOND = 200;
const CLICKING_SECONDS = 60;
/** Clicks that come before isolates and connections are warm are delivered and counted, and not timed. */
const WARM_UP_SECONDS = 5;
const ROUNDS = 1;
const TICK_MS = 10;
const POLL_MS = 500;
const GIVE_UP_AFTER_MS = 120_000;
const VISITOR = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  accept: "text/html",
  "accept-language": "fr-FR,fr;q=0.8",
};

/** As Node names the thread that it starts with. */
const THIS_PROGRAM = "MainThread";

type Case = (typeof CASES)[number];
type Round = {
  readonly clicks: number;
  readonly messages: number;
  readonly again: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly longestMs: number;
  /** From the last click until everything was delivered. */
  readonly caughtUpMs: number;
  /** CPU of a message, and of the clicks in it, in microseconds; `NaN` where the system does not say. */
  readonly workerdUs: number;
  readonly postgresUs: number;
  /** The /sql endpoint, the visitors and the receivers. */
  readonly nodeUs: number;
};

export const webhooksSection: Section = {
  title: `Webhooks: ${CLICKS_PER_SECOND} clicks/s to ${ENDPOINTS} receivers`,
  async run({ rounds, say }) {
    await buildWorkers(consoleProgress());
    await using server = await openDatabaseServer({ settings: DURABLE });
    const results: Results[] = CASES.map((one) => ({ one, rounds: [] }));
    for (let round = 0; round < (rounds ?? ROUNDS); round += 1) {
      for (const result of results) {
        result.rounds.push(await runRound(server, result.one, say));
      }
    }
    return report(results);
  },
};

type Results = { readonly one: Case; readonly rounds: Round[] };

function report(results: readonly Results[]): SectionReport {
  const columns = [
    "clicks",
    "messages",
    "again",
    "p50Ms",
    "p95Ms",
    "longestMs",
    "caughtUpMs",
    "workerdUs",
    "postgresUs",
    "nodeUs",
  ] as const;
  return {
    figures: results.flatMap(({ one, rounds }) =>
      (["p50Ms", "p95Ms"] as const).map((name) => {
        const samples = rounds.map((round) => round[name]);
        return {
          name: `webhooks.${one.name}.${name.slice(0, 3)}`,
          unit: "ms" as const,
          value: median(samples),
          samples,
        };
      }),
    ),
    lines: [
      "from the click to the receiver, in ms; each receiver got each click; CPU of a message with its clicks in µs: workerd,",
      "Postgres, and node with the /sql endpoint, the visitors and the receivers",
      ...formatTable([
        [
          "",
          "clicks",
          "messages",
          "again",
          "p50",
          "p95",
          "longest",
          "all after",
          "workerd",
          "Postgres",
          "node",
        ],
        ...results.flatMap(({ one, rounds }) =>
          rounds.map((round) => [one.name, ...columns.map((column) => round[column].toFixed(0))]),
        ),
      ]),
    ],
  };
}

/** Rejects when a count is not exact. */
function runRound(
  server: DatabaseServer,
  { name, mode, hanging }: Case,
  say: (status: string) => void,
): Promise<Round> {
  return withStack(server, { onError: say }, async (stack) => {
    const { runtime } = stack;
    const { apiKey, slug } = await seedStack(stack);
    const hopline = createClient({ baseUrl: runtime.url, key: apiKey, maxRetries: 0 });
    const receivers = await startReceivers();
    const stop = new AbortController();
    let neighbour: Promise<void> = Promise.resolve();
    try {
      const webhooks: string[] = [];
      for (let index = 0; index < ENDPOINTS; index += 1) {
        const url = `${receivers.url}/${index}`;
        const { id } = await hopline.createWebhook({
          body: { url, events: ["click"], mode, filter: { classes: ["human", "bot"] } },
        });
        webhooks.push(id);
      }

      if (hanging > 0) {
        const workspaceId = randomUUID();
        await stack.database.query("INSERT INTO workspaces (id, name) VALUES ($1, 'neighbour')", [
          workspaceId,
        ]);
        const key = await addKey(stack.database, workspaceId, "admin");
        const theirs = createClient({ baseUrl: runtime.url, key, maxRetries: 0 });
        for (let index = 0; index < hanging; index += 1) {
          await theirs.createWebhook({ body: { url: `${receivers.url}${HANGING_PATH}`, events: ["click"] } });
        }
        neighbour = clickEachSecond(stack.database, workspaceId, stop.signal);
      }

      const warm = await makeClicks(runtime.url, slug, WARM_UP_SECONDS);
      await untilDelivered(warm, { webhooks, hopline, say });
      const before = await receivers.report();
      const readCpu = meterPrograms();
      say(`${name}: ${CLICKING_SECONDS} s of clicks`);
      const clicks = warm + (await makeClicks(runtime.url, slug, CLICKING_SECONDS));
      const clickedAtMs = performance.now();
      await untilDelivered(clicks, { webhooks, hopline, say });
      const caughtUpMs = performance.now() - clickedAtMs;
      const cpu = readCpu();
      const { tookMs, messages, again, clicks: received } = await receivers.report();
      const counts = Object.values(received);
      if (counts.length !== ENDPOINTS || counts.some((count) => count !== clicks)) {
        throw new Error(`webhooks bench: of ${clicks} clicks the receivers got ${counts.join(", ")}`);
      }
      const timed = tookMs.slice(before.tookMs.length);
      const usOf = (program: string) => (1_000 * (cpu?.get(program) ?? NaN)) / (messages - before.messages);
      return {
        clicks,
        messages,
        again,
        p50Ms: median(timed),
        p95Ms: percentile(timed, 95),
        longestMs: percentile(timed, 100),
        caughtUpMs,
        workerdUs: usOf("workerd"),
        postgresUs: usOf("postgres"),
        nodeUs: usOf(THIS_PROGRAM),
      };
    } finally {
      stop.abort();
      await neighbour;
      await receivers.end();
    }
  });
}

/** As the consumer writes them. */
async function clickEachSecond(database: pg.Client, workspaceId: string, signal: AbortSignal): Promise<void> {
  for (let number = 1; !signal.aborted; number += 1) {
    await database.query(
      `INSERT INTO click_events (event_id, clicked_at, link_id, link_version, workspace_id, domain_id, source, class)
       VALUES ($1, now(), $2, 1, $3, $4, 'link', 'human')`,
      [eventIdOf("00c0ffee0000bbbb", number), randomUUID(), workspaceId, randomUUID()],
    );
    await delay(1_000);
  }
}

async function startReceivers() {
  const thread = new Worker(join(import.meta.dirname, "receiver-thread.ts"), { workerData: HANGING_PATH });
  const [port] = (await once(thread, "message")) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    async report(): Promise<ReceiverReport> {
      thread.postMessage("report");
      return ((await once(thread, "message")) as [ReceiverReport])[0];
    },
    async end(): Promise<void> {
      thread.postMessage("end");
      await once(thread, "exit");
    },
  };
}

/** An open loop: visitors do not wait for each other. Resolves to how many were redirected; rejects if one was not. */
async function makeClicks(url: string, slug: string, seconds: number): Promise<number> {
  const pool = new Pool(url, { connections: 16 });
  const visit = async (): Promise<void> => {
    const { statusCode, body } = await pool.request({ path: `/${slug}`, method: "GET", headers: VISITOR });
    await body.dump();
    if (statusCode !== 302) {
      throw new Error(`webhooks bench: a visit was answered with ${statusCode}`);
    }
  };
  const visits: Promise<void>[] = [];
  const startedAtMs = performance.now();
  const clicks = seconds * CLICKS_PER_SECOND;
  while (visits.length < clicks) {
    const due = Math.min(clicks, ((performance.now() - startedAtMs) / 1_000) * CLICKS_PER_SECOND);
    while (visits.length < due) {
      visits.push(visit());
    }
    await delay(TICK_MS);
  }
  await Promise.all(visits);
  await pool.close();
  return clicks;
}

type Watched = {
  readonly webhooks: readonly string[];
  readonly hopline: HoplineClient;
  readonly say: (status: string) => void;
};

/** Rejects when an endpoint's counts are others, or do not get there. */
async function untilDelivered(clicks: number, { webhooks, hopline, say }: Watched): Promise<void> {
  const endsAtMs = performance.now() + GIVE_UP_AFTER_MS;
  for (const id of webhooks) {
    for (;;) {
      const { matched, delivered, waiting, givenUp } = (await hopline.readWebhookStats({ webhookId: id }))
        .clicks;
      if (matched === clicks && delivered === clicks && waiting + givenUp === 0) {
        break;
      }
      const state = `${matched} of ${clicks} clicks matched, ${delivered} delivered, ${waiting} waiting, ${givenUp} given up`;
      if (matched > clicks || performance.now() > endsAtMs) {
        throw new Error(`webhooks bench: ${state}`);
      }
      say(state);
      await delay(POLL_MS);
    }
  }
}
