/**
 * Where a segment waits that no queue would take: one KV key a segment, in the namespace SPILL. The value is the
 * sealed text of the segment. Written by the producer, drained by the consumer's scheduled job.
 */

/** Prefix of every key, so that a list finds the segments and nothing else. */
export const SPILL_KEY_PREFIX = "spill/";

/** Digits of the largest safe integer: keys of one isolate list in the order of their numbers. */
const SEQUENCE_DIGITS = 16;

/** The key of a segment. The same segment always has the same key, so that spilling it twice is spilling it once. */
export function spillKeyOf(isolateId: string, firstSequence: number): string {
  return `${SPILL_KEY_PREFIX}${isolateId}/${String(firstSequence).padStart(SEQUENCE_DIGITS, "0")}`;
}
