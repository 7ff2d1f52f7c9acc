/** Asks one tier below the isolate, in its time, and reads what it says. Never rejects. */
import type { ReadThroughCore } from "./read-through-core.ts";
import type { Decoded } from "./read-through-ports.ts";
import { withTimeout } from "./with-timeout.ts";

export type TierSays<V> =
  | {
      readonly kind: "found";
      readonly decoded: Exclude<Decoded<V>, { kind: "rejected" }>;
      readonly text: string;
    }
  | { readonly kind: "missing" }
  /** It holds something that cannot be read. */
  | { readonly kind: "damaged" }
  | { readonly kind: "failed" };

export async function askTier<Key extends string, V>(
  core: ReadThroughCore<Key, V>,
  tier: "kv" | "db",
  key: Key,
): Promise<TierSays<V>> {
  const { limits, emit } = core;
  const isKv = tier === "kv";
  const health = isKv ? core.kvHealth : core.originHealth;
  const timed = await withTimeout<unknown>(
    () => (isKv ? core.kv : core.origin).load(key),
    isKv ? limits.kvTimeoutMs : limits.originTimeoutMs,
    core.wait,
  );
  if (timed.kind !== "done") {
    emit(
      timed.kind === "timed_out"
        ? { event: "timed_out", tier }
        : { event: "load_failed", tier, reason: timed.reason },
    );
    health.failed(core.nowMs());
    return { kind: "failed" };
  }
  health.worked();
  if (timed.value === null) {
    return { kind: "missing" };
  }
  // A binding that is not what it should be may answer anything.
  const text = typeof timed.value === "string" ? timed.value : "";
  const decoding = core.decode(text);
  const decoded = decoding instanceof Promise ? await decoding : decoding;
  if (decoded.kind === "rejected") {
    emit({ event: "record_rejected", tier, field: decoded.field });
    return { kind: "damaged" };
  }
  return { kind: "found", decoded, text };
}
