/** Judges the three configurations beside each other and for one environment. Pure, so it can always be said. */
import type { Environment } from "../deploy/environments.ts";
import { forEnvironment } from "../deploy/for-environment.ts";
import type { WorkerConfig } from "../deploy/worker-config.ts";
import { describeError, Failure } from "@hopline/testkit/console/failure";
import { concern, fault, type Finding, good } from "./finding.ts";

const SHARD = /^hopline-clicks-\d+$/;

export function judgeConfiguration(
  configs: readonly WorkerConfig[],
  environment: Environment,
): readonly Finding[] {
  return [
    ...judgeDates(configs),
    ...judgeCallees(configs),
    ...judgeShards(configs),
    ...judgeDeadLetters(configs),
    ...judgeEnvironment(configs, environment),
  ];
}

function judgeDates(configs: readonly WorkerConfig[]): readonly Finding[] {
  const dates = [...new Set(configs.map(({ compatibilityDate }) => compatibilityDate))];
  const [date = ""] = dates;
  return [
    dates.length === 1
      ? good("configuration", "all Workers", `compatibility date ${date}`)
      : fault(
          "configuration",
          "wrangler.jsonc",
          `the Workers have different compatibility dates: ${dates.toSorted().join(", ")}`,
          "Give all three the same.",
        ),
  ];
}

function judgeCallees(configs: readonly WorkerConfig[]): readonly Finding[] {
  const names = configs.map(({ name }) => name);
  return configs.flatMap(({ source, callees }) =>
    callees
      .filter(({ worker }) => worker.startsWith("hopline-") && !names.includes(worker))
      .map(({ worker }) =>
        fault(
          "configuration",
          source.configPath,
          `it calls ${worker}, which is none of ${names.join(", ")}`,
          "Correct the name in its bindings.",
        ),
      ),
  );
}

function judgeShards(configs: readonly WorkerConfig[]): readonly Finding[] {
  const sent = configs.flatMap(({ sendsTo }) => sendsTo).filter((queue) => SHARD.test(queue));
  const read = configs.flatMap(({ readsFrom }) => readsFrom).filter((queue) => SHARD.test(queue));
  const unread = sent.filter((queue) => !read.includes(queue));
  const unsent = read.filter((queue) => !sent.includes(queue));
  const todo = "Run `pnpm shards N` and commit both files.";
  if (unread.length > 0) {
    return [
      fault(
        "shards",
        "wrangler.jsonc",
        `nothing reads ${unread.join(", ")}: their clicks would stay there`,
        todo,
      ),
    ];
  }
  return unsent.length > 0
    ? [concern("shards", "workers/consumer/wrangler.jsonc", `nothing sends to ${unsent.join(", ")}`, todo)]
    : [good("shards", "producer and consumer", `${sent.length} of ${read.length} shards are read`)];
}

function judgeDeadLetters(configs: readonly WorkerConfig[]): readonly Finding[] {
  const read = new Set(configs.flatMap(({ readsFrom }) => readsFrom));
  const unread = new Set(
    configs.flatMap(({ deadLetterQueues }) => deadLetterQueues).filter((name) => !read.has(name)),
  );
  return [...unread].map((queue) =>
    concern(
      "configuration",
      "workers/consumer/wrangler.jsonc",
      `nothing reads the dead-letter queue ${queue}: Cloudflare deletes its messages after four days`,
      "Give it a consumer.",
    ),
  );
}

function judgeEnvironment(configs: readonly WorkerConfig[], environment: Environment): readonly Finding[] {
  const workerNames = configs.map(({ name }) => name);
  return configs.flatMap((config) => {
    try {
      forEnvironment(config, { environment, workerNames, kvIds: new Map() });
      return [];
    } catch (error) {
      if (!(error instanceof Failure)) {
        throw error;
      }
      const what = describeError(error).replace(/\.$/, "");
      return [
        fault(
          "configuration",
          environment.name,
          what,
          "Say it in packages/ops/src/deploy/for-environment.ts.",
        ),
      ];
    }
  });
}
