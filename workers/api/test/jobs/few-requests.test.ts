/** Workers Free allows an invocation 50 requests: statements, KV, queues and receivers together. Everything is due at once here. */
import { randomUUID } from "node:crypto";
import { afterAll, expect, it } from "vitest";
import { findDueJobs } from "../../src/jobs/find-due.ts";
import { counted, requestsLeft, spendRequests, withBudget } from "../../src/invocation-budget.ts";
import { runJobs } from "../../src/jobs/run-jobs.ts";
import { createKvBudget, type KvBudget } from "../../src/publishing/kv-budget.ts";
import { FREE_LIMITS } from "../../src/webhooks/run-webhooks.ts";
import { openWebhookStage } from "../webhooks/webhook-stage.ts";

const LIMIT = 50;
const FEW_CHANGES = 15;
const webhooks = await openWebhookStage();
const { stage, workspace } = webhooks;
const receiver = await webhooks.receiver();
const NO_LIMIT: Pick<KvBudget, "leftForMass"> = createKvBudget(0, stage.database);
afterAll(() => stage.client.query("DELETE FROM work"));

it("a run of the job with items of every kind stays within 50 requests, and runs go on until all is done", async () => {
  await enqueueEverything();
  const spent: number[] = [];
  const started: string[] = [];
  for (let run = 0; run < 40 && (await countWork("publish")) < (await countWork()); run += 1) {
    spent.push(await countRequests(() => runJobs(jobDeps(started))));
  }
  expect(await countWork("publish", "remove-expired", "audit-retention")).toBe(await countWork());
  expect(spent.length).toBeGreaterThan(1);
  expect(Math.max(...spent)).toBeLessThanOrEqual(LIMIT);
  expect(started).toEqual(expect.arrayContaining(["publish", "webhooks"]));
});

it("a message of the publishing queue stays within 50 requests, and messages go on until nothing is due", async () => {
  const links = 20;
  for (let link = 0; link < links; link += 1) {
    await webhooks.addLink();
  }
  await stage.client.query(`
    INSERT INTO work (kind, key, payload)
    SELECT 'publish', host || '/' || slug, jsonb_build_object('linkId', link_id, 'version', version, 'record', record)
    FROM addresses WHERE slug <> '*' ON CONFLICT DO NOTHING`);
  const publisher = stage.openPublisher({
    kv: counted(stage.edge.kv),
    feed: counted(stage.edge.feed),
    wakeUps: counted(stage.edge.wakeUps),
    budget: createKvBudget(1_000, stage.database),
  });
  const spent: number[] = [];
  for (let published = 1; published > 0;) {
    spent.push(
      await countRequests(async () => {
        const limits = { maxChanges: FEW_CHANGES, maxDurationMs: 5_000, nowMs: Date.now };
        published = (await publisher.publishDue(limits)).published;
      }),
    );
  }
  expect(spent.length).toBeGreaterThan(links / FEW_CHANGES);
  expect(Math.max(...spent)).toBeLessThanOrEqual(LIMIT);
});

it("webhooks are due while clicks are not told, and at rest when they are", async () => {
  const isDue = async () => (await look()).isWebhookDue;
  const webhook = await webhooks.addWebhook({ url: receiver.url, events: ["click"], mode: "each" });
  expect(await isDue()).toBe(false);
  await webhooks.click();
  expect(await isDue()).toBe(true);
  await webhooks.run();
  expect(await isDue()).toBe(false);
  expect(receiver.accepted.splice(0)).toHaveLength(1);
  await webhooks.call(`DELETE /api/v1/webhooks/${webhook.id}`);
});

it("a message of the webhooks' queue stays within 50 requests, and runs go on until all is delivered", async () => {
  for (let endpoint = 0; endpoint < 6; endpoint += 1) {
    await webhooks.addWebhook({ url: receiver.url, events: ["click"], mode: "each" });
  }
  await webhooks.click({ count: 5 });
  const spent: number[] = [];
  for (let run = 0; run < 30 && receiver.accepted.length < 30; run += 1) {
    spent.push(
      await countRequests(() =>
        webhooks.run({ ...FREE_LIMITS, busySeconds: 0.001 }, { fetch: fetchCounted }),
      ),
    );
  }
  expect(receiver.accepted).toHaveLength(30);
  expect(spent.length).toBeGreaterThan(1);
  expect(Math.max(...spent)).toBeLessThanOrEqual(LIMIT);
});

