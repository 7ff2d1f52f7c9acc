/**
 * Counts visits for which a domain had no link, between two reports, in a fixed amount of memory: a scan neither fills it nor hides what
 * people ask for. The slugs that are reported are those that were asked for again, and of those that were asked for once a few a minute.
 * It sees no request: only domain, kind and slug.
 *
 * What was asked for again is known from one table of hashes by majority votes (Boyer and Moore, 1981): a slug in a bucket gains a vote
 * each time, loses one to each other slug of the bucket, and leaves without any. The hash is seeded, so that no visitor can choose a bucket.
 */
import {
  isKeptSlug,
  MAX_MISSES_BYTES,
  MISS_KINDS,
  type MissedVisits,
  type MissKind,
} from "@hopline/core/click/missed-visits";
import { hash32 } from "@hopline/core/rules/evaluate/hash32";
import { setLatest } from "@hopline/edge-cache/set-latest";

/** 40 KB. With 100,000 slugs of a scan between two visits to a word, each bucket has lost some twelve votes. */
const BUCKETS = 8_192;

const MAX_DOMAINS = 200;

/** Of a domain, until the next report. */
const MAX_SLUGS = 40;

/** Slugs asked for once, by domain: so many at first, then one a minute. */
const SINGLES = 20;
const SINGLE_EVERY_MS = 60_000;

export interface MissMeter {
  /** `slug`: as links are looked up; `null` where the path can't be one. */
  count(miss: { readonly domainId: string; readonly kind: MissKind; readonly slug: string | null }): void;
  /** What was counted since the last time, as far as it fits into a report; the rest goes with the next. */
  take(nowMs: number): readonly MissedVisits[];
}

type Asked = { visits: number; votes: number };

type Missed = {
  visits: Record<MissKind, number>;
  slugs: Map<string, Asked>;
  singles: number;
  /** 0: never. */
  singlesAtMs: number;
};

/** @param seed any whole number that visitors can't know. */
export function createMissMeter(seed: number): MissMeter {
  const domains = new Map<string, Missed>();
  const hashes = new Uint32Array(BUCKETS);
  const votes = new Uint8Array(BUCKETS);

  function vote(hash: number): number {
    const bucket = hash % BUCKETS;
    const held = votes[bucket] ?? 0;
    if (hashes[bucket] === hash) {
      votes[bucket] = Math.min(held + 1, 255);
      return held + 1;
    }
    votes[bucket] = Math.max(held - 1, 0);
    if (held <= 1) {
      hashes[bucket] = hash;
      votes[bucket] = 1;
    }
    return 1;
  }

  return {
    count({ domainId, kind, slug }) {
      const missed = domains.get(domainId) ?? newMissed();
      if (isEmpty(missed)) {
        // Behind those that wait for the next report.
        setLatest(domains, [domainId, missed], MAX_DOMAINS);
      }
      missed.visits[kind] += 1;
      if (kind === "unknown" && slug !== null && isKeptSlug(slug)) {
        note(missed.slugs, slug, vote(hash32(`${domainId}/${slug}`, seed)));
      }
    },
    take(nowMs) {
      const taken: MissedVisits[] = [];
      let roomBytes = MAX_MISSES_BYTES;
      for (const [domainId, missed] of domains) {
        const { visits, slugs } = missed;
        if (isEmpty(missed)) {
          continue;
        }
        if (roomBytes < DOMAIN_BYTES) {
          break;
        }
        roomBytes -= DOMAIN_BYTES;
        refill(missed, nowMs);
        const most = [...slugs].toSorted(([, left], [, right]) => right.votes - left.votes);
        const reported: (readonly [slug: string, visits: number])[] = [];
        for (const [slug, asked] of most) {
          const bytes = slug.length * BYTES_OF_UNIT + SLUG_BYTES;
          if (bytes > roomBytes || (asked.votes === 1 && missed.singles < 1)) {
            break;
          }
          roomBytes -= bytes;
          missed.singles -= asked.votes === 1 ? 1 : 0;
          reported.push([slug, asked.visits]);
        }
        taken.push([domainId, visits.root, visits.ended, visits.unknown, reported]);
        missed.visits = { root: 0, ended: 0, unknown: 0 };
        missed.slugs = new Map();
      }
      return taken;
    },
  };
}

/** On the wire, at most: a domain with its counts, and what is around a slug with its own. */
const DOMAIN_BYTES = 90;
const SLUG_BYTES = 18;
/** A unit of UTF-16 takes three bytes of UTF-8 at the most. */
const BYTES_OF_UNIT = 3;

function newMissed(): Missed {
  return {
    visits: { root: 0, ended: 0, unknown: 0 },
    slugs: new Map(),
    singles: SINGLES,
    singlesAtMs: 0,
  };
}

function isEmpty({ visits }: Missed): boolean {
  return MISS_KINDS.every((kind) => visits[kind] === 0);
}

function note(slugs: Map<string, Asked>, slug: string, votes: number): void {
  const asked = slugs.get(slug);
  if (asked !== undefined) {
    asked.visits += 1;
    asked.votes = Math.max(asked.votes, votes);
    return;
  }
  if (slugs.size >= MAX_SLUGS) {
    if (votes === 1) {
      return;
    }
    const weakest = [...slugs].reduce((least, one) => (one[1].votes < least[1].votes ? one : least));
    if (weakest[1].votes >= votes) {
      return;
    }
    slugs.delete(weakest[0]);
  }
  slugs.set(slug, { visits: 1, votes });
}

function refill(missed: Missed, nowMs: number): void {
  const sinceMs = missed.singlesAtMs === 0 ? 0 : nowMs - missed.singlesAtMs;
  missed.singles = Math.min(SINGLES, missed.singles + sinceMs / SINGLE_EVERY_MS);
  missed.singlesAtMs = nowMs;
}
