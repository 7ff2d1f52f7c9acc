import { readFileSync } from "node:fs";

import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";

import {
  adviseShards,
  MAX_SHARDS,
  planShards,
  readShards,
  type ShardConfigs,
} from "../src/workspace/plan-shards.ts";
import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";

const CONFIGS: ShardConfigs = {
  producer: `// The front door.
{
  "name": "producer",
  "queues": {
    // Written by a command.
    "producers": [
      { "binding": "AUDIT", "queue": "audit" },
      { "binding": "CLICKS_0", "queue": "hopline-clicks-0" },
      { "binding": "CLICKS_1", "queue": "hopline-clicks-1" },
      { "binding": "LATER", "queue": "hopline-clicks-later" },
    ],
  },
  "vars": {}, // stays
}
`,
  consumer: `{
  "queues": {
    "consumers": [
      {
        "queue": "hopline-clicks-0",
        // Enough for a second of traffic.
        "max_batch_size": 100,
        "dead_letter_queue": "dead",
      },
      {
        "queue": "hopline-clicks-1",
        "max_batch_size": 50,
      },
      // The dead letters have a reader of their own.
      { "queue": "hopline-clicks-dead", "max_batch_size": 1 },
    ],
  },
}
`,
};

function plan(configs: ShardConfigs, count: number): ShardConfigs {
  const planned = planShards(configs, count);
  if (!planned.ok) {
    throw new Error(planned.error.detail);
  }
  return planned.value;
}

function queuesOf(text: string, list: "producers" | "consumers"): readonly string[] {
  return parse(text, [], { allowTrailingComma: true }).queues[list].map(
    (entry: { queue: string }) => entry.queue,
  );
}

describe("another number of shards", () => {
  it("changes nothing when it is the present one", () => {
    expect(plan(CONFIGS, 2)).toEqual(CONFIGS);
  });

  it("adds shards after the last one, like shard 0, and leaves everything else as it is", () => {
    const { producer, consumer } = plan(CONFIGS, 3);
    const [last, settings] = [`"queue": "hopline-clicks-1" },\n`, `"max_batch_size": 50,\n      },\n`];
    expect(producer).toBe(
      CONFIGS.producer.replace(
        last,
        `${last}      { "binding": "CLICKS_2", "queue": "hopline-clicks-2" },\n`,
      ),
    );
    expect(consumer).toBe(
      CONFIGS.consumer.replace(
        settings,
        `${settings}      {
        "queue": "hopline-clicks-2",
        // Enough for a second of traffic.
        "max_batch_size": 100,
        "dead_letter_queue": "dead",
      },\n`,
      ),
    );
  });

  it("removes shards and leaves other queues and all other comments", () => {
    const { producer, consumer } = plan(CONFIGS, 1);
    expect(queuesOf(producer, "producers")).toEqual(["audit", "hopline-clicks-0", "hopline-clicks-later"]);
    expect(queuesOf(consumer, "consumers")).toEqual(["hopline-clicks-0", "hopline-clicks-dead"]);
    const comments = (text: string) => [...text.matchAll(/\/\/.*/g)].map(([comment]) => comment);
    expect(comments(producer + consumer)).toEqual(comments(CONFIGS.producer + CONFIGS.consumer));
  });

  it.each([1, 2, 3, 17, MAX_SHARDS])("is the same on both sides at %i", (count) => {
    const planned = plan(CONFIGS, count);
    const numbers = Array.from({ length: count }, (_, shard) => shard);
    expect([readShards(planned.producer), readShards(planned.consumer)]).toEqual([numbers, numbers]);
  });

  it.each<[string, ShardConfigs, keyof ShardConfigs]>([
    ["is not JSON", { ...CONFIGS, producer: "{ nonsense" }, "producer"],
    ["has no shard 0", { ...CONFIGS, consumer: `{"queues":{"consumers":[{"queue":"x"}]}}` }, "consumer"],
    [
      "has a comment between its shards",
      { ...CONFIGS, producer: CONFIGS.producer.replace(/(.*CLICKS_1)/, "// the second\n$1") },
      "producer",
    ],
  ])("is refused when a configuration %s", (_why, configs, side) => {
    expect(planShards(configs, 3)).toMatchObject({ ok: false, error: { reason: "unreadable", side } });
  });
});

it("has the same shards at the producer's and the consumer's end of the real configurations", () => {
  const [producer, consumer] = ["producer", "consumer"].map((name) =>
    readShards(
      readFileSync(inWorkspace(WORKERS.find((worker) => worker.name === name)?.configPath ?? ""), "utf8"),
    ),
  );
  expect(producer).toEqual(consumer);
  expect(producer).toEqual(Array.from({ length: producer?.length ?? 0 }, (_, index) => index));
  expect(producer).toContain(0);
});

it("advises as few shards as carry the peak, because a click costs more in a batch that is not full", () => {
  expect(adviseShards(4)).toContain("carry 14,000 segments a second. Below 200 a second");
  expect(adviseShards(100)).toContain("carry 350,000 segments a second. Below 5,000 a second");
});
