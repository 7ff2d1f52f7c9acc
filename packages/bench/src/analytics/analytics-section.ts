/**
 * Times every question of the analytics over ten million clicks of 90 days, through the application itself, over a scratch
 * database that is filled first (some minutes). BENCH_DATABASE_URL names one that is filled already, BENCH_QUESTION a part of
 * the names of the questions to ask.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { openDatabase } from "@hopline/api/database";
import { type ApiApp, createApp } from "@hopline/api/app";
import { newEntityId } from "@hopline/api/http/entity-id";
import { LIVE_SETTINGS } from "@hopline/api/live/stream-clicks";
import { createKvBudget } from "@hopline/api/publishing/kv-budget";
import { createPublisher } from "@hopline/api/publishing/publish-changes";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { openClient } from "@hopline/testkit/postgres/open-client";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";

import { createFakeEdge } from "../../../../workers/api/test/publishing/fake-edge.ts";
import { addKey } from "../add-key.ts";
import type { Section, SectionOptions, SectionReport } from "../section.ts";
import { type Ask, checkAnswers, checkToday } from "./check-answers.ts";
import { fillClicks, fillToday, WORKSPACE_ID } from "./fill-clicks.ts";
import { QUESTIONS, QUESTIONS_OF_TODAY, timeQuestions } from "./time-questions.ts";
import { toReport } from "./analytics-report.ts";

const CLICKS = 10_000_000;
const CLICKS_TODAY = 3_000_000;
const ROUNDS = 20;

export const analyticsSection: Section = {
  title: "Analytics: every question over 10 million clicks of 90 days, and 3 million of a running day",
  async run(options) {
    const filled = process.env["BENCH_DATABASE_URL"];
    if (filled !== undefined) {
      return measure(filled, options);
    }
    await using server = await openDatabaseServer();
    await using scratch = await server.createMigratedDatabase();
    await fillClicks(scratch.url, { clicks: CLICKS, onStep: (what) => options.say(`filling: ${what}`) });
    return await measure(scratch.url, options);
  },
};

async function measure(databaseUrl: string, { rounds, say }: SectionOptions): Promise<SectionReport> {
  await using endpoint = await startSqlEndpoint({ databaseUrl });
  await using client = await openClient(databaseUrl);
  const key = await addKey(client, WORKSPACE_ID, "analytics:read");
  const app = openApp(databaseUrl, endpoint.url);
  const ask: Ask = async (path, parameters) => {
    const url = `/api/v1/analytics/${path}?${new URLSearchParams(parameters).toString()}`;
    const response = await app.request(url, { headers: { authorization: `Bearer ${key}` } });
    return response.status === 200 ? response.json() : {};
  };
  const only = process.env["BENCH_QUESTION"] ?? "";
  const options = { key, rounds: rounds ?? ROUNDS, only, say };
  say("checking the answers");
  await checkAnswers(client, ask);
  const before = await timeQuestions(app, { ...options, questions: QUESTIONS });
  await fillToday(client, { clicks: CLICKS_TODAY, nowMs: Date.now(), onStep: say });
  say("checking the answers of today");
  await checkToday(client, ask);
  const today = await timeQuestions(app, { ...options, questions: QUESTIONS_OF_TODAY });
  return toReport([...before, ...today], {
    statistic: "p95",
    source: "ten million clicks; a question with two filters has more time",
  });
}

export function openApp(databaseUrl: string, sqlEndpoint: string, clickHouseUrl = ""): ApiApp {
  const edge = createFakeEdge();
  const database = openDatabase({ databaseUrl, sqlEndpoint, clickHouseUrl });
  const log = () => undefined;
  return createApp({
    database,
    people: null,
    publisher: createPublisher({
      database,
      kv: edge.kv,
      feed: edge.feed,
      wakeUps: edge.wakeUps,
      budget: createKvBudget(0, database),
      newLeaseId: newEntityId,
      leaseSeconds: 15,
      log,
    }),
    clock: { announce: async () => undefined },
    listAlerts: async () => null,
    kv: edge.kv,
    feed: edge.feed,
    networkLimits: { failedKeys: undefined, anonymous: undefined },
    appSchemes: new Set(),
    vouchedSuffixes: [],
    customHostnames: null,
    webhooks: {
      fetch: () => Promise.reject(new Error("the bench sends no request")),
      urlRules: { isLocal: false },
      secretSeal: () => Promise.reject(new Error("the bench has no webhooks")),
      wakeUp: () => undefined,
    },
    lookUpTexts: () => Promise.reject(new Error("the bench proves no host")),
    pointing: { target: null, lookUpHost: () => Promise.reject(new Error("the bench proves no host")) },
    nowMs: Date.now,
    waitUntil: () => undefined,
    randomBytes: (count) => new Uint8Array(randomBytes(count)),
    log,
    access: { requestsPerMinute: 1_000_000, corsOrigins: [], verifySession: null },
    metricsToken: "",
    faults: [],
    assets: { fetch: () => Promise.reject(new Error("the bench asks for no page")) },
    live: LIVE_SETTINGS,
    wait: (ms) => sleep(ms),
    turns: (_key, run) => run(),
  });
}
