/**
 * Looks a link up: isolate, then KV, then Postgres; what a lower tier knew fills the upper ones. A tier that fails is
 * passed over, and what the isolate knew before, however old, is better than no answer.
 */
import type { LinkKey } from "@hopline/core/link-address";
import { decodeLinkRecord, type LinkRecord } from "@hopline/core/link-record";
import { fail, ok, type Result } from "@hopline/core/result";
import type { CacheEntry } from "@hopline/edge-cache/cache-entry";
import type { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import { type Log, nameOfError } from "./log.ts";
import type {
  Defer,
  FillableLinkTier,
  FoundLink,
  LinkDirectory,
  LinkTier,
  LookupFailure,
  Tier,
} from "./ports.ts";

export type LinkDirectoryDeps = {
  readonly isolate: IsolateCache<LinkRecord>;
  readonly kv: FillableLinkTier;
  readonly origin: LinkTier;
  readonly defer: Defer;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
};

type Loaded = { readonly record: LinkRecord; readonly text: string } | null;

export function createLinkDirectory(deps: LinkDirectoryDeps): LinkDirectory {
  return { find: (key) => find(key, deps) };
}

async function find(key: LinkKey, deps: LinkDirectoryDeps): Promise<Result<FoundLink, LookupFailure>> {
  const held = deps.isolate.get(key);
  if (held !== undefined && deps.nowMs() < held.freshUntilMs) {
    return ok(toFound(held, "isolate"));
  }
  const published = await load("kv", key, deps);
  if (published.ok && published.value !== null) {
    return ok(toFound(keep(key, published.value.record, deps), "kv"));
  }
  const stored = await load("db", key, deps);
  if (!stored.ok) {
    return held === undefined ? fail({ reason: "origin_unavailable" }) : ok(toFound(held, "isolate"));
  }
  if (stored.value === null) {
    deps.isolate.delete(key);
    deps.isolate.putNegative({ key, version: 0, costBytes: key.length * 2 });
    return ok({ record: null, tier: "db" });
  }
  const { record, text } = stored.value;
  deps.defer(fillKv(key, text, deps));
  return ok(toFound(keep(key, record, deps), "db"));
}

async function load(tier: "kv" | "db", key: LinkKey, deps: LinkDirectoryDeps): Promise<Result<Loaded, null>> {
  try {
    const text = await (tier === "kv" ? deps.kv : deps.origin).load(key);
    if (text === null) {
      return ok(null);
    }
    const record = decodeLinkRecord(text);
    if (record.ok) {
      return ok({ record: record.value, text });
    }
    deps.log({ event: "link.record_rejected", tier, field: record.error.field });
  } catch (error) {
    deps.log({ event: "link.load_failed", tier, reason: nameOfError(error) });
  }
  return fail(null);
}

async function fillKv(key: LinkKey, text: string, deps: LinkDirectoryDeps): Promise<void> {
  try {
    await deps.kv.fill(key, text);
  } catch (error) {
    deps.log({ event: "link.fill_failed", tier: "kv", reason: nameOfError(error) });
  }
}

function keep(key: LinkKey, record: LinkRecord, { isolate }: LinkDirectoryDeps): CacheEntry<LinkRecord> {
  const { version } = record;
  if (record.state === "deleted") {
    return isolate.putNegative({ key, version, costBytes: key.length * 2 });
  }
  return isolate.put({ key, value: record, version, costBytes: (key.length + record.url.length) * 2 });
}

function toFound(entry: CacheEntry<LinkRecord>, tier: Tier): FoundLink {
  return entry.kind === "live"
    ? { record: entry.value, tier }
    : { record: null, tier: tier === "isolate" ? "negative" : tier };
}
