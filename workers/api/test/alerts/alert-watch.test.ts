/**
 * Operators hear of what breaks, over a real database that is broken in each way that a local stack can: one message when a rule
 * begins to fire, and one when it is over. Time passes for the watch alone, a minute at each look.
 */
import { cellOf, type EdgeReport } from "@hopline/core/click/edge-report";
import { encodeSegment } from "@hopline/core/click/segment";
import { insertEdgeReports } from "@hopline/db/ingest/insert-edge-reports";
import { beforeEach, expect, it } from "vitest";
import { handleBatch } from "../../../consumer/src/ingest/handle-batch.ts";
import { aMessage, aStage } from "../../../consumer/test/consumer-stage.ts";
import { openAlertWatch } from "../../src/alerts/alert-watch.ts";
import { createTellOperators } from "../../src/alerts/tell-operators.ts";
import type { LogEvent } from "../../src/log.ts";
import { readSamples } from "../../src/metrics/read-metrics.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { runSqlOf } from "../run-sql-of.ts";

const { stage, key } = await openKeyedStage("admin");
const runSql = runSqlOf(stage.client);
const MINUTE_MS = 60_000;
const WATCH_BEGAN_MS = Date.UTC(2026, 10, 25);

beforeEach(() => {
  stage.endpoint.setFault(null);
  stage.edge.state.kvIsUp = true;
  return stage.client.query(
    "TRUNCATE work, dead_letters, ingest_counters, edge_answers, edge_feed_ages, edge_reports",
  );
});

/** A watch of its own, whose operators are reached by email and by a webhook. */
function aWatch() {
  let nowMs = WATCH_BEGAN_MS;
  let alarmAtMs: number | null = null;
  let reads = 0;
  const kept = new Map<string, unknown>();
  const told: string[] = [];
  const posted: { readonly text: string; readonly alerts: readonly { readonly state: string }[] }[] = [];
  const log: LogEvent[] = [];
  const state = { emailIsUp: true, webhookIsUp: true };
  const tell = createTellOperators(
    { ALERT_EMAIL: "night@example.com, day@example.com", ALERT_WEBHOOK_URL: "https://chat.example.com/hook" },
    {
      place: "app.example.com",
      openEmail: () => async (email) => {
        if (!state.emailIsUp) {
          throw new Error("refused");
        }
        told.push(`${email.to}: ${email.subject}`);
      },
      async fetch(_url, { body }) {
        if (state.webhookIsUp) {
          posted.push(JSON.parse(String(body)));
        }
        return new Response(null, { status: state.webhookIsUp ? 200 : 404 });
      },
    },
  );
  const watch = openAlertWatch({
    storage: {
      kv: {
        get: <Value>(name: string) => kept.get(name) as Value | undefined,
        put: (name, value) => void kept.set(name, structuredClone(value)),
      },
      getAlarm: async () => alarmAtMs,
      setAlarm: async (atMs) => {
        alarmAtMs = Number(atMs);
      },
    },
    read() {
      reads += 1;
      return readSamples(stage.database);
    },
    tell: tell ?? expect.fail("somebody is to be told"),
    nowMs: () => nowMs,
    log: (event) => log.push(event),
  });
  return {
    watch,
    posted,
    log,
    state,
    countReads: () => reads,
    /** With an announcement a minute, or with none. */
    pass: async (minutes: number, isActive = true): Promise<void> => {
      for (const endMs = nowMs + minutes * MINUTE_MS; nowMs < endMs;) {
        nowMs += MINUTE_MS;
        if (isActive) {
          await watch.wake();
        }
        if (alarmAtMs !== null && alarmAtMs <= nowMs) {
          alarmAtMs = null;
          await watch.look(isActive);
        }
      }
    },
    alarmInMs: () => (alarmAtMs === null ? null : alarmAtMs - nowMs),
    /** What one of the operators has been told since the last call. */
    takeTold: () =>
      told
        .splice(0)
        .flatMap((line) =>
          line.startsWith("night") ? [line.replace(/^.* at app\.example\.com: /, "")] : [],
        ),
  };
}

let reports = 0;

/** An isolate's answers of a minute, and how long ago it read the feed. */
function report(cells: EdgeReport["cells"], feedAgeMs = 500) {
  reports += 1;
  const isolateId = "00c0ffee0000a1e7";
  const counted: EdgeReport = { number: reports, colo: null, feedAgeMs, feedGaps: 0, facts: null, cells };
  return insertEdgeReports(runSql, [{ isolateId, colo: "ZRH", report: counted }], 5_000);
}

