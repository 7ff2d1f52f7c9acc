/**
 * `pnpm torture`: visitors at a steady rate while everything fails at once, in the order that a seed draws; a deployment in the middle;
 * and at the end one event, one rolled-up click, one click in the API's answers and one message to the receiver for each redirect, and
 * perhaps for a visitor who gave up before the answer came. Exit code 0 only then.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readCircumstances } from "@hopline/bench/circumstances";
import { runCommandLine } from "@hopline/testkit/console/command-line";
import { Failure } from "@hopline/testkit/console/failure";
import { runInOwnGroup } from "@hopline/testkit/console/own-process-group";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { toStatement } from "@hopline/db/sql";
import { findWebhookAccounts } from "@hopline/db/webhooks/reconcile-webhooks";
import { readWholeNumber } from "@hopline/testkit/console/read-whole-number";
import { defineCommand } from "citty";
import { importLinks } from "../run/import-links.ts";
import { statisticOf } from "../run/k6-summary.ts";
import { findK6, runK6 } from "../run/run-k6.ts";
import { settleClicks } from "../run/settle-clicks.ts";
import { withEndings } from "../run/with-endings.ts";
import { WRONG_LOCATION } from "../script/counters.ts";
import { decideSql, type ActiveFaults, injectFaults } from "./incidents.ts";
import { type Fault, FAULTS, planIncidents } from "./schedule.ts";
import { startTortureStack, type TortureStack } from "./torture-stack.ts";

const LINKS = 200;
/** A round of jobs after the last fault, until nothing waits: retries of webhooks rest for minutes. */
const MAX_SETTLING_MS = 30 * 60_000;
const SETTLING_STEP_MS = 5_000;
const JOBS_EVERY_MS = 15_000;
const CLOCKED = ["hopline-consumer", "hopline-api"];
const EVERY_CLASS = ["human", "bot", "preview", "prefetch", "head", "monitor"];
const K6_EXTRA_MS = 120_000;
/** What can't happen where the machine or the plan has not what it needs. */
const MISSING: readonly {
  readonly faults: readonly Fault[];
  readonly isIn: (stack: TortureStack) => boolean;
}[] = [
  { faults: ["disk-full"], isIn: ({ disk }) => disk !== null },
  { faults: ["clock-ahead", "clock-behind"], isIn: ({ clock }) => clock !== null },
  { faults: ["clickhouse-killed"], isIn: ({ clickHouse }) => clickHouse !== null },
];

const command = defineCommand({
  meta: {
    name: "pnpm torture",
    description: "Let everything fail at once under visitors, and settle every click",
  },
  args: {
    hours: { type: "string", description: "How long visitors come; 1 unless told otherwise" },
    minutes: { type: "string", description: "The same in minutes, for trying" },
    rate: { type: "string", default: "300", description: "Visitors a second" },
    seed: { type: "string", description: "Have that run's bad day again" },
    clickhouse: { type: "boolean", description: "Count clicks in ClickHouse, and kill that too" },
    timescale: {
      type: "string",
      valueHint: "FOLDER",
      description: "The programs of a Postgres that has TimescaleDB, in place of ours",
    },
    json: { type: "string", valueHint: "FILE", description: "Write the report as JSON" },
  },
  run: ({ args }) =>
    runInOwnGroup(async (signal) => {
      const read = (name: "hours" | "minutes" | "rate" | "seed", text: string, max: number): number =>
        readWholeNumber(text, { name: `--${name}`, min: 1, max });
      const minutes =
        args.minutes === undefined
          ? read("hours", args.hours ?? "1", 48) * 60
          : read("minutes", args.minutes, 3_000);
      const seed =
        args.seed === undefined ? 1 + Math.floor(Math.random() * 1e9) : read("seed", args.seed, 1e9);
      const plan = {
        minutes,
        seed,
        rate: read("rate", args.rate, 10_000),
        hasClickHouse: args.clickhouse ?? false,
        timescale: args.timescale ?? null,
        jsonPath: args.json ?? null,
      };
      return (await torture(plan, signal)) ? 0 : 1;
    }),
});

