import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { closeMinutes, cutClicks } from "../../src/webhooks/cut-clicks.ts";
import { switchOff } from "../../src/webhooks/switch-off.ts";
import { drawQr } from "../../src/qr/draw-qr.ts";
import { openWebhookStage, settled } from "../webhooks/webhook-stage.ts";

const stage = await openWebhookStage();
const { workspace, click, addWebhook, call } = stage;
const { client, database } = stage.stage;
const say = (text: string, ms = 0) => process.stderr.write(`ATTACK ${text} ${Math.round(ms)} ms\n`);
async function timed<T>(name: string, run: () => Promise<T>): Promise<T | string> {
  const at = performance.now();
  try {
    const value = await run();
    say(name, performance.now() - at);
    return value;
  } catch (error) {
    const cause = (error as Error).cause as Error | undefined;
    say(`${name} FAILED ${cause?.message ?? String(error)}`, performance.now() - at);
    return "failed";
  }
}

it("QR", async () => {
  for (const scale of [8, 16, 32]) {
    for (let i = 0; i < 2; i += 1) await timed(`qr png ${scale}`, async () => drawQr("https://go.example.com/" + "a".repeat(200) + "?source=qr", { format: "png", scale, margin: 4, color: "000000", background: "ffffff" }));
  }
});

it("10,000 endpoints of others, and an import", async () => {
  const other = await stage.stage.addWorkspace();
  const links = () => Array.from({ length: 500 }, (_v, i) => ({ url: `https://example.com/${i}` }));
  const create = () => call<{ results: unknown[] }>("POST /api/v1/links/bulk", { items: links() });
  await timed("500 links, nobody listens", create);
  await client.query(`INSERT INTO webhook_endpoints (id, workspace_id, url, events, mode, classes, secret)
     SELECT gen_random_uuid(), md5((n % 200)::text)::uuid, 'https://hooks.example.com/', '{link.created}', 'each', '{human}', 'sealed' FROM generate_series(1, 10000) AS n`);
  await timed("500 links, 10,000 endpoints elsewhere", create);
  await timed("500 links, 10,000 endpoints elsewhere", create);
  await client.query(`ANALYZE webhook_endpoints`);
  await timed("500 links, 10,000 endpoints elsewhere, analyzed", create);
  await client.query(`INSERT INTO webhook_endpoints (id, workspace_id, url, events, mode, classes, secret)
     SELECT gen_random_uuid(), $1, 'https://hooks.example.com/', '{link.created}', 'each', '{human}', 'sealed' FROM generate_series(1, 50) AS n`, [workspace.id]);
  await timed("500 links, 50 endpoints of its own", create);
  await client.query("DELETE FROM webhook_endpoints; DELETE FROM webhook_deliveries");
  void other;
}, 120_000);

it("poison", async () => {
  await client.query(`INSERT INTO webhook_endpoints (id, workspace_id, url, events, mode, classes, secret, tags, link_ids)
     SELECT gen_random_uuid(), $1, 'https://hooks.example.com/', '{click.summary}', 'each', '{human}', 'sealed', NULL, NULL FROM generate_series(1, 50) AS n`, [workspace.id]);
  await client.query(`INSERT INTO webhook_totals (endpoint_id) SELECT id FROM webhook_endpoints`);
  await settled(client);
  await client.query(`INSERT INTO click_events (event_id, clicked_at, link_id, link_version, workspace_id, domain_id, source, class, classifier_version)
     SELECT gen_random_uuid(), now(), gen_random_uuid(), 1, $1, $2, 'link', 'human', 1 FROM generate_series(1, 5000)`, [workspace.id, workspace.domainId]);
  await settled(client);
  for (let i = 0; i < 6; i += 1) { const cut = await timed("cut of 5,000 clicks for 50 sums", () => cutClicks(database)); say(JSON.stringify(cut)); if (typeof cut !== "string" && !cut.isMore) break; }
  await client.query("UPDATE webhook_sums SET minute = minute - interval '2 minutes'");
  await timed("close the minute", () => closeMinutes(database));
  await client.query("DELETE FROM webhook_endpoints; DELETE FROM webhook_deliveries");
}, 120_000);

