/**
 * A click sink on the bench: fake shards and spill, virtual time, everything that leaves the isolate written down.
 * `sealed(…)` stands for sealing, so that what was sealed can be told from what was not.
 */
import type { Click } from "@hopline/core/click/click";
import { decodeSegment } from "@hopline/core/click/segment";
import type { ClickShard } from "../../src/ports.ts";
import { type ClickBuffer, createClickBuffer } from "../../src/clicks/click-buffer.ts";
import type { LogEvent } from "../../src/log.ts";
import { recordClick, type SendDeps } from "../../src/clicks/send-clicks.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { createVirtualTime, type VirtualTime } from "./virtual-time.ts";

/** What a shard or the spill does with a segment: `lost_answer` takes it and never says so. */
export type Fate = "taken" | "refused" | "hangs" | "lost_answer";

export type Delivered = {
  readonly where: "shard" | "spill" | "log";
  readonly shard: number | null;
  readonly firstSequence: number;
  readonly clicks: readonly Click[];
};

export type BenchOptions = {
  readonly shardCount?: number;
  readonly lingerMs?: number;
  readonly shardFate?: (shard: number) => Fate;
  readonly spillFate?: () => Fate;
  readonly sealKeyIsUsable?: boolean;
  readonly wait?: VirtualTime["wait"];
};

const NEVER = new Promise<never>(() => undefined);

export function createBench() {
  const time = createVirtualTime();
  const buffer: ClickBuffer = createClickBuffer("00c0ffee12345678");
  const random = createSeededRandom(20_261_121);
  const delivered: Delivered[] = [];
  const logged: LogEvent[] = [];
  const sends: number[] = [];
  const spilled = new Map<string, string>();
  const deferred: Promise<unknown>[] = [];

  function deliver(where: Delivered["where"], text: string, shard: number | null): void {
    const segment = decodeSegment(text);
    if (!segment.ok) {
      throw new Error(`a segment that nobody can read was sent: ${segment.error.field}`);
    }
    delivered.push({ where, shard, ...segment.value });
  }

  async function meet(fate: Fate, take: () => void): Promise<void> {
    if (fate === "taken" || fate === "lost_answer") {
      take();
    }
    if (fate === "refused") {
      throw new Error("Too Many Requests");
    }
    return fate === "taken" ? undefined : NEVER;
  }

  function sink(options: BenchOptions = {}) {
    const shards: ClickShard[] = Array.from({ length: options.shardCount ?? 4 }, (_, number) => ({
      number,
      send: (text) => {
        sends.push(number);
        return meet(options.shardFate?.(number) ?? "taken", () => deliver("shard", text, number));
      },
    }));
    const deps: SendDeps = {
      buffer,
      shards,
      spill: {
        announce: async () => undefined,
        put: (key, text) =>
          meet(options.spillFate?.() ?? "taken", () => {
            spilled.set(key, text);
            deliver("spill", unseal(text), null);
          }),
      },
      seal: async (text) => {
        if (options.sealKeyIsUsable === false) {
          throw new Error("no key");
        }
        return `sealed(${Buffer.from(text).toString("base64url")})`;
      },
      lingerMs: options.lingerMs ?? 100,
      nowMs: time.nowMs,
      wait: options.wait ?? time.wait,
      random,
      log: (event) => {
        logged.push(event);
        if (event.event === "segment.logged") {
          deliver("log", unseal(event.sealed), null);
        }
      },
    };
    return {
      record: (click: Click, defer: (work: Promise<unknown>) => void) => recordClick(click, defer, deps),
    };
  }

  return {
    time,
    buffer,
    sink,
    delivered,
    logged,
    /** Shard numbers, one for each queue message that was tried. */
    sends,
    spilled,
    deferred,
    defer: (work: Promise<unknown>): void => void deferred.push(work),
  };
}

function unseal(text: string): string {
  return Buffer.from(/^sealed\((.*)\)$/.exec(text)?.[1] ?? "", "base64url").toString();
}
