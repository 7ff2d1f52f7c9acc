/**
 * The click sink over the Worker's bindings: shards, spill, sealing key and linger. An isolate sees one `env` for its
 * whole life, so the bindings are looked through once.
 */
import type { ClickBuffer } from "../click-buffer.ts";
import { withSealing } from "../lazy-parts.ts";
import { parseLingerMs } from "../linger.ts";
import { logToConsole } from "../log.ts";
import type { ClickSink } from "../ports.ts";
import { createClickSink } from "../send-clicks.ts";
import { createKvSpill } from "./kv-spill.ts";
import { findClickShards } from "./queue-shards.ts";
import { waitFor } from "./timer.ts";

export type ClickBindings = {
  readonly SPILL: KVNamespace;
  readonly SEAL_KEY: string;
  readonly CLICK_LINGER_MS: string;
};

export function createBoundClicks(env: ClickBindings, buffer: ClickBuffer): ClickSink {
  return createClickSink({
    buffer,
    shards: findClickShards(env),
    spill: createKvSpill(env.SPILL),
    seal: async (text) => withSealing(({ sealText }) => sealText(text, env.SEAL_KEY)),
    lingerMs: parseLingerMs(env.CLICK_LINGER_MS),
    nowMs: Date.now,
    wait: waitFor,
    random: Math.random,
    log: logToConsole,
  });
}