const redirects = (answers: number) => ({ cell: cellOf("kv", 302, 9), answers, totalMs: 9 });
const refusals = (answers: number) => ({ cell: cellOf("none", 503, 700), answers, totalMs: 700 });

const countLate = (late: number) =>
  stage.client.query(
    `INSERT INTO ingest_counters AS c (metric, label, shard, total, counted_at)
     VALUES ('queue_delay', '0', 0, 100 - $1::int, now()), ('queue_delay', '8', 0, $1::int, now())
     ON CONFLICT (metric, label, shard) DO UPDATE SET total = c.total + excluded.total`,
    [late],
  );

/** Work that should have been done so long ago. */
const owe = (kind: string, minutes: number) =>
  stage.client.query(
    `INSERT INTO work (kind, key, wanted_at) VALUES ($1, 'x', now() - make_interval(mins => $2))
     ON CONFLICT (kind, key) DO NOTHING`,
    [kind, minutes],
  );

const settle = () => stage.client.query("TRUNCATE work, segment_ledger");

/** A webhook that wants clicks; its receiver has not failed. */
const listen = async () => {
  const { rowCount } = await stage.client.query("SELECT FROM webhook_endpoints");
  if (rowCount === 0) {
    const made = await callApi(stage, "POST /api/v1/webhooks", {
      key,
      body: { url: "https://hooks.example.com/", events: ["click"] },
    });
    expect(made).toMatchObject({ status: 201 });
  }
};

/** Ten clicks before a segment of half an hour ago. */
const loseClicks = () =>
  stage.client.query(
    `INSERT INTO segment_ledger
       (isolate_id, first_sequence, click_count, inserted, queue_delay_ms, first_clicked_at, last_clicked_at, first_settled_at)
     VALUES ('00c0ffee0000a1e7', 11, 1, 1, 1, at, at, at) ON CONFLICT DO NOTHING`.replaceAll(
      ", at",
      ", now() - interval '30 minutes'",
    ),
  );

/** A hundred clicks more; the watch's clock began when the last one was written. */
const countClicks = async () => {
  await stage.client.query(
    `INSERT INTO ingest_counters AS c (metric, label, shard, total) VALUES ('clicks', 'human', 0, 100)
     ON CONFLICT (metric, label, shard) DO UPDATE SET total = c.total + excluded.total`,
  );
  await stage.client.query("UPDATE ingest_counters SET counted_at = $1", [new Date(WATCH_BEGAN_MS)]);
};

