/** A webhook of the small business with its last deliveries. Made up: none of them was sent. */
import type { Client } from "pg";
import type { Page } from "puppeteer-core";
import { workspacePathOf } from "./dashboard-stack.ts";

const WEBHOOK = {
  url: "https://tills.harbourcafe.example/hopline",
  description: "Till system",
  events: ["click"],
  mode: "batch",
  filter: { classes: ["human"] },
};

type Delivery = {
  readonly clicks: number;
  readonly state: "waiting" | "delivered" | "given-up";
  readonly attempts: number;
  readonly status: number;
  readonly ageMinutes: number;
};

/** From the oldest. */
const DELIVERIES: readonly Delivery[] = [
  { clicks: 17, state: "given-up", attempts: 12, status: 500, ageMinutes: 1_720 },
  { clicks: 22, state: "delivered", attempts: 1, status: 204, ageMinutes: 190 },
  { clicks: 9, state: "delivered", attempts: 1, status: 204, ageMinutes: 64 },
  { clicks: 6, state: "waiting", attempts: 3, status: 503, ageMinutes: 21 },
  { clicks: 14, state: "delivered", attempts: 1, status: 204, ageMinutes: 14 },
  { clicks: 31, state: "delivered", attempts: 2, status: 204, ageMinutes: 9 },
  { clicks: 12, state: "delivered", attempts: 1, status: 204, ageMinutes: 2 },
];
/** Clicks since it was made, most of them in deliveries that the log no longer has. */
const DELIVERED = 4_789;
const GIVEN_UP = 17;
const WAITING = 6;

/** Resolves to its id. The page is an admin's. */
export async function addDemoWebhook(page: Page, database: Client): Promise<string> {
  const workspace = workspacePathOf(page).slice("/w/".length);
  const init = JSON.stringify({
    method: "POST",
    headers: { "content-type": "application/json", "hopline-workspace": workspace },
    body: JSON.stringify(WEBHOOK),
  });
  const id = await page.evaluate(
    `fetch("/api/v1/webhooks", ${init}).then((response) => response.json()).then(({ id }) => id)`,
  );
  const webhookId = String(id);
  const uuid = webhookId.slice("whk_".length);
  await database.query(
    `INSERT INTO webhook_totals (endpoint_id, clicks_matched, clicks_delivered, clicks_given_up, succeeded_at)
     VALUES ($1, $2, $3, $4, now() - interval '2 minutes')
     ON CONFLICT (endpoint_id) DO UPDATE SET clicks_matched = excluded.clicks_matched,
       clicks_delivered = excluded.clicks_delivered, clicks_given_up = excluded.clicks_given_up, succeeded_at = excluded.succeeded_at`,
    [uuid, DELIVERED + GIVEN_UP + WAITING, DELIVERED, GIVEN_UP],
  );
  for (const { clicks, state, attempts, status, ageMinutes } of DELIVERIES) {
    await database.query(
      `INSERT INTO webhook_deliveries (endpoint_id, type, clicks, state, attempts, status, error, created_at, attempted_at,
         due_at)
       SELECT $1, 'click.batch', $2, $3, $4, $5, $6, at, at + interval '2 seconds', now() + interval '9 minutes'
       FROM (SELECT now() - make_interval(mins => $7) AS at) AS made`,
      [uuid, clicks, state, attempts, status, status === 204 ? null : "status", ageMinutes],
    );
  }
  return webhookId;
}