it("imported links wait for the next day's writes to KV, and nobody looks for them before", async () => {
  await stage.client.query("DELETE FROM work");
  await stage.client.query("INSERT INTO work (kind, key) VALUES ('publish-import', 'example.com/a')");
  const atNoonMs = Date.UTC(2026, 10, 25, 12);
  const { isPublishDue, nextInMs } = await look({ leftForMass: async () => 0 }, atNoonMs);
  expect([isPublishDue, nextInMs]).toEqual([false, 12 * 3_600_000 + 60_000]);
  expect(await look({ leftForMass: async () => 1 }, atNoonMs)).toMatchObject({
    isPublishDue: true,
    nextInMs: 0,
  });
});

/** What a run would find that asked at this moment. */
function look(budget = NO_LIMIT, nowMs = Date.now()) {
  return findDueJobs([], { database: stage.database, resting: [], budget, nowMs: () => nowMs });
}

async function countRequests(run: () => Promise<void>): Promise<number> {
  return withBudget(LIMIT, async () => {
    await run();
    return LIMIT - requestsLeft();
  });
}

function fetchCounted(url: string, init: RequestInit): Promise<Response> {
  spendRequests(1);
  return fetch(url, init);
}

/** Items of each kind that the job does itself; what they are about is gone, or there. */
async function enqueueEverything(): Promise<void> {
  const domains = await stage.client.query<{ readonly id: string }>("SELECT id::text FROM domains");
  const items = ["domain-check", "domain-addresses"].flatMap((kind) =>
    domains.rows.map(({ id }) => ({ kind, key: id })),
  );
  const others = [
    "remove-domain",
    "remove-workspace",
    "replace-tag",
    "sign-in-email",
    "invitation-email",
  ].flatMap((kind) =>
    Array.from({ length: 2 }, () => ({
      kind,
      key: kind === "sign-in-email" ? `${randomUUID()}@example.com` : randomUUID(),
    })),
  );
  for (const { kind, key } of [...items, ...others, { kind: "end-used-up", key: "all" }]) {
    const payload = kind === "replace-tag" ? { workspaceId: workspace.id, from: "a", to: null } : {};
    await stage.client.query(
      "INSERT INTO work (kind, key, payload) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      [kind, key, payload],
    );
  }
}

async function countWork(...kinds: readonly string[]): Promise<number> {
  const { rows } = await stage.client.query<{ readonly count: string }>(
    "SELECT count(*) FROM work WHERE due_at <= now() + interval '1 minute' AND ($1::text[] = '{}' OR kind = ANY($1::text[]))",
    [kinds],
  );
  return Number(rows[0]?.count);
}

function jobDeps(started: string[]): Parameters<typeof runJobs>[0] {
  const clockCall = async () => spendRequests(1);
  return {
    clock: {
      announce: clockCall,
      settle: clockCall,
      planRun: async () => {
        await clockCall();
        return "sweep";
      },
    },
    database: stage.database,
    budget: NO_LIMIT,
    work: {
      ...stage,
      lookUpTexts: async (...asked) => {
        spendRequests(1);
        return stage.dns.lookUpTexts(...asked);
      },
      customHostnames: null,
      people: stage.people.deps,
      auditRetentionDays: 365,
      newLeaseId: randomUUID,
      nowMs: Date.now,
      log: (event) => stage.log.push(event),
    },
    publish: async () => {
      spendRequests(1);
      started.push("publish");
    },
    runWebhooks: async () => {
      spendRequests(1);
      started.push("webhooks");
    },
    maxDurationMs: 10_000,
    isFrugal: true,
    onFailure: (job, error) => {
      throw new Error(`The job ${job} failed.`, { cause: error });
    },
  };
}