it.each<[string, string, number, () => Promise<unknown>, () => Promise<unknown>]>([
  [
    "the database",
    "MetricsAreGone",
    5,
    async () => stage.endpoint.setFault(() => ({ kind: "reset" })),
    async () => stage.endpoint.setFault(null),
  ],
  [
    "all that the edge asks",
    "EdgeIsUnavailable",
    12,
    () => report([redirects(90), refusals(10)]),
    () => report([redirects(10_000)]),
  ],
  ["the change feed", "EdgeHearsLate", 6, () => report([], 60_000), () => report([])],
  ["a queue", "ClicksAreLate", 25, () => countLate(90), () => countLate(0)],
  [
    "KV",
    "ChangesWait",
    1,
    async () => {
      stage.edge.state.kvIsUp = false;
      await callApi(stage, "POST /api/v1/links", { key, body: { url: "https://example.com/" } });
      await stage.client.query("UPDATE work SET wanted_at = now() - interval '3 minutes'");
    },
    async () => {
      stage.edge.state.kvIsUp = true;
      await stage.client.query("UPDATE work SET wanted_at = now(), due_at = now()");
      await stage.publisher.publishDue({ maxChanges: 100, nowMs: Date.now, maxDurationMs: 10_000 });
    },
  ],
  [
    "a click, which the database refuses",
    "DeadLettersWait",
    1,
    () =>
      stage.client.query(
        "INSERT INTO dead_letters (id, kind, reason, source, body) VALUES (gen_random_uuid(), 'click_refused', 'x', 'x', 'x')",
      ),
    () => stage.client.query("UPDATE dead_letters SET replayed_at = now()"),
  ],
  ["an import's way into KV", "ImportsWait", 1, () => owe("publish-import", 6), () => settle()],
  ["a job", "WorkWaits", 6, () => owe("retention", 16), () => settle()],
  ["the cube", "DaysAreBehind", 31, () => owe("summary", 125), () => settle()],
  ["the delivery of a segment", "ClicksAreMissing", 31, () => loseClicks(), () => settle()],
  [
    "the way of clicks to the database",
    "ClicksStandStill",
    41,
    () => countClicks(),
    () => stage.client.query("UPDATE ingest_counters SET counted_at = now()"),
  ],
  [
    "what sends to webhooks",
    "WebhooksAreLate",
    6,
    async () => {
      await listen();
      await stage.client.query(
        `INSERT INTO webhook_deliveries (endpoint_id, type, due_at)
         SELECT id, 'click.batch', now() - interval '6 minutes' FROM webhook_endpoints WHERE deleted_at IS NULL`,
      );
    },
    () => stage.client.query("DELETE FROM webhook_deliveries"),
  ],
  [
    "what looks for webhooks' clicks",
    "WebhooksStandStill",
    6,
    async () => {
      await listen();
      await stage.client.query("UPDATE webhook_cursor SET moved_at = now() - interval '6 minutes'");
      await stage.client.query(
        `INSERT INTO click_events (event_id, clicked_at, link_id, link_version, workspace_id, source, class)
         SELECT gen_random_uuid(), now(), gen_random_uuid(), 1, workspace_id, 'link', 'human' FROM webhook_endpoints`,
      );
    },
    () => stage.client.query("UPDATE webhook_cursor SET moved_at = now()"),
  ],
])(
  "operators hear once that %s is broken (%s), and once that it is over",
  async (_what, rule, minutes, break_, mend) => {
    const { pass, takeTold, watch, posted } = aWatch();
    await report([redirects(100)]);
    await countLate(0);
    await pass(11);
    expect(takeTold()).toEqual([]);
    for (let minute = 0; minute < minutes; minute += 1) {
      await break_();
      await pass(1);
    }
    expect(watch.firing().map(({ name }) => name)).toEqual([rule]);
    expect(takeTold()).toEqual([rule]);
    await mend();
    for (let minute = 0; minute < 12; minute += 1) {
      await report([redirects(10_000)]);
      await countLate(0);
      await pass(1);
    }
    expect(takeTold()).toEqual([`${rule} is over`]);
    expect(posted.map(({ alerts }) => alerts.map(({ state }) => state))).toEqual([["firing"], ["over"]]);
    expect(posted[0]?.text).toMatch(/What to do: docs\/run-book\.md, /);
  },
);

/** Consumers of four queues get 25 reports each, and minutes pass for Postgres. One that is held back gets none. */
async function deliverReports(isHeld: (queue: string) => boolean, minutes = 1) {
  await stage.client.query("UPDATE edge_reports SET received_at = received_at - make_interval(mins => $1)", [
    minutes,
  ]);
  await stage.client.query(
    "UPDATE ingest_counters SET counted_at = counted_at - make_interval(mins => $1) WHERE metric = 'queue'",
    [minutes],
  );
  for (const queue of [0, 1, 2, 3]
    .map((shard) => `hopline-clicks-${shard}`)
    .filter((name) => !isHeld(name))) {
    const { deps } = aStage({ insertEdgeReports: (rows) => insertEdgeReports(runSql, rows, 5_000) });
    const messages = Array.from({ length: 25 }, () => {
      reports += 1;
      const one = { number: reports, colo: "ZRH", feedAgeMs: 500, feedGaps: 0, facts: null, cells: [] };
      return aMessage(
        encodeSegment({ isolateId: "00c0ffee0000a1e8", firstSequence: 1, clicks: [], report: one }),
      );
    });
    await handleBatch(queue, messages, deps);
  }
}

