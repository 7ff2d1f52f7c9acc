/**
 * Decides what `pnpm shards N` writes: the queue bindings of the producer and the queue consumers of the consumer, for
 * N shards. Pure: two texts in, two texts out, comments and layout kept.
 *
 * A shard is a pair: binding CLICKS_n with queue hopline-clicks-n at the producer, a consumer of that queue at the
 * other end. Whatever else is in the two lists (a dead-letter queue's consumer, say) stays as it is.
 */
import { fail, ok, type Result } from "@hopline/core/decode/result";

export const MAX_SHARDS = 100;

/** An entry of either list: an object without objects in it. */
const SHARD_ENTRY = /\{[^{}]*"queue":\s*"hopline-clicks-(\d+)"[^{}]*\}/g;

export type ShardConfigs = { readonly producer: string; readonly consumer: string };
export type ShardFault = {
  readonly reason: "unreadable";
  readonly side: keyof ShardConfigs;
  readonly detail: string;
};

/** Both configurations for `count` shards; a new shard gets the settings of shard 0. */
export function planShards(configs: ShardConfigs, count: number): Result<ShardConfigs, ShardFault> {
  const producer = resizeList(configs.producer, count);
  const consumer = resizeList(configs.consumer, count);
  if (!producer.ok) {
    return fail({ reason: "unreadable", side: "producer", detail: producer.error });
  }
  return consumer.ok
    ? ok({ producer: producer.value, consumer: consumer.value })
    : fail({ reason: "unreadable", side: "consumer", detail: consumer.error });
}

/** Of a message: what a queue takes, less room for bursts (docs/scaling.md). */
const SEGMENTS_A_SECOND = 3_500;
/** What fills a batch: `max_batch_size` in `max_batch_timeout` seconds. */
const FULL_BATCH = { segments: 100, seconds: 2 };

/** What so many shards carry, and from when on their batches are full, for the operator who chooses the number. */
export function adviseShards(count: number): string {
  const format = (value: number) => value.toLocaleString("en-US");
  const [most, full] = [count * SEGMENTS_A_SECOND, (count * FULL_BATCH.segments) / FULL_BATCH.seconds];
  return `They carry ${format(most)} segments a second. Below ${format(full)} a second their batches are not full: with 50 segments in a batch a click costs Postgres twice as much as with 500, with 5 six times. Take as few as carry your peak.`;
}

/** The numbers of the shards in a configuration, in the order of the file. */
export function readShards(config: string): readonly number[] {
  return [...config.matchAll(SHARD_ENTRY)].map(([, shard]) => Number(shard));
}

function resizeList(config: string, count: number): Result<string, string> {
  const found = [...config.matchAll(SHARD_ENTRY)];
  const [first] = found;
  const last = found.at(-1);
  const entries = new Map(found.map(([entry, shard]) => [Number(shard), entry]));
  const model = entries.get(0);
  if (first === undefined || last === undefined || model === undefined) {
    return fail("does not have hopline-clicks-0, the model of every shard");
  }
  const end = last.index + last[0].length;
  const between = config.slice(first.index, end).replaceAll(SHARD_ENTRY, "");
  if (/[^\s,]/.test(between)) {
    return fail("has something else between its shards; move it before the first or after the last one");
  }
  const wanted = Array.from(
    { length: count },
    (_, shard) => entries.get(shard) ?? model.replaceAll(/"(CLICKS_|hopline-clicks-)0"/g, `"$1${shard}"`),
  );
  const indent = /[ \t]*$/.exec(config.slice(0, first.index))?.[0] ?? "";
  return ok(config.slice(0, first.index) + wanted.join(`,\n${indent}`) + config.slice(end));
}