type Plan = {
  readonly minutes: number;
  readonly seed: number;
  readonly rate: number;
  readonly hasClickHouse: boolean;
  readonly timescale: string | null;
  readonly jsonPath: string | null;
};

function torture(plan: Plan, signal: AbortSignal): Promise<boolean> {
  const progress = consoleProgress();
  const active: ActiveFaults = new Map();
  const story: string[] = [];
  const logged: string[] = [];
  const startedAt = new Date().toISOString();
  const circumstances = readCircumstances("torture");
  const startedAtMs = performance.now();
  const tell = (text: string): void => {
    const line = `${((performance.now() - startedAtMs) / 1_000).toFixed(1).padStart(8)} ${text}`;
    story.push(line);
    progress.line(line);
  };
  return withEndings({ progress, signal }, async (endings) => {
    const stack = await startTortureStack({
      progress,
      endings,
      visits: plan.minutes * 60 * plan.rate,
      timescale: plan.timescale,
      hasClickHouse: plan.hasClickHouse,
      isActive: (fault) => (active.get(fault) ?? 0) > 0,
      onLog: (line) => line.includes('"segment.logged"') && logged.push(line),
    });
    const { runtime, apiKey } = stack;
    const jobs = setInterval(() => {
      CLOCKED.forEach((worker) => void runtime.dispatchScheduled(worker).catch(() => undefined));
    }, JOBS_EVERY_MS);
    endings.push(async () => clearInterval(jobs));
    await importLinks({ ...stack, baseUrl: runtime.producerUrl, linkCount: LINKS, signal });
    await addWebhook(stack);
    stack.sqlEndpoint.setFault(({ number }) => decideSql(active, number));
    const missing = new Set(MISSING.flatMap(({ faults, isIn }) => (isIn(stack) ? [] : faults)));
    const faults = FAULTS.filter((fault) => !missing.has(fault));
    tell(`seed ${plan.seed}${missing.size === 0 ? "" : `; not here: ${[...missing].join(", ")}`}`);
    const halfMs = plan.minutes * 30_000;
    const k6 = await findK6();
    let redirects = 0;
    let unanswered = 0;
    let wrong = 0;
    const clicks = (): Clicks => {
      const inLog = countLogged(logged);
      return { least: redirects - inLog, most: redirects + unanswered - inLog };
    };
    for (const half of [0, 1]) {
      const visitors = runK6({
        k6,
        scriptPath: join(import.meta.dirname, "../soak.ts"),
        environment: {
          BASE_URL: runtime.producerUrl,
          LINKS: String(LINKS),
          LOCAL_EDGE: "1",
          WARM: "1",
          RATE: String(plan.rate),
          DURATION: `${halfMs / 1_000}s`,
          API_KEY: apiKey,
        },
        htmlPath: null,
        signal,
        timeoutMs: halfMs + K6_EXTRA_MS,
        onStatus: () => undefined,
      });
      const [summary] = await Promise.all([
        visitors,
        injectFaults(planIncidents(plan.seed + half, halfMs, faults), { stack, active, signal, tell }),
      ]);
      redirects += statisticOf(summary, "redirects", "count");
      unanswered += statisticOf(summary, "unanswered", "count");
      wrong += statisticOf(summary, WRONG_LOCATION, "count");
      if (half === 0) {
        // The local queues are in memory, unlike Cloudflare's, and do not count messages that are to be tried again later.
        await waitUntilCounted(stack, { clicks: clicks(), signal, tell });
        tell("a second version is deployed");
        await runtime.reload();
      }
    }
    await waitUntilCounted(stack, { clicks: clicks(), signal, tell });
    const stored = await settleClicks({ ...stack, before: null, expected: null, signal });
    const received = (await stack.receiver.read()).size;
    const { clickHouse } = stack;
    const inClickHouse =
      clickHouse === null
        ? null
        : { events: await clickHouse.countEvents(), different: await clickHouse.countDifferent() };
    const answered = await askForClicks(stack, startedAt);
    const isOk =
      wrong === 0 &&
      stored.addsUp &&
      (inClickHouse?.different ?? 0) === 0 &&
      isWithin(stored.rolledUp, clicks()) &&
      [
        // Beside ClickHouse, Postgres keeps only what a webhook has not got yet.
        ...(inClickHouse === null ? [stored.events, stored.distinctEvents] : [inClickHouse.events]),
        ...answered,
        received,
      ].every((count) => count === stored.rolledUp);
    const { minutes, seed, rate, timescale } = plan;
    const counts = { redirects, unanswered, wrong, received, answered, stored, inClickHouse, isOk };
    const result = {
      startedAt,
      minutes,
      seed,
      rate,
      hasTimescale: timescale !== null,
      ...circumstances,
      logged: logged.length,
      ...counts,
      story,
    };
    progress.line(JSON.stringify(counts));
    if (plan.jsonPath !== null) {
      await writeFile(plan.jsonPath, `${JSON.stringify(result, null, 2)}\n`);
    }
    return isOk;
  });
}