it("poison by filters", async () => {
  const tags = Array.from({ length: 100 }, (_v, i) => `tag-${i}`);
  const ids = Array.from({ length: 100 }, () => randomUUID());
  await client.query(`INSERT INTO links (id, workspace_id, domain_id, slug, url, record, tags) SELECT gen_random_uuid(), $1, $2, 'p' || n, 'https://example.com/', '{"version":1}', '{other}' FROM generate_series(1, 2000) AS n`, [workspace.id, workspace.domainId]);
  await client.query(`INSERT INTO webhook_endpoints (id, workspace_id, url, events, mode, classes, secret, tags, link_ids)
     SELECT gen_random_uuid(), $1, 'https://hooks.example.com/', '{click}', 'each', '{human}', 'sealed', $2, NULL FROM generate_series(1, 50) AS n`, [workspace.id, tags]);
  await client.query(`INSERT INTO webhook_totals (endpoint_id) SELECT id FROM webhook_endpoints`);
  await settled(client);
  await client.query(`INSERT INTO click_events (event_id, clicked_at, link_id, link_version, workspace_id, domain_id, source, class, classifier_version)
     SELECT gen_random_uuid(), now(), id, 1, $1, $2, 'link', 'human', 1 FROM links, generate_series(1, 3) WHERE slug LIKE 'p%' LIMIT 5000`, [workspace.id, workspace.domainId]);
  await settled(client);
  for (let i = 0; i < 6; i += 1) { const cut = await timed("cut of 5,000 clicks for 50 filters of 100 tags", () => cutClicks(database)); say(JSON.stringify(cut)); if (typeof cut !== "string" && !cut.isMore) break; }
  await client.query("DELETE FROM webhook_endpoints; DELETE FROM webhook_deliveries");
  void ids;
}, 120_000);

it("switching off what has a backlog", async () => {
  const webhook = await addWebhook({ url: "http://127.0.0.1:9/", events: ["click"] });
  const id = stage.uuidOf(webhook);
  for (const rows of [50_000, 250_000]) {
    await client.query(`INSERT INTO webhook_deliveries (endpoint_id, type, clicks, event_ids, clicked_from, clicked_to) SELECT $1, 'click.batch', 2, ARRAY[gen_random_uuid(), gen_random_uuid()], now(), now() FROM generate_series(1, ${rows})`, [id]);
    await timed(`switch off with ${rows}`, () => switchOff(database, id, "owner"));
    const { rows: [row] } = await client.query("SELECT off_since FROM webhook_endpoints WHERE id = $1", [id]);
    say(JSON.stringify(row));
    await client.query("UPDATE webhook_endpoints SET off_since = NULL, off_reason = NULL WHERE id = $1", [id]);
  }
  await timed("replay 5,000", () => call(`POST /api/v1/webhooks/${webhook.id}/replay`, {}));
  await client.query("DELETE FROM webhook_endpoints; DELETE FROM webhook_deliveries");
}, 120_000);

it("races past limits", async () => {
  const limited = await stage.stage.addWorkspace();
  await client.query("INSERT INTO workspace_limits VALUES ($1, 5, NULL, NULL)", [limited.id]);
  const key = await stage.stage.addKey(limited, ["admin"]);
  const answers = await Promise.all(Array.from({ length: 20 }, () => call("POST /api/v1/links", { url: "https://example.com/" }, key)));
  say(`links limit 5: made ${answers.filter(({ status }) => status === 201).length} of 20 at once`);
  const bulk = await Promise.all(Array.from({ length: 10 }, () => call<{ results: { status: number }[] }>("POST /api/v1/links/bulk", { items: Array.from({ length: 5 }, () => ({ url: "https://example.com/" })) }, key)));
  say(`bulk: ${JSON.stringify(bulk.map(({ status, body }) => [status, body.results?.filter((one) => one.status === 201).length]))}`);
  await call(`PATCH /api/v1/workspaces/x`, {}, key);
  const crowded = await stage.stage.addWorkspace();
  const admin = await stage.stage.addKey(crowded, ["admin"]);
  await client.query(
    `INSERT INTO webhook_endpoints (id, workspace_id, url, events, mode, classes, secret)
     SELECT gen_random_uuid(), $1, 'https://hooks.example.com/', '{link.created}', 'each', '{human}', 'sealed' FROM generate_series(1, 49)`, [crowded.id]);
  const made = await Promise.all(Array.from({ length: 20 }, () => call("POST /api/v1/webhooks", { url: "https://hooks.example.com/", events: ["click"] }, admin)));
  say(`webhooks limit 50: made ${made.filter(({ status }) => status === 201).length} more than 49`);
  expect(1).toBe(1);
}, 60_000);
