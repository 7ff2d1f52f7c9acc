/**
 * The order in which the Workers are deployed, read from their configurations. Pure.
 *
 * A Worker comes after those it calls (a service binding or a Durable Object of a Worker that is not there is refused),
 * and the sender of a queue after its reader: whoever reads a format learns it before anyone writes it, also when the
 * format of a segment changes. Queues themselves are made by `pnpm run provision`, so the reader needs no sender.
 */
import { Failure } from "../console/failure.ts";
import type { WorkerConfig } from "./worker-config.ts";

/** Throws a `Failure` that names the Workers when they wait for each other. */
export function orderForDeploy(configs: readonly WorkerConfig[]): readonly WorkerConfig[] {
  const ordered: WorkerConfig[] = [];
  const waiting = configs.toSorted((a, b) => a.name.localeCompare(b.name));
  while (waiting.length > 0) {
    const next = waiting.findIndex((config) => !waiting.some((other) => mustFollow(config, other)));
    const [config] = waiting.splice(next, next === -1 ? 0 : 1);
    if (config === undefined) {
      const names = waiting.map(({ name }) => name).join(" and ");
      throw new Failure(`${names} each need another one deployed first: take one of the bindings out.`);
    }
    ordered.push(config);
  }
  return ordered;
}

function mustFollow(config: WorkerConfig, other: WorkerConfig): boolean {
  return (
    config !== other &&
    (config.callees.includes(other.name) || config.sendsTo.some((queue) => other.readsFrom.includes(queue)))
  );
}
