/**
 * Decides what `pnpm shards N` writes: the queue bindings of the producer and the queue consumers of the consumer, for
 * N shards. Pure: two texts in, two texts out, comments and layout kept.
 *
 * A shard is a pair: binding CLICKS_n with queue hopline-clicks-n at the producer, a consumer of that queue at the
 * other end. Whatever else stands in the two lists (a dead-letter queue's consumer, say) is not touched.
 */
import { findNodeAtLocation, parse, type ParseError, parseTree } from "jsonc-parser";

import { fail, ok, type Result } from "@hopline/core/decode/result";

export const MAX_SHARDS = 100;

const PRODUCERS_PATH = ["queues", "producers"];
const CONSUMERS_PATH = ["queues", "consumers"];
const SHARD_QUEUE = /^hopline-clicks-(\d+)$/;

type QueueEntry = { readonly [key: string]: unknown; readonly queue: string };
export type ShardConfigs = { readonly producer: string; readonly consumer: string };
export type ShardFault = {
  readonly reason: "unreadable";
  readonly side: keyof ShardConfigs;
  readonly detail: string;
};

/** Both configurations for `count` shards; new consumers get the settings of shard 0. */
export function planShards(configs: ShardConfigs, count: number): Result<ShardConfigs, ShardFault> {
  const producers = readQueues(configs, "producer");
  const consumers = readQueues(configs, "consumer");
  if (!producers.ok) {
    return producers;
  }
  if (!consumers.ok) {
    return consumers;
  }
  const model = consumers.value.find((entry) => entry.queue === toQueueName(0));
  if (model === undefined || !producers.value.some((entry) => entry.queue === toQueueName(0))) {
    const side = model === undefined ? "consumer" : "producer";
    return fail({
      reason: "unreadable",
      side,
      detail: `does not have ${toQueueName(0)}, the model of every shard`,
    });
  }
  return ok({
    producer: resizeList(configs.producer, PRODUCERS_PATH, {
      entries: producers.value,
      count,
      create: (shard) => ({ binding: `CLICKS_${shard}`, queue: toQueueName(shard) }),
    }),
    consumer: resizeList(configs.consumer, CONSUMERS_PATH, {
      entries: consumers.value,
      count,
      create: (shard) => ({ ...model, queue: toQueueName(shard) }),
    }),
  });
}

/** The shard numbers each side has, in ascending order; equal lists mean that the two are in step. */
export function readShards(
  configs: ShardConfigs,
): Result<{ readonly producer: readonly number[]; readonly consumer: readonly number[] }, ShardFault> {
  const producers = readQueues(configs, "producer");
  const consumers = readQueues(configs, "consumer");
  if (!producers.ok) {
    return producers;
  }
  return consumers.ok
    ? ok({ producer: toShardNumbers(producers.value), consumer: toShardNumbers(consumers.value) })
    : consumers;
}

type EntryPath = readonly (string | number)[];
type Resize = {
  readonly entries: readonly QueueEntry[];
  readonly count: number;
  readonly create: (shard: number) => QueueEntry;
};

/** Removes the shards from `count` on, and puts missing ones behind the last shard that stays. */
function resizeList(text: string, path: readonly string[], { entries, count, create }: Resize): string {
  let result = text;
  const kept = [...entries];
  for (let index = kept.length - 1; index >= 0; index -= 1) {
    const shard = toShardNumber(kept[index]);
    if (shard !== null && shard >= count) {
      result = removeEntry(result, [...path, index]);
      kept.splice(index, 1);
    }
  }
  for (let shard = 0; shard < count; shard += 1) {
    if (!kept.some((entry) => toShardNumber(entry) === shard)) {
      const anchor = kept.findLastIndex((entry) => toShardNumber(entry) !== null);
      const entry = create(shard);
      result = insertBehind(result, [...path, anchor], entry);
      kept.splice(anchor + 1, 0, entry);
    }
  }
  return result;
}

/** Takes an entry out with its line and its comma. (jsonc-parser's own `modify` takes the next entry's comment too.) */
function removeEntry(text: string, path: EntryPath): string {
  const { start, end } = locate(text, path);
  const before = text.slice(0, start).replace(/\n?[ \t]*$/, "");
  return before + text.slice(end).replace(/^\s*,/, "");
}

/** Puts an entry behind another one of its list, laid out as that one is: on one line, or a property a line. */
function insertBehind(text: string, anchorPath: EntryPath, entry: QueueEntry): string {
  const { start, end } = locate(text, anchorPath);
  const indent = /[ \t]*$/.exec(text.slice(0, start))?.[0] ?? "";
  const isOneLine = !text.slice(start, end).includes("\n");
  const lines = JSON.stringify(entry, null, 2).split("\n");
  const rendered = isOneLine ? lines.map((line) => line.trim()).join(" ") : lines.join(`\n${indent}`);
  return `${text.slice(0, end)},\n${indent}${rendered}${text.slice(end)}`;
}

function locate(text: string, path: EntryPath): { readonly start: number; readonly end: number } {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const node = tree === undefined ? undefined : findNodeAtLocation(tree, [...path]);
  if (node === undefined) {
    throw new Error(`invariant: there is an entry ${path.join(".")}`);
  }
  return { start: node.offset, end: node.offset + node.length };
}

function readQueues(
  configs: ShardConfigs,
  side: keyof ShardConfigs,
): Result<readonly QueueEntry[], ShardFault> {
  const errors: ParseError[] = [];
  const config: unknown = parse(configs[side], errors, { allowTrailingComma: true });
  const path = side === "producer" ? PRODUCERS_PATH : CONSUMERS_PATH;
  let value: unknown = config;
  for (const key of path) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  }
  if (errors.length > 0 || !Array.isArray(value) || !value.every(isQueueEntry)) {
    return fail({ reason: "unreadable", side, detail: `has no list ${path.join(".")} of queues` });
  }
  return ok(value);
}

function isQueueEntry(value: unknown): value is QueueEntry {
  return typeof value === "object" && value !== null && "queue" in value && typeof value.queue === "string";
}

function toShardNumbers(entries: readonly QueueEntry[]): readonly number[] {
  return entries.flatMap((entry) => toShardNumber(entry) ?? []).toSorted((a, b) => a - b);
}

function toShardNumber(entry: QueueEntry | undefined): number | null {
  const digits = SHARD_QUEUE.exec(entry?.queue ?? "")?.[1];
  return digits === undefined ? null : Number(digits);
}

function toQueueName(shard: number): string {
  return `hopline-clicks-${shard}`;
}
