/** Builders for the tests of provisioning and deploying. */
import type { Environment } from "../../src/deploy/environments.ts";
import { parseWorkerConfig, type WorkerConfig } from "../../src/deploy/worker-config.ts";
import { WORKERS } from "@hopline/testkit/workspace/workspace";

export const STAGING: Environment = {
  name: "staging",
  suffix: "-staging",
  domains: [],
  rateLimitOffset: 1000,
  vars: {},
};

export const PRODUCTION: Environment = { ...STAGING, name: "production", suffix: "", rateLimitOffset: 0 };

/** A configuration of one of the three Workers, from the keys given. */
export function aConfig(worker: string, keys: Readonly<Record<string, unknown>> = {}): WorkerConfig {
  const source = WORKERS.find(({ name }) => name === worker);
  if (source === undefined) {
    throw new Error(`no Worker ${worker}`);
  }
  const text = JSON.stringify({
    name: `hopline-${worker}`,
    main: "src/index.ts",
    compatibility_date: "2026-10-20",
    ...keys,
  });
  return parseWorkerConfig(source, text);
}

export const THREE: readonly WorkerConfig[] = [
  aConfig("producer", {
    kv_namespaces: [{ binding: "LINKS" }, { binding: "SPILL" }],
    services: [{ binding: "API", service: "hopline-api" }],
    queues: { producers: [{ binding: "CLICKS_0", queue: "hopline-clicks-0" }] },
    secrets: { required: ["DATABASE_URL", "SEAL_KEY"] },
  }),
  aConfig("consumer", {
    services: [{ binding: "USED_UP_LINKS", service: "hopline-api", entrypoint: "UsedUpLinks" }],
    kv_namespaces: [{ binding: "SPILL" }],
    queues: { consumers: [{ queue: "hopline-clicks-0", dead_letter_queue: "hopline-clicks-dead" }] },
    secrets: { required: ["DATABASE_URL", "SEAL_KEY", "VISITOR_SECRET"] },
  }),
  aConfig("api", { kv_namespaces: [{ binding: "LINKS" }], secrets: { required: ["DATABASE_URL"] } }),
];
