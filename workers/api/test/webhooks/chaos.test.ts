/**
 * Clicks come all the time, while the receiver is slow, answers 500, hangs, resets and is down, and the database fails. By the
 * receiver's own count nothing is missing, and what came twice had the same id. `--full`: for ten minutes, in real time.
 */
import { expect, it } from "vitest";
import { addsUp, findWebhookAccounts } from "@hopline/db/webhooks/reconcile-webhooks";
import { createNeonClient } from "@hopline/db/neon-client";
import { asRole } from "@hopline/testkit/postgres/worker-roles";
import { PAID_LIMITS, runWebhooks } from "../../src/webhooks/run-webhooks.ts";
import type { Behaviour } from "./receiver.ts";
import { ONCE, openWebhookStage, settled } from "./webhook-stage.ts";

const stage = await openWebhookStage();
const { addWebhook, click, runDeps } = stage;
const { client, endpoint } = stage.stage;

const IS_FULL = process.env["HOPLINE_FULL"] === "1";
/** Of one behaviour. */
const PHASE_MS = IS_FULL ? 100_000 : 250;
const BETWEEN_CLICKS_MS = 5;
const PHASES: readonly (Behaviour | "mixed")[] = ["slow", 500, "hang", "reset", "mixed", 503];
const MIXED: readonly Behaviour[] = [204, 500, "reset", "slow", 429];

it(
  "a receiver that fails in every way, and a database that does, lose nothing",
  async () => {
    const receivers = [await stage.receiver(), await stage.receiver(), await stage.receiver()];
    const modes = [
      { mode: "batch" },
      { mode: "each" },
      { mode: "batch", filter: { classes: ["human", "bot"] } },
    ];
    for (const [index, receiver] of receivers.entries()) {
      const webhook = await addWebhook({ url: receiver.url, events: ["click"], ...modes[index] });
      receiver.secrets.push(webhook.secret);
    }
    const expected: string[] = [];
    let isOver = false;
    const clicking = (async () => {
      while (!isOver) {
        expected.push(...(await click({ count: 3 })));
        await new Promise((resolve) => setTimeout(resolve, BETWEEN_CLICKS_MS));
      }
    })();
    // A receiver that hangs is given up after a tenth of its time, so that its phase is one.
    const impatient = (url: string, init: RequestInit) =>
      fetch(url, IS_FULL ? init : { ...init, signal: AbortSignal.timeout(100) });
    const running = (async () => {
      while (!isOver) {
        await runWebhooks(IS_FULL ? PAID_LIMITS : ONCE, {
          ...runDeps({ fetch: impatient }),
          wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        }).catch(() => undefined);
        await (IS_FULL ? undefined : stage.hurry());
        await new Promise((resolve) => setTimeout(resolve, BETWEEN_CLICKS_MS));
      }
    })();
    for (const [index, phase] of PHASES.entries()) {
      receivers[0]?.behave(
        phase === "mixed" ? ({ id }) => MIXED[id.charCodeAt(id.length - 1) % MIXED.length] ?? 204 : phase,
      );
      receivers[1]?.behave(
        PHASES[(index + 2) % PHASES.length] === "mixed"
          ? 204
          : ((PHASES[(index + 2) % PHASES.length] ?? 204) as Behaviour),
      );
      // The database fails for a while in the middle of each phase: half of the API's requests, then all of them.
      await new Promise((resolve) => setTimeout(resolve, PHASE_MS / 2));
      let requests = 0;
      endpoint.setFault(() => ((requests += 1) % 2 === 0 || index % 2 === 0 ? { kind: "reset" } : null));
      await new Promise((resolve) => setTimeout(resolve, PHASE_MS / 4));
      endpoint.setFault(null);
      await new Promise((resolve) => setTimeout(resolve, PHASE_MS / 4));
    }
    isOver = true;
    await Promise.all([clicking, running]);
    receivers.forEach((receiver) => receiver.behave(204));
    await settled(client);
    const hasWaiting = async () =>
      (await client.query("SELECT FROM webhook_deliveries WHERE state = 'waiting' LIMIT 1")).rowCount === 1;
    do {
      await stage.hurry();
      await runWebhooks(ONCE, runDeps());
    } while (await hasWaiting());
    const wanted = new Set(expected);
    expect(wanted.size).toBeGreaterThan(50);
    expect(receivers.map((receiver) => new Set(receiver.clickIds()))).toEqual([wanted, wanted, wanted]);
    for (const { received } of receivers) {
      const bodies = Map.groupBy(received, ({ id }) => id);
      expect([...bodies.values()].filter((same) => new Set(same.map(({ body }) => body)).size > 1)).toEqual(
        [],
      );
    }
    const runSql = createNeonClient({ databaseUrl: asRole("hopline_reader"), sqlEndpoint: endpoint.url });
    const accounts = await findWebhookAccounts(runSql, 10_000);
    expect(accounts).toHaveLength(3);
    expect(accounts.filter((account) => !addsUp(account))).toEqual([]);
    expect(accounts.map(({ delivered, missing }) => [delivered, missing])).toEqual(
      Array(3).fill([wanted.size, 0]),
    );
  },
  PHASES.length * PHASE_MS + 120_000,
);
