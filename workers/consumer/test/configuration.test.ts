/** What the code relies on in wrangler.jsonc: attempts, the dead-letter queue, the crons. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LAST_DELIVERY } from "../src/dead-letters/last-delivery.ts";

type Consumer = {
  readonly queue: string;
  readonly max_retries: number;
  readonly max_batch_size: number;
  readonly dead_letter_queue?: string;
};
type Configuration = {
  readonly queues: { readonly consumers: readonly Consumer[] };
  readonly triggers: { readonly crons: readonly string[] };
};

const DEAD = "hopline-clicks-dead";
const text = readFileSync(join(import.meta.dirname, "../wrangler.jsonc"), "utf8");
const { queues, triggers }: Configuration = JSON.parse(
  text.replaceAll(/^\s*\/\/.*$/gm, "").replaceAll(/,(\s*[}\]])/g, "$1"),
);

it("gives every shard the hundred attempts that outlast an outage of hours, then the dead-letter queue", () => {
  const shards = queues.consumers.filter(({ queue }) => queue !== DEAD);
  expect(shards.length).toBeGreaterThan(0);
  for (const shard of shards) {
    expect(shard).toMatchObject({ max_retries: 100, max_batch_size: 100, dead_letter_queue: DEAD });
  }
});

it("consumes the dead-letter queue itself, with as many attempts as the code counts", () => {
  const dead = queues.consumers.find(({ queue }) => queue === DEAD);
  expect(dead).toMatchObject({ max_retries: LAST_DELIVERY - 1, max_batch_size: 100 });
  expect(dead).not.toHaveProperty("dead_letter_queue");
});

it("is called every minute, which the code takes for granted", () => {
  expect(triggers.crons).toEqual(["* * * * *"]);
});
