/** A stage with receivers on this machine, clicks that are written like the consumer writes them, and runs on demand. */
import { randomUUID } from "node:crypto";
import { eventIdOf } from "@hopline/core/click/event-id";
import type pg from "pg";
import { afterAll, vi } from "vitest";
import { toPublicClickId } from "../../src/analytics/click-shape.ts";
import { parsePublicId } from "../../src/http/entity-id.ts";
import { runWebhooks, type WebhookRunDeps, type WebhookRunLimits } from "../../src/webhooks/run-webhooks.ts";
import { createSecretSeal } from "../../src/webhooks/sealed-secrets.ts";
import { callApi } from "../call-api.ts";
import { openStage, type StageOptions, WEBHOOK_SEAL_KEY, type Workspace } from "../stage.ts";
import { openReceiver } from "./receiver.ts";

/** One round. */
export const ONCE: WebhookRunLimits = { loopMs: 0, maxMessages: 1_000, busySeconds: 0.001 };

export type Webhook = { readonly id: string; readonly secret: string } & { readonly [name: string]: unknown };

export async function openWebhookStage(options: StageOptions = {}) {
  const stage = await openStage(options);
  afterAll(() => stage.close());
  const workspace = await stage.addWorkspace();
  const key = await stage.addKey(workspace, ["admin"]);
  const secretSeal = () => createSecretSeal(WEBHOOK_SEAL_KEY);
  const fetchHere: WebhookRunDeps["fetch"] = (url, init) => fetch(url, init);
  const app = stage.appWith(
    {},
    {
      webhooks: {
        fetch: fetchHere,
        urlRules: { isLocal: true },
        secretSeal,
        wakeUp: (workspaceId) => stage.wakeUps.push(workspaceId),
      },
    },
  );
  const messages: number[] = [];
  const runDeps = (change: Partial<WebhookRunDeps> = {}): WebhookRunDeps => ({
    database: stage.database,
    fetch: fetchHere,
    secretSeal,
    nowMs: Date.now,
    random: () => 0.5,
    log: (event) => stage.log.push(event),
    newLeaseId: randomUUID,
    sendWakeUp: async (delaySeconds) => void messages.push(delaySeconds),
    wait: async () => undefined,
    ...change,
  });
  const call = <Body>(target: string, body?: unknown, as = key) =>
    callApi<Body>({ app }, target, { key: as, ...(body === undefined ? {} : { body }) });
  return {
    stage,
    app,
    workspace,
    key,
    call,
    /** Delays of messages that runs asked for. */
    messages,
    runDeps,
    /** Everything that is visible now is below the horizon: other test files have transactions too. */
    run: async (limits: WebhookRunLimits = ONCE, change: Partial<WebhookRunDeps> = {}): Promise<void> => {
      await settled(stage.client);
      await runToEnd(limits, runDeps(change));
      const failures = stage.log.filter(({ event }) => event === "work.failed" || event === "job.failed");
      stage.log.splice(0);
      if (failures.length > 0) {
        throw new Error(`The run failed: ${JSON.stringify(failures)}`);
      }
    },
    receiver: async () => {
      const receiver = await openReceiver();
      afterAll(() => receiver.close());
      return receiver;
    },
    addWebhook: async (body: object, as = key): Promise<Webhook> => {
      const { status, body: webhook } = await call<Webhook>("POST /api/v1/webhooks", body, as);
      if (status !== 201) {
        throw new Error(`The webhook was refused: ${JSON.stringify(webhook)}`);
      }
      await settled(stage.client);
      return webhook;
    },
    /** What failed is due now, and nothing is paused. */
    hurry: async (client: Pick<pg.Client, "query"> = stage.client): Promise<void> => {
      await client.query("UPDATE webhook_deliveries SET due_at = now() WHERE state = 'waiting'");
      await client.query("UPDATE work SET due_at = now(), lease = NULL WHERE kind = 'webhook'");
    },
    /** Resolves to its UUID. */
    addLink: async (): Promise<string> => {
      const { body } = await call<{ readonly id: string }>("POST /api/v1/links", {
        url: "https://example.com/",
      });
      return parsePublicId("lnk", body.id) ?? "";
    },
    statsOf: async ({ id }: Pick<Webhook, "id">) =>
      (await call<{ readonly clicks: object }>(`GET /api/v1/webhooks/${id}/stats`)).body,
    uuidOf: ({ id }: Pick<Webhook, "id">) => parsePublicId("whk", id) ?? "",
    click: (change: Partial<Clicked> = {}, client: Pick<pg.Client, "query"> = stage.client) =>
      writeClicks(client, { of: workspace, ...change }),
  };
}

/** A run, and the answers that it waits for. */
export async function runToEnd(limits: WebhookRunLimits, deps: WebhookRunDeps): Promise<void> {
  const { rest } = await runWebhooks(limits, deps);
  await rest;
}

export type WebhookStage = Awaited<ReturnType<typeof openWebhookStage>>;

type Clicked = {
  readonly of: Workspace;
  readonly count?: number;
  readonly class?: string;
  readonly link?: string;
  readonly agoMs?: number;
};

const LINK = randomUUID();
let sequence = 0;

/** In one statement; resolves to their public ids. */
async function writeClicks(
  client: Pick<pg.Client, "query">,
  { of, count = 1, class: kind = "human", link = LINK, agoMs = 0 }: Clicked,
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => eventIdOf("00c0ffee0000bbbb", (sequence += 1)));
  await client.query(
    `INSERT INTO click_events (event_id, clicked_at, link_id, link_version, workspace_id, domain_id, source, class)
     SELECT id, clock_timestamp() - $2::int * interval '1 millisecond', $3, 1, $4, $5, 'link', $6 FROM unnest($1::uuid[]) AS id`,
    [ids, agoMs, link, of.id, of.domainId, kind],
  );
  return ids.map(toPublicClickId);
}

/** Waits until no transaction of the server is older than what is committed now. */
export async function settled(client: Pick<pg.Client, "query">): Promise<void> {
  const { rows } = await client.query<{ end: string }>(
    "SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS end",
  );
  const isPast = async () =>
    (
      await client.query<{ past: boolean }>(
        "SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8 AS past",
        [rows[0]?.end],
      )
    ).rows[0]?.past === true;
  await vi.waitUntil(isPast, { timeout: 60_000 });
}
