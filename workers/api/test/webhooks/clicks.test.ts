/** Clicks on their way to webhooks: each that matches goes out, once, whatever the order of commits; and the counts add up. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { expect, it } from "vitest";
import { readCounters } from "../../src/metrics/read-counters.ts";
import { cutClicks } from "../../src/webhooks/cut-clicks.ts";
import { closeMinutes } from "../../src/webhooks/close-minutes.ts";
import { ONCE, openWebhookStage, runToEnd, settled } from "./webhook-stage.ts";

const stage = await openWebhookStage();
const { workspace, run, click, addWebhook, call } = stage;

it("a batch has the clicks of about a second in the order in which they came, each as the list of clicks shows it", async () => {
  const receiver = await stage.receiver();
  const webhook = await addWebhook({ url: receiver.url, events: ["click"] });
  receiver.secrets.push(webhook.secret);
  const first = await click({ count: 3 });
  const second = await click({ count: 2 });
  await run();
  expect(receiver.accepted.map(({ type }) => type)).toEqual(["click.batch"]);
  expect(receiver.clickIds()).toEqual([...first, ...second]);
  const { body } = await call<{ readonly data: readonly object[] }>("GET /api/v1/analytics/events?limit=5");
  const sent = receiver.accepted[0]?.data["clicks"] as readonly { readonly id: string }[];
  expect(sent.toSorted((one, other) => one.id.localeCompare(other.id))).toEqual(
    (body.data as typeof sent).toSorted((one, other) => one.id.localeCompare(other.id)),
  );
  expect(await stage.statsOf(webhook)).toMatchObject({
    clicks: { matched: 5, delivered: 5, waiting: 0, givenUp: 0 },
    failingSince: null,
  });
});

it("operators are told how long clicks wait to be looked for, and not how long nobody came", async () => {
  const receiver = await stage.receiver();
  await addWebhook({ url: receiver.url, events: ["click"] });
  await run();
  const age = async () => (await readCounters(stage.runDeps().database)).webhooks?.cursorAgeSeconds;
  await stage.stage.client.query("UPDATE webhook_cursor SET moved_at = now() - interval '1 hour'");
  expect(await age()).toBe(0);
  await click();
  expect(await age()).toBeGreaterThanOrEqual(3_600);
  await run();
  expect(await age()).toBe(0);
});

it("more than a hundred clicks are several messages, and one by one each has the click's id", async () => {
  const [batches, each] = [await stage.receiver(), await stage.receiver()];
  await addWebhook({ url: batches.url, events: ["click"] });
  await addWebhook({ url: each.url, events: ["click"], mode: "each" });
  const ids = await click({ count: 205 });
  await run();
  expect(
    batches.accepted.map(({ data }) => (data["clicks"] as readonly unknown[]).length).toSorted(),
  ).toEqual([100, 100, 5].toSorted());
  expect(batches.clickIds().toSorted()).toEqual(ids.toSorted());
  expect(each.accepted.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(each.accepted.every(({ id, data }) => id === data["id"])).toBe(true);
});

it("a click whose transaction began early and committed late is sent once, and only after the commit", async () => {
  const receiver = await stage.receiver();
  const webhook = await addWebhook({ url: receiver.url, events: ["click"] });
  const early = new pg.Client({ connectionString: stage.stage.databaseUrl });
  await early.connect();
  await early.query("BEGIN");
  const late = await click({}, early);
  const after = await click();
  await runToEnd(ONCE, stage.runDeps());
  expect(receiver.clickIds()).toEqual([]);
  await early.query("COMMIT");
  await early.end();
  await run();
  await run();
  expect(receiver.clickIds()).toEqual([...late, ...after]);
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 2, delivered: 2 } });
});

it("only clicks that match its filter are sent, and nobody else's", async () => {
  const link = randomUUID();
  const slug = `tagged-${link.slice(0, 8)}`;
  await stage.stage.client.query(
    "INSERT INTO links (id, workspace_id, domain_id, slug, url, record, tags) VALUES ($1, $2, $3, $4, 'https://example.com/', '{\"format\":1}', '{spring}')",
    [link, workspace.id, workspace.domainId, slug],
  );
  const stranger = await stage.stage.addWorkspace();
  const receivers = await Promise.all([1, 2, 3, 4].map(() => stage.receiver()));
  const filters = [
    {},
    { tags: ["spring"] },
    { links: [`lnk_${link.replaceAll("-", "")}`], classes: ["human", "bot"] },
    { domains: ["dom_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f"] },
  ];
  for (const [index, filter] of filters.entries()) {
    await addWebhook({ url: receivers[index]?.url, events: ["click"], filter });
  }
  await click({ of: stranger });
  const plain = await click();
  const bot = await click({ class: "bot", link });
  const human = await click({ link });
  await run();
  expect(receivers.map((receiver) => receiver.clickIds())).toEqual([
    [...plain, ...human],
    human,
    [...bot, ...human],
    [],
  ]);
});

it("sums have each click of a minute once, in the message that follows it", async () => {
  const receiver = await stage.receiver();
  const webhook = await addWebhook({ url: receiver.url, events: ["click.summary"] });
  const [one, other] = [randomUUID(), randomUUID()];
  await click({ link: one, count: 3 });
  await click({ link: other });
  await run();
  expect(receiver.accepted).toEqual([]);
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 4, waiting: 4 } });
  await stage.stage.client.query("UPDATE webhook_sums SET minute = minute - interval '1 minute'");
  await run();
  const idOf = (uuid: string) => `lnk_${uuid.replaceAll("-", "")}`;
  expect(receiver.accepted.map(({ data }) => data["links"])).toEqual([
    [
      { linkId: idOf(one), clicks: 3 },
      { linkId: idOf(other), clicks: 1 },
    ],
  ]);
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 4, delivered: 4, waiting: 0 } });
  // More sums than a statement takes are several messages.
  await Promise.all([one, other, randomUUID()].map((link) => click({ link })));
  await run();
  await stage.stage.client.query("UPDATE webhook_sums SET minute = minute - interval '1 minute'");
  await closeMinutes(stage.stage.database, 2);
  await run();
  expect(receiver.accepted.slice(1).map(({ data }) => (data["links"] as object[]).length)).toEqual([2, 1]);
  expect(await stage.statsOf(webhook)).toMatchObject({ clicks: { matched: 7, delivered: 7, waiting: 0 } });
});

it("clicks of one transaction that are too much for one statement come in several, and stop nobody for ever", async () => {
  const crowded = await stage.stage.addWorkspace();
  const key = await stage.stage.addKey(crowded, ["admin"]);
  await addWebhook({ url: "http://127.0.0.1:9/", events: ["click"] }, key);
  // As where each click matches many endpoints.
  await stage.stage.client.query(`
    CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.002 * new.clicks); RETURN new; END $$;
    CREATE TRIGGER takes_time BEFORE INSERT ON webhook_deliveries FOR EACH ROW EXECUTE FUNCTION take_time()`);
  await click({ of: crowded, count: 150 });
  await settled(stage.stage.client);
  const matched: number[] = [];
  for (let isMore = true; isMore;) {
    const cut = await cutClicks(stage.stage.database, 250);
    matched.push(cut.matched);
    ({ isMore } = cut);
  }
  await stage.stage.client.query("DROP FUNCTION take_time CASCADE");
  expect(matched.length).toBeGreaterThan(1);
  expect(matched.reduce((sum, one) => sum + one, 0)).toBe(150);
});

it("an endpoint gets nothing from before it was made, and nothing from while it was off", async () => {
  const receiver = await stage.receiver();
  const before = await click();
  const webhook = await addWebhook({ url: receiver.url, events: ["click"] });
  await call(`PATCH /api/v1/webhooks/${webhook.id}`, { enabled: false });
  const off = await click();
  await call(`PATCH /api/v1/webhooks/${webhook.id}`, { enabled: true });
  const on = await click();
  await run();
  expect(receiver.clickIds()).toEqual(on);
  expect([before.length, off.length]).toEqual([1, 1]);
});

it("a click that was deleted while it waited is given up, and the others are sent", async () => {
  const receiver = await stage.receiver();
  const webhook = await addWebhook({ url: receiver.url, events: ["click"] });
  receiver.behave(503);
  const link = randomUUID();
  const kept = await click();
  await click({ link });
  await run();
  await stage.stage.client.query("UPDATE click_events SET workspace_id = NULL WHERE link_id = $1", [link]);
  receiver.behave(204);
  await stage.hurry();
  await run();
  expect(receiver.clickIds()).toEqual(kept);
  expect(await stage.statsOf(webhook)).toMatchObject({
    clicks: { matched: 2, delivered: 1, waiting: 0, givenUp: 1 },
  });
});
