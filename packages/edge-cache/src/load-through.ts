/**
 * One load of one key: KV, then the database, filling the tiers above on the way. Decides what a failure means; never
 * rejects because of a tier.
 */
import { askTier, type TierSays } from "./ask-tier.ts";
import type { CacheEntry } from "./cache-entry.ts";
import { passGate } from "./origin-gate.ts";
import { type Answer, isLastResort, type ReadThroughCore } from "./read-through-core.ts";
import type { Visit } from "./read-through-ports.ts";
import { withTimeout } from "./with-timeout.ts";

type Found<V> = Extract<TierSays<V>, { kind: "found" }>;

/** @param goesOn is called, within the visitor's request, where KV is not enough and the database will be asked. */
export async function loadThrough<Key extends string, V>(
  core: ReadThroughCore<Key, V>,
  key: Key,
  { visit, goesOn }: { readonly visit: Visit; readonly goesOn: () => void },
): Promise<Answer<V>> {
  const published = await askTier(core, "kv", key);
  if (published.kind === "found") {
    const entry = keep(core, key, published);
    if (entry.version === published.decoded.version) {
      return { kind: "found", entry, tier: "kv" };
    }
    if (core.nowMs() < entry.freshUntilMs) {
      return { kind: "found", entry, tier: "isolate" };
    }
    core.emit({ event: "behind", tier: "kv" });
  }
  const held = core.cache.peek(key);
  const nowMs = core.nowMs();
  if (isLastResort(held, nowMs, core.limits) && core.originHealth.isFailing(nowMs)) {
    if (core.originHealth.takeProbe(nowMs)) {
      visit.defer(loadFromOrigin(core, key, { visit, published }));
    }
    return { kind: "found", entry: held, tier: "stale" };
  }
  goesOn();
  return loadFromOrigin(core, key, { visit, published });
}

type OriginLoad<V> = {
  readonly visit: Visit;
  /** What KV said about the key just before. */
  readonly published: TierSays<V>;
};

async function loadFromOrigin<Key extends string, V>(
  core: ReadThroughCore<Key, V>,
  key: Key,
  { visit, published }: OriginLoad<V>,
): Promise<Answer<V>> {
  const pass = await passGate(core, visit, core.cache.peek(key)?.kind === "live");
  if (pass.kind === "refused") {
    return lastResort(core, key) ?? pass;
  }
  const before = core.cache.peek(key);
  const stored = await askTier(core, "db", key);
  core.originSlots.release(pass.slot);
  if (stored.kind === "missing") {
    return { kind: "found", entry: keepAbsence(core, key, before), tier: "db" };
  }
  if (stored.kind !== "found") {
    return lastResort(core, key) ?? { kind: "unavailable" };
  }
  if (pass.isCharged) {
    core.absentQueries.giveBack();
  }
  // Only where KV said that it has nothing of use: what it merely failed to say may be newer than this.
  if (published.kind === "missing" || published.kind === "damaged") {
    fillKv(core, key, { visit, text: stored.text });
  }
  return { kind: "found", entry: keep(core, key, stored), tier: "db" };
}

function lastResort<Key extends string, V>(core: ReadThroughCore<Key, V>, key: Key): Answer<V> | null {
  const held = core.cache.peek(key);
  return isLastResort(held, core.nowMs(), core.limits) ? { kind: "found", entry: held, tier: "stale" } : null;
}

/** Puts what a tier said into the isolate. The entry that wins may be a newer one that was there. */
function keep<Key extends string, V>(
  { cache, emit }: ReadThroughCore<Key, V>,
  key: Key,
  { decoded }: Found<V>,
): CacheEntry<V> {
  const { version } = decoded;
  const entry =
    decoded.kind === "live"
      ? cache.put({
          key: flatten(key),
          value: decoded.value,
          version,
          costBytes: key.length * 2 + decoded.costBytes,
        })
      : cache.putNegative({ key: flatten(key), version, costBytes: key.length * 2 });
  if (entry.version === version) {
    emit({ event: "filled", tier: "isolate" });
  }
  return entry;
}

/** The database itself says that nothing is there: that ends what was held before it was asked, of any version. */
function keepAbsence<Key extends string, V>(
  { cache, emit }: ReadThroughCore<Key, V>,
  key: Key,
  before: CacheEntry<V> | undefined,
): CacheEntry<V> {
  if (before !== undefined && cache.peek(key) === before) {
    cache.delete(key);
  }
  const entry = cache.putNegative({ key: flatten(key), version: 0, costBytes: key.length * 2 });
  if (entry.version === 0) {
    emit({ event: "filled", tier: "isolate" });
  }
  return entry;
}

function fillKv<Key extends string, V>(
  core: ReadThroughCore<Key, V>,
  key: Key,
  { visit, text }: { readonly visit: Visit; readonly text: string },
): void {
  if (core.recentFills.note(flatten(key), core.nowMs())) {
    visit.defer(writeKv(core, key, text));
  }
}

async function writeKv<Key extends string, V>(
  core: ReadThroughCore<Key, V>,
  key: Key,
  text: string,
): Promise<void> {
  const timed = await withTimeout(
    async () => core.kv.fill(key, text),
    core.limits.originTimeoutMs,
    core.wait,
  );
  if (timed.kind === "done") {
    core.emit({ event: "filled", tier: "kv" });
    return;
  }
  const reason = timed.kind === "failed" ? timed.reason : "TimeoutError";
  core.emit({ event: "fill_failed", tier: "kv", reason });
}

/**
 * The same text on its own feet. A key is put together from cuts of a request's URL, and V8 keeps the whole URL (up to
 * 16 KB) alive behind a cut; matching a pattern makes one flat copy. Measured with URLs of 8 KB: 87 MB for 10,000 keys,
 * 5 MB with this.
 */
function flatten<Key extends string>(key: Key): Key {
  ANY_PATTERN.test(key);
  return key;
}

const ANY_PATTERN = /^$/;
