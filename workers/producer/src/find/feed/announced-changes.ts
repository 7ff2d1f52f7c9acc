/**
 * The changes this isolate has heard of, so that a tier that lags behind is noticed: KV may answer a minute-old record, or that
 * there is none, and for as long as it can't be written an older one. That a key changed is remembered for 300,000 changes, what
 * it changed to for as many as cost little.
 */
import { arrivalsKeyOf } from "@hopline/core/feed/arrivals";
import { type Change, FEED_MEMORY_MS } from "@hopline/core/feed/change-page";
import { hashOf, type VersionBlock } from "@hopline/core/feed/version-block";
import type { LinkKey } from "@hopline/core/link/link-address";
import type { Announcements } from "@hopline/edge-cache/read-through-ports";
import { createChangeVersions } from "./change-versions.ts";

/** With the versions, less than 4 MiB. */
const MAX_TEXTS = 512;
const MAX_CHARACTERS = 100_000;

export interface AnnouncedChanges extends Announcements<LinkKey> {
  /** True when it was news: newer than what is known of its key. Each change of the feed is remembered once. */
  remember(change: Change): boolean;
  rememberVersions(block: VersionBlock): void;
  /** Forgets what these keys changed to, not that they did. */
  forgetTexts(isOld: (key: LinkKey) => boolean): void;
  /** Whether a newer version of a held key was announced. */
  isOutdated(key: string, version: number): boolean;
  /** More was announced until `untilMs` than is known: until it has been heard, KV may lack it. */
  expect(untilMs: number): void;
  /** Changes were missed that were announced before `announcedByMs`: KV may lack them for as long as the feed would keep them. */
  doubtKv(announcedByMs: number): void;
  /** All that KV may lack is known from now on. */
  trustKv(): void;
  /** The feed was read, as it was then. Where changes before `missedUntilMs` may be lost, what was announced is forgotten. */
  hear(untilMs: number, missedUntilMs: number): void;
}

export function createAnnouncedChanges(nowMs: () => number): AnnouncedChanges {
  const versions = createChangeVersions();
  const texts = new Map<LinkKey, { readonly version: number; readonly text: string }>();
  let characters = 0;
  let missedAtMs = -Infinity;
  let heardUntilMs = -Infinity;
  let expectedUntilMs = -Infinity;
  let unheardUntilMs = -Infinity;
  const forgetText = (key: LinkKey): void => {
    characters -= texts.get(key)?.text.length ?? 0;
    texts.delete(key);
  };
  const keepText = (key: LinkKey, version: number, text: string): void => {
    texts.set(key, { version, text });
    characters += text.length;
    for (const oldest of texts.keys()) {
      if (texts.size <= MAX_TEXTS && characters <= MAX_CHARACTERS) {
        break;
      }
      forgetText(oldest);
    }
  };
  const versionOf = (key: string): number => versions.find(hashOf(key));
  return {
    remember({ key, version, announcedAtMs, recordText }) {
      const known = versionOf(key);
      if (version < known) {
        return false;
      }
      versions.add({ hash: hashOf(key), version }, announcedAtMs);
      if (version > known || recordText !== null) {
        forgetText(key);
      }
      if (recordText !== null) {
        keepText(key, version, recordText);
      }
      return version > known;
    },
    rememberVersions({ pairs, announcedAtMs }) {
      for (let place = 0; place < pairs.length; place += 2) {
        versions.add({ hash: pairs[place] ?? 0, version: pairs[place + 1] ?? 0 }, announcedAtMs);
      }
    },
    forgetTexts(isOld) {
      [...texts.keys()].filter(isOld).forEach(forgetText);
    },
    newerThan(key, version) {
      const known = versionOf(key);
      if (known <= version) {
        return undefined;
      }
      const kept = texts.get(key);
      // Of what was announced later only the version may be known.
      return kept?.version === known ? kept.text : null;
    },
    versionOf,
    isOutdated: (key, version) => versionOf(key) > version,
    arrivals: (key) => versionOf(arrivalsKeyOf(key.slice(0, key.indexOf("/")))),
    isKvDoubted() {
      const unheardMs = expectedUntilMs > heardUntilMs ? expectedUntilMs : -Infinity;
      return nowMs() - Math.max(missedAtMs, unheardMs, versions.forgottenAtMs()) < FEED_MEMORY_MS;
    },
    expect(untilMs) {
      expectedUntilMs = Math.max(expectedUntilMs, Math.min(untilMs, nowMs()));
    },
    doubtKv(announcedByMs) {
      missedAtMs = Math.max(missedAtMs, announcedByMs);
    },
    trustKv() {
      missedAtMs = -Infinity;
    },
    heardUntilMs: () => heardUntilMs,
    missedUntilMs: () => unheardUntilMs,
    hear(untilMs, missedUntilMs) {
      heardUntilMs = Math.max(heardUntilMs, Math.min(untilMs, nowMs()));
      if (missedUntilMs > unheardUntilMs) {
        unheardUntilMs = missedUntilMs;
        // Announced to the owner of then. That there was a change stays known.
        texts.clear();
        characters = 0;
      }
    },
  };
}