it("operators hear within two minutes that one queue of four stands still, and which it is, and once that is over", async () => {
  const { pass, takeTold } = aWatch();
  const silent = async () =>
    (await readSamples(stage.database)).flatMap(({ name, labels, value }) =>
      name === "hopline_queue_silent_seconds" && value > 30 ? [labels["queue"]] : [],
    );
  const pastMinute = async (isHeld: (queue: string) => boolean) => {
    await deliverReports(isHeld);
    await pass(1);
  };
  await pastMinute(() => false);
  await pastMinute(() => false);
  expect([takeTold(), await silent()]).toEqual([[], []]);
  await pastMinute((queue) => queue.endsWith("3"));
  expect([takeTold(), await silent()]).toEqual([["QueueStandsStill"], ["hopline-clicks-3"]]);
  await pastMinute(() => false);
  expect([takeTold(), await silent()]).toEqual([["QueueStandsStill is over"], []]);
  // A shard that was taken away.
  await pastMinute((queue) => queue.endsWith("3"));
  await deliverReports((queue) => queue.endsWith("3"), 60);
  await pass(1);
  expect([takeTold(), await silent()]).toEqual([[], []]);
});

it("of too few reports it is not said that a queue stands still: chance may have passed it over", async () => {
  const { pass, takeTold } = aWatch();
  await deliverReports(() => false);
  await deliverReports((queue) => queue.endsWith("3"));
  await stage.client.query("DELETE FROM edge_reports WHERE number % 3 <> 0");
  await pass(3);
  expect(takeTold()).toEqual([]);
});

const letter = (isReplayed: boolean) =>
  stage.client.query(
    `INSERT INTO dead_letters (id, kind, reason, source, body, replayed_at)
     VALUES ('00000000-0000-4000-8000-000000000001', 'click_refused', 'x', 'x', 'x', CASE WHEN $1 THEN now() END)
     ON CONFLICT (id) DO UPDATE SET replayed_at = excluded.replayed_at`,
    [isReplayed],
  );

it("a rule that comes and goes is told once an hour, and its end with it", async () => {
  const { pass, takeTold } = aWatch();
  for (let minute = 0; minute < 58; minute += 1) {
    await letter(minute % 2 === 1);
    await pass(1);
  }
  expect(takeTold()).toEqual(["DeadLettersWait", "DeadLettersWait is over"]);
  await letter(false);
  await pass(5);
  expect(takeTold()).toEqual(["DeadLettersWait"]);
});

it("tells again what could not be sent, and nothing that was over before anybody heard of it", async () => {
  const { pass, takeTold, state, log } = aWatch();
  state.emailIsUp = false;
  await letter(false);
  await pass(3);
  expect(log).toEqual(Array(2).fill({ event: "alert.send_failed", reason: "Error" }));
  state.emailIsUp = true;
  await pass(1);
  expect(takeTold()).toEqual(["DeadLettersWait"]);
  await letter(true);
  state.emailIsUp = false;
  await pass(1);
  state.emailIsUp = true;
  // Nothing happens any more, and the end is still owed.
  await pass(3, false);
  expect(takeTold()).toEqual(["DeadLettersWait is over"]);
});

it("an operator who was told is not told each minute because another one can't be reached, who is once that is possible", async () => {
  const { pass, takeTold, state, posted } = aWatch();
  state.webhookIsUp = false;
  await letter(false);
  await pass(30);
  expect(takeTold()).toEqual(["DeadLettersWait"]);
  state.webhookIsUp = true;
  await pass(5);
  expect(posted.map(({ alerts }) => alerts.length)).toEqual([1]);
  expect(takeTold()).toEqual([]);
});

it("an installation at rest has no alarm, and asks nothing; one with an alert asks at most once an hour in the end", async () => {
  const { pass, countReads, alarmInMs } = aWatch();
  await pass(3);
  await pass(2, false);
  const reads = countReads();
  expect([reads <= 4, alarmInMs()]).toEqual([true, null]);
  await pass(24 * 60, false);
  expect(countReads()).toBe(reads);
  await letter(false);
  await pass(1);
  await pass(24 * 60, false);
  expect(countReads() - reads).toBeLessThan(24 + 8);
  // Whatever happens next is looked at within a minute.
  await pass(2);
  expect(alarmInMs()).toBeLessThanOrEqual(MINUTE_MS);
});

it("an outage ends no other rule", async () => {
  const { pass, takeTold, watch } = aWatch();
  await letter(false);
  await pass(2);
  stage.endpoint.setFault(() => ({ kind: "reset" }));
  await pass(5);
  expect(takeTold()).toEqual(["DeadLettersWait", "MetricsAreGone"]);
  expect(watch.firing().map(({ name }) => name)).toEqual(["MetricsAreGone", "DeadLettersWait"]);
});
