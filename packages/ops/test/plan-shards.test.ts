import { readFileSync } from "node:fs";

import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";

import { MAX_SHARDS, planShards, readShards, type ShardConfigs } from "../src/workspace/plan-shards.ts";
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

  it("adds shards behind the last one, laid out as it is, and leaves everything else as it stands", () => {
    const { producer, consumer } = plan(CONFIGS, 3);
    expect(producer).toBe(
      CONFIGS.producer.replace(
        `"queue": "hopline-clicks-1" },\n`,
        `"queue": "hopline-clicks-1" },\n      { "binding": "CLICKS_2", "queue": "hopline-clicks-2" },\n`,
      ),
    );
    expect(consumer).toContain(`{
        "queue": "hopline-clicks-2",
        "max_batch_size": 100,
        "dead_letter_queue": "dead"
      },
      // The dead letters have a reader of their own.`);
  });

  it("takes shards away and leaves other queues and all comments", () => {
    const { producer, consumer } = plan(CONFIGS, 1);
    expect(queuesOf(producer, "producers")).toEqual(["audit", "hopline-clicks-0", "hopline-clicks-later"]);
    expect(queuesOf(consumer, "consumers")).toEqual(["hopline-clicks-0", "hopline-clicks-dead"]);
    for (const comment of ["// The front door.", "// Written by a command.", "// stays"]) {
      expect(producer).toContain(comment);
    }
    expect(consumer).toContain("// The dead letters have a reader of their own.");
    expect(consumer).toContain("// Enough for a second of traffic.");
  });

  it.each([1, 2, 3, 17, MAX_SHARDS])(
    "keeps both sides in step and readable at %i, and comes back",
    (count) => {
      const planned = plan(CONFIGS, count);
      const numbers = Array.from({ length: count }, (_, shard) => shard);
      expect(readShards(planned)).toEqual({ ok: true, value: { producer: numbers, consumer: numbers } });
      expect(queuesOf(plan(planned, 2).producer, "producers")).toEqual(
        queuesOf(CONFIGS.producer, "producers"),
      );
    },
  );

  it("fills a gap in one side", () => {
    const torn = { ...CONFIGS, consumer: plan(CONFIGS, 1).consumer };
    expect(queuesOf(plan(torn, 2).consumer, "consumers")).toContain("hopline-clicks-1");
  });

  it.each<[string, ShardConfigs, keyof ShardConfigs]>([
    ["is not JSON", { ...CONFIGS, producer: "{ nonsense" }, "producer"],
    ["has no list of queues", { ...CONFIGS, consumer: "{}" }, "consumer"],
    ["has no shard 0", { ...CONFIGS, consumer: `{"queues":{"consumers":[{"queue":"x"}]}}` }, "consumer"],
  ])("is refused when a configuration %s", (_why, configs, side) => {
    expect(planShards(configs, 3)).toMatchObject({ ok: false, error: { reason: "unreadable", side } });
  });
});

it("has the same shards at the producer's and the consumer's end of the real configurations", () => {
  const read = (name: string) =>
    readFileSync(inWorkspace(WORKERS.find((worker) => worker.name === name)?.configPath ?? ""), "utf8");
  const shards = readShards({ producer: read("producer"), consumer: read("consumer") });
  if (!shards.ok) {
    throw new Error(shards.error.detail);
  }
  expect(shards.value.producer).toEqual(shards.value.consumer);
  expect(shards.value.producer).toEqual(shards.value.producer.map((_, index) => index));
});
