/**
 * Clicks come all the time, while the receiver is slow, answers 500, hangs, resets and is down, and the database fails. By the
 * receiver's own count nothing is missing, and what came twice had the same id. `--full`: in real time, with a server of its own
 * that is stopped and crashed meanwhile; the receiver is down for ten minutes; messages of the queue and the clock start runs.
 */
import { setTimeout as delay } from "node:timers/promises";
import { createNeonClient } from "@hopline/db/neon-client";
import { setAlarmForClicks } from "@hopline/db/webhooks/alarm";
import { addsUp, findWebhookAccounts } from "@hopline/db/webhooks/reconcile-webhooks";
import { startPostgres } from "@hopline/testkit/postgres/postgres-server";
import { createScratchDatabase, migrateForWorkers } from "@hopline/testkit/postgres/scratch-database";
import { asRole } from "@hopline/testkit/postgres/worker-roles";
import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { IS_FULL } from "../../../../packages/core/test/runs.ts";
import { toPublicClickId } from "../../src/analytics/click-shape.ts";
import { PAID_LIMITS, runWebhooks } from "../../src/webhooks/run-webhooks.ts";
import { sweepDeliveries } from "../../src/webhooks/sweep-deliveries.ts";
import { type Behaviour, clickIdsOf, type Receiver } from "./receiver.ts";
import { ONCE, openWebhookStage, runToEnd, settled } from "./webhook-stage.ts";

const postgres = IS_FULL ? await startPostgres() : null;
const stage = await openWebhookStage(
  postgres === null
    ? {}
    : {
        server: {
          stop: () => postgres.stop(),
          async createMigratedDatabase() {
            const scratch = await createScratchDatabase(postgres.url);
            await migrateForWorkers(scratch.url);
            return scratch;
          },
        },
      },
);
const { addWebhook, runDeps } = stage;
const { endpoint, databaseUrl } = stage.stage;
/** Unlike the stage's one connection, it survives a server that stops. */
const database = new pg.Pool({ connectionString: databaseUrl, max: 4 });
database.on("error", () => undefined);
afterAll(() => database.end());

type Phase = { readonly behaviour: Behaviour | "mixed" | "down"; readonly forMs: number };
const SHORT_MS = IS_FULL ? 40_000 : 250;
const PHASES: readonly Phase[] = [
  ...(["slow", 500, "hang", "reset", "mixed", 503] as const).map((behaviour) => ({
    behaviour,
    forMs: SHORT_MS,
  })),
  { behaviour: "down", forMs: IS_FULL ? 600_000 : 250 },
];
const MIXED: readonly Behaviour[] = [204, 500, "reset", "slow", 429];
const BETWEEN_CLICKS_MS = IS_FULL ? 100 : 5;
const DATABASE_DOWN_MS = 10_000;
const CLICKS_A_PHASE = 8;

async function countClicks(): Promise<number> {
  return (await database.query("SELECT FROM click_events")).rowCount ?? 0;
}

async function behave(receiver: Receiver, phase: number): Promise<void> {
  const { behaviour } = PHASES[phase % PHASES.length] ?? { behaviour: 204 };
  await (behaviour === "down" ? receiver.down() : receiver.up());
  if (behaviour === "mixed") {
    receiver.behave(({ id }) => MIXED[id.charCodeAt(id.length - 1) % MIXED.length] ?? 204);
  } else if (behaviour !== "down") {
    receiver.behave(behaviour);
  }
}

/** The database fails for a while in the middle of each phase: half of the API's requests, or all of them; then the server is gone. */
async function failDatabase(phase: number, forMs: number): Promise<void> {
  let requests = 0;
  endpoint.setFault(() => ((requests += 1) % 2 === 0 || phase % 2 === 0 ? { kind: "reset" } : null));
  await delay(forMs);
  endpoint.setFault(null);
  if (postgres !== null) {
    await postgres.halt(phase % 2 === 0 ? "fast" : "crash");
    await delay(DATABASE_DOWN_MS);
    await postgres.start();
  }
}

it(
  "a receiver that fails in every way, and a database that does, lose nothing",
  async () => {
    const receivers = [await stage.receiver(), await stage.receiver(), await stage.receiver()] as const;
    const [first, second, healthy] = receivers;
    const modes = [
      { mode: "batch" },
      { mode: "each" },
      { mode: "batch", filter: { classes: ["human", "bot"] } },
    ];
    for (const [index, receiver] of receivers.entries()) {
      const webhook = await addWebhook({ url: receiver.url, events: ["click"], ...modes[index] });
      receiver.secrets.push(webhook.secret);
    }
    const link = await stage.addLink();
    const stop = new AbortController();
    const acknowledged = IS_FULL ? runInRealTime(link, stop.signal) : runQuickly(stop.signal);
    for (const [phase, { forMs }] of PHASES.entries()) {
      await behave(first, phase);
      await behave(second, phase + 2);
      await delay(forMs / 2);
      await failDatabase(phase, Math.min(forMs / 4, DATABASE_DOWN_MS));
      await delay(forMs / 4);
      // As many on a machine that has not got round to them in that time.
      await expect.poll(countClicks, { timeout: 20_000 }).toBeGreaterThan((phase + 1) * CLICKS_A_PHASE);
    }
    for (const receiver of receivers) {
      await receiver.up();
      receiver.behave(204);
    }
    await settled(database);
    const hasWaiting = async () =>
      (await database.query("SELECT FROM webhook_deliveries WHERE state = 'waiting' LIMIT 1")).rowCount === 1;
    while (IS_FULL && (await hasWaiting())) {
      await delay(1_000);
    }
    stop.abort();
    const clicked = await acknowledged;
    do {
      await stage.hurry(database);
      await settled(database);
      await runToEnd(ONCE, runDeps());
    } while (await hasWaiting());

    const { rows } = await database.query<{ id: string }>("SELECT event_id AS id FROM click_events");
    const wanted = new Set(rows.map(({ id }) => toPublicClickId(id)));
    expect(clicked.filter((id) => !wanted.has(id))).toEqual([]);
    expect(receivers.map((receiver) => new Set(receiver.clickIds()))).toEqual([wanted, wanted, wanted]);
    for (const { received } of receivers) {
      const bodies = Map.groupBy(received, ({ id }) => id);
      expect([...bodies.values()].filter((same) => new Set(same.map(({ body }) => body)).size > 1)).toEqual(
        [],
      );
      const messages = Map.groupBy(
        received.flatMap((message) => clickIdsOf(message).map((click) => ({ click, id: message.id }))),
        ({ click }) => click,
      );
      expect([...messages.values()].filter((same) => new Set(same.map(({ id }) => id)).size > 1)).toEqual([]);
    }
    const runSql = createNeonClient({ databaseUrl: asRole("hopline_reader"), sqlEndpoint: endpoint.url });
    const accounts = await findWebhookAccounts(runSql, 10_000);
    expect(accounts).toHaveLength(3);
    expect(accounts.filter((account) => !addsUp(account))).toEqual([]);
    expect(accounts.map(({ delivered, missing }) => [delivered, missing])).toEqual(
      Array(3).fill([wanted.size, 0]),
    );
    if (IS_FULL) {
      await describeRun(receivers, healthy);
    }
  },
  PHASES.reduce((sum, { forMs }) => sum + forMs + 2 * DATABASE_DOWN_MS, 0) + 600_000,
);