/** How many there have to be: of a visit whose answer did not come nobody knows whether it is one. */
type Clicks = { readonly least: number; readonly most: number };

function isWithin(count: number, { least, most }: Clicks): boolean {
  return count >= least && count <= most;
}

/** Clicks that no queue and no spill took are in the log, for `pnpm dead-letters import`. */
function countLogged(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Number(/"clicks":(\d+)/.exec(line)?.[1] ?? 0), 0);
}

async function addWebhook({ runtime, apiKey, receiver }: TortureStack): Promise<void> {
  const response = await fetch(`${runtime.producerUrl}/api/v1/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      url: receiver.url,
      events: ["click"],
      filter: { classes: EVERY_CLASS },
      mode: "batch",
    }),
  });
  if (!response.ok) {
    throw new Failure(`The API made no webhook: ${response.status} ${await response.text()}`);
  }
  // Consumers know of a new webhook after a minute at the latest.
  await delay(60_000);
}

/** The run's clicks by the API: in all, and added up by country and by link. */
async function askForClicks(
  { runtime, apiKey }: TortureStack,
  startedAt: string,
): Promise<readonly number[]> {
  const range = new URLSearchParams({ from: startedAt, class: "all" });
  const ask = async (question: string, name: string): Promise<number> => {
    const response = await fetch(`${runtime.producerUrl}/api/v1/analytics/${question}&${range.toString()}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    return response.ok ? Number(answer[name]) : Number.NaN;
  };
  return Promise.all([
    ask("totals?", "clicks"),
    ask("breakdown?dimension=country", "total"),
    ask("breakdown?dimension=link", "total"),
  ]);
}

async function waitUntilCounted(
  { database, clickHouse, runtime, receiver }: TortureStack,
  {
    clicks,
    signal,
    tell,
  }: { readonly clicks: Clicks; readonly signal: AbortSignal; readonly tell: (text: string) => void },
): Promise<void> {
  let last = "";
  for (const endsAtMs = performance.now() + MAX_SETTLING_MS; performance.now() < endsAtMs;) {
    await Promise.all(CLOCKED.map((worker) => runtime.runJobs(worker)));
    const { rows } = await database.query<{ events: number }>(
      "SELECT count(*)::float8 AS events FROM click_events",
    );
    const events = (await clickHouse?.countEvents()) ?? rows[0]?.events ?? 0;
    const received = (await receiver.read()).size;
    const [hook] = await findWebhookAccounts(async (statement) => {
      const { text, parameters } = toStatement(statement);
      return (await database.query<Record<string, unknown>>(text, [...parameters])).rows;
    }, 10_000);
    const said = `${events} events and ${received} received of ${clicks.least} to ${clicks.most}; of the webhook's clicks ${hook?.delivered} delivered, ${hook?.waiting} waiting, ${hook?.givenUp} given up, ${hook?.missing} missing`;
    if (said !== last) {
      tell(said);
      last = said;
    }
    if (isWithin(events, clicks) && received === events && hook?.waiting === 0) {
      return;
    }
    await delay(SETTLING_STEP_MS, undefined, { signal });
  }
}

await runCommandLine({ default: command, example: "pnpm torture --minutes 5 --rate 50" });
