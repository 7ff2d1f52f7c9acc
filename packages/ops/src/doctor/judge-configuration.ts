/** Judges the configurations together and for one environment, variables included. Pure. */
import { parseAppSchemes } from "@hopline/core/link/app-schemes";
import { Failure } from "@hopline/testkit/console/failure";

import type { Environment } from "../deploy/environments.ts";
import { forEnvironment } from "../deploy/for-environment.ts";
import { objectAt, textAt } from "../deploy/json-object.ts";
import type { WorkerConfig } from "../deploy/worker-config.ts";
import { about, type Finding } from "./finding.ts";

const SHARD = /^hopline-clicks-\d+$/;
const CONSUMER_CONFIG = "workers/consumer/wrangler.jsonc";

export function judgeConfiguration(
  configs: readonly WorkerConfig[],
  environment: Environment,
): readonly Finding[] {
  return [
    judgeDates(configs),
    ...judgeCallees(configs),
    judgeShards(configs),
    ...judgeDeadLetters(configs),
    ...judgeBindings(configs, environment),
    ...judgeVariables(configs, environment),
  ];
}

function judgeDates(configs: readonly WorkerConfig[]): Finding {
  const [date = "", ...others] = new Set(
    configs.map(({ compatibilityDate }) => compatibilityDate).toSorted(),
  );
  return others.length === 0
    ? about("configuration", "all Workers").good(`compatibility date ${date}`)
    : about("configuration", "wrangler.jsonc").fault(
        `the Workers have different compatibility dates: ${[date, ...others].join(", ")}`,
        "Give all of them the same.",
      );
}

function judgeCallees(configs: readonly WorkerConfig[]): readonly Finding[] {
  const names = configs.map(({ name }) => name);
  return configs.flatMap(({ source, callees }) =>
    callees
      .filter(({ worker }) => worker.startsWith("hopline-") && !names.includes(worker))
      .map(({ worker }) =>
        about("configuration", source.configPath).fault(
          `it calls ${worker}, which is none of ${names.join(", ")}`,
          "Correct the name in its bindings.",
        ),
      ),
  );
}

function judgeShards(configs: readonly WorkerConfig[]): Finding {
  const sent = configs.flatMap(({ sendsTo }) => sendsTo).filter((queue) => SHARD.test(queue));
  const read = configs.flatMap(({ readsFrom }) => readsFrom).filter((queue) => SHARD.test(queue));
  const unread = sent.filter((queue) => !read.includes(queue));
  const unsent = read.filter((queue) => !sent.includes(queue));
  const todo = "Run `pnpm shards N` and commit both files.";
  if (unread.length > 0) {
    const what = `nothing reads ${unread.join(", ")}: their clicks would stay there`;
    return about("shards", "wrangler.jsonc").fault(what, todo);
  }
  return unsent.length > 0
    ? about("shards", CONSUMER_CONFIG).concern(`nothing sends to ${unsent.join(", ")}`, todo)
    : about("shards", "producer and consumer").good(`${sent.length} of ${read.length} shards are read`);
}

function judgeDeadLetters(configs: readonly WorkerConfig[]): readonly Finding[] {
  const read = new Set(configs.flatMap(({ readsFrom }) => readsFrom));
  const named = new Set(configs.flatMap(({ deadLetterQueues }) => deadLetterQueues));
  return [...named]
    .filter((queue) => !read.has(queue))
    .map((queue) =>
      about("configuration", CONSUMER_CONFIG).concern(
        `nothing reads the dead-letter queue ${queue}: Cloudflare deletes its messages after four days`,
        "Give it a consumer.",
      ),
    );
}

function judgeBindings(configs: readonly WorkerConfig[], environment: Environment): readonly Finding[] {
  const workerNames = configs.map(({ name }) => name);
  return configs.flatMap((config) => {
    try {
      forEnvironment(config, { environment, workerNames, kvIds: new Map() });
      return [];
    } catch (error) {
      if (!(error instanceof Failure)) {
        throw error;
      }
      const todo = "Say it in packages/ops/src/deploy/for-environment.ts.";
      return [about("configuration", environment.name).fault(error.message.replace(/\.$/, ""), todo)];
    }
  });
}

/** By the code that will read them. */
function judgeVariables(configs: readonly WorkerConfig[], environment: Environment): readonly Finding[] {
  const api = configs.filter(({ source }) => source.name === "api");
  return api.map(({ raw, source }) => {
    const own = textAt(objectAt(environment.vars, source.name), "APP_SCHEMES");
    const where = own === null ? source.configPath : `environments.jsonc, ${environment.name}`;
    const schemes = parseAppSchemes(own ?? textAt(objectAt(raw, "vars"), "APP_SCHEMES") ?? "");
    return schemes.ok
      ? about("configuration", where).good(
          `links may lead to ${["http", "https", ...schemes.value].join(", ")}`,
        )
      : about("configuration", where).fault(
          `APP_SCHEMES: ${schemes.error.join("; ")}`,
          "Correct it: with it the API does not start.",
        );
  });
}