/** Clicks and rounds as fast as they go. Resolves to the clicks that the database has acknowledged. */
async function runQuickly(signal: AbortSignal): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  const clicking = (async () => {
    while (!signal.aborted) {
      acknowledged.push(...(await stage.click({ count: 3 }, database)));
      await delay(BETWEEN_CLICKS_MS);
    }
  })();
  // A receiver that hangs is given up after a hundredth of its time, so that its phase is one.
  const impatient = (url: string, init: RequestInit) =>
    fetch(url, { ...init, signal: AbortSignal.timeout(100) });
  while (!signal.aborted) {
    await runToEnd(ONCE, runDeps({ fetch: impatient })).catch(() => undefined);
    await stage.hurry(database);
    await delay(BETWEEN_CLICKS_MS);
  }
  await clicking;
  return acknowledged;
}

/** As in a deployment: inserts set the alarm, messages and the clock start runs, and a message waits for the one before it. */
async function runInRealTime(link: string, signal: AbortSignal): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  const running = new Set<Promise<unknown>>();
  let queue: Promise<unknown> = Promise.resolve();
  const runSql = createNeonClient({ databaseUrl: asRole("hopline_consumer"), sqlEndpoint: endpoint.url });
  const run = async (): Promise<void> => {
    if (!signal.aborted) {
      const { rest } = await runWebhooks(PAID_LIMITS, runDeps({ sendWakeUp, wait: delay }));
      const end = rest.catch(() => undefined);
      running.add(end);
      void end.then(() => running.delete(end));
    }
  };
  const takeMessage = (): void => {
    queue = queue.then(run).catch(() => undefined);
  };
  async function sendWakeUp(delaySeconds: number): Promise<void> {
    setTimeout(takeMessage, delaySeconds * 1_000).unref();
  }
  const clock = setInterval(() => {
    void sweepDeliveries(stage.stage.database).catch(() => undefined);
    void run().catch(() => undefined);
  }, 60_000);
  while (!signal.aborted) {
    // Where the answer is lost, the click may be there or not: the table knows.
    const ids = await stage.click({ count: 2, link }, database).catch(() => []);
    acknowledged.push(...ids);
    if (ids.length > 0) {
      const alarm = await setAlarmForClicks(runSql, [link], 5_000).catch(() => null);
      await (alarm?.isAlarmSet === true ? sendWakeUp(0) : undefined);
    }
    await delay(BETWEEN_CLICKS_MS);
  }
  clearInterval(clock);
  await queue;
  await Promise.all(running);
  return acknowledged;
}

/** The log of the run, for whoever asked for it. */
async function describeRun(receivers: readonly Receiver[], healthy: Receiver): Promise<void> {
  const { rows } = await database.query<Record<string, unknown>>(
    `SELECT mode, classes, clicks_matched AS matched, clicks_delivered AS delivered, clicks_given_up AS given_up, log.*
     FROM webhook_endpoints JOIN webhook_totals ON endpoint_id = id CROSS JOIN LATERAL (
       SELECT count(*) AS rows, sum(clicks) AS clicks, sum(attempts) AS attempts, max(attempts) AS most_attempts
       FROM webhook_deliveries WHERE webhook_deliveries.endpoint_id = webhook_endpoints.id
     ) AS log ORDER BY created_at`,
  );
  for (const [index, row] of rows.entries()) {
    const receiver = receivers[index];
    console.log({
      ...row,
      requests: receiver?.received.length,
      accepted: receiver?.accepted.length,
      clicks_accepted: receiver?.clickIds().length,
      different_clicks: new Set(receiver?.clickIds()).size,
    });
  }
  const tookMs = healthy.accepted
    .flatMap(({ data, receivedAtMs }) =>
      (data["clicks"] as readonly { readonly at: string }[]).map(({ at }) => receivedAtMs - Date.parse(at)),
    )
    .toSorted((one, other) => one - other);
  const at = (share: number) => tookMs[Math.floor(tookMs.length * share)];
  console.log(
    `the receiver that never failed: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${tookMs.at(-1)} ms`,
  );
}
