/**
 * Whether visitors got what they may get. The truth is read from tables that people write (links, domains), never from what is
 * published. An older answer is excused only for as long as ARCHITECTURE.md says: three seconds after the feed took the change in, where
 * the feed works and the isolate has traffic or the feed is near; two minutes after KV took it in; longer only while KV and the database
 * both fail. An absence is never what was last known.
 */
import { HANGS_MS } from "../platform/kv.ts";
import type { Weather } from "../platform/network.ts";
import type { Row } from "../platform/postgres.ts";

/** What a visitor gets: a destination, or the number of the answer. Of a split, any of those that a state has. */
export type Shown = string;

const shows = (state: { readonly shown: string }, shown: Shown): boolean =>
  state.shown.split(" ").includes(shown);

type State = {
  readonly atMs: number;
  readonly shown: Shown;
  readonly causes: readonly Cause[];
  /** If it has a cap. */
  readonly link: string | null;
  /** An edit says of a fast cap that it is used up before its end is published. */
  isUsedUp: boolean;
};
type Cause = { readonly key: string; readonly version: number };

/** Of these addresses, and of each link that is used up: it may have another address since, or none, and not every isolate knows. */
export const TRUTH = `
  SELECT a.host, a.slug, a.version::int AS version, d.version::int AS domain_version, f.version::int AS files, l.id AS link, a.link_id AS capped,
    CASE WHEN l.id IS NULL OR owner.deleted_at IS NOT NULL OR owner.proof = 'pending' OR l.state = 'deleted' THEN '404'
      WHEN l.state <> 'live' OR (c.mode = 'fast' AND c.published_used_up) THEN '410' WHEN l.password IS NOT NULL THEN '401'
      ELSE coalesce((SELECT string_agg(variant ->> 'url', ' ') FROM jsonb_array_elements(l.smart -> 'split') AS variant), l.url)
    END AS shown,
    CASE c.mode WHEN 'strict' THEN c.max_clicks::int END AS cap, c.used >= c.max_clicks AS is_used_up
  FROM addresses a
    LEFT JOIN addresses d ON d.host = a.host AND d.slug = '@'
    LEFT JOIN addresses f ON f.host = a.host AND f.slug = '*'
    LEFT JOIN links l ON l.id = a.link_id AND a.ended_at IS NULL
    LEFT JOIN domains owner ON owner.id = l.domain_id
    LEFT JOIN link_caps c ON c.link_id = a.link_id
  WHERE a.host || '/' || a.slug = ANY ($1) OR (c.mode = 'strict' AND c.used >= c.max_clicks)`;

export const OWNERS = `
  SELECT host, name FROM domains JOIN workspaces ON workspaces.id = workspace_id
  WHERE domains.deleted_at IS NULL AND proof <> 'pending'`;

/** 99 of 100 isolates hear of an edit within two seconds, and all of them within three (feed-at-scale.test.ts). */
const FEED_MS = 3_000;
const SOON_MS = 2_000;
/** An isolate that found the feed failing asks again after as long at most. */
const BACK_OFF_MS = 30_000;
/** From there on a visitor may be the first for two seconds, who does not wait for the feed. */
const NEAR_MS = 50;
/** An isolate whose visits are no further apart has traffic: it polls the feed, however far away, and may lose one read of it. */
const TRAFFIC_MS = 1_000;
const POLLED_MS = 4_000;
/** A data centre's copy of what KV had, and what an isolate holds of it. */
const COPY_MS = 60_000;
const KV_MS = 2 * COPY_MS;
/** A statement, from the first visitor who waits for it to its time-out. */
const STATEMENT_MS = 2_000;
/** An isolate remembers for ten seconds that a tier failed, and holds what it answered then for a minute. */
const OUTAGE_MS = 10_000 + STATEMENT_MS + COPY_MS;
/** An absence is held for ten seconds, longer by a clock that steps back, from when the database was asked. */
const ABSENCE_MS = 10_000 + STATEMENT_MS + 3_000;
/** The feed keeps what KV may lack. */
const FEED_MEMORY_MS = 300_000;
/** By a clock that was set back, the next statement may not be due for as long. */
const STEP_MS = 2_000;
/** Of clocks that differ, and of a request on its way. */
const MARGIN_MS = 150;

export type Visited = {
  readonly isolate: string;
  readonly key: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly shown: Shown;
  /** Since the isolate's clock stepped; below zero: meanwhile. */
  readonly sinceStepMs?: number;
};

/** `isLate`: of a write that hung. */
type Noted = { readonly version: number; readonly isLate: boolean; readonly atMs: number };
/** `firstMs`: of those who came together, before the feed has answered. `beforeMs`: the last one before them. */
type Traffic = Readonly<Record<"sinceMs" | "lastMs" | "firstMs" | "beforeMs", number>>;

export type RedirectCheck = ReturnType<typeof createRedirectCheck>;

export function createRedirectCheck(deps: {
  readonly nowMs: () => number;
  readonly weather: () => Weather;
  readonly feedDistanceMs: number;
}) {
  const states = new Map<string, State[]>();
  const versions = new Map<string, number>();
  /** How many files of links each host has got. */
  const files = new Map<string, number>();
  /** Links with a cap: where they lead, how many were led there, and whether the database says that there were enough. */
  const caps = new Map<
    string,
    { readonly max: number; readonly urls: Set<string>; redirects: number; isUsedUp: boolean }
  >();
  /** By isolate and key: the newest destination that it has shown, as a place in `states`, and when. */
  const newest = new Map<string, { readonly place: number; readonly atMs: number }>();
  /** Visits in the third second after the feed took a change in, and those of them that did not know of it. */
  const third = { visits: 0, late: 0 };
  /** `isFirst`: nobody else had the host before. */
  const owners = new Map<
    string,
    { readonly name: string | null; readonly sinceMs: number; readonly isFirst: boolean }
  >();
  /** By isolate: when the platform last ended a request, and with it a statement that others may have waited for. */
  const cutAtMs = new Map<string, number>();
  /** By isolate: since when it has had traffic without a pause, and its last visitors. */
  const traffic = new Map<string, Traffic>();
  const announced = new Map<string, Noted[]>();
  const written = new Map<string, Noted[]>();
  const note = (notes: typeof announced, key: string, version: number, isLate = false): void => {
    notes.set(key, [...(notes.get(key) ?? []), { version, isLate, atMs: deps.nowMs() }]);
  };
  const firstOf = (notes: typeof announced, { key, version }: Cause): number =>
    notes.get(key)?.find((noted) => noted.version >= version)?.atMs ?? Infinity;

  /** Since when KV has had it without a break: a write that hung may have put an older version over it. */
  function keptSinceMs({ key, version }: Cause): number {
    const notes = written.get(key) ?? [];
    const from = notes.findLastIndex((noted) => noted.isLate && noted.version < version) + 1;
    return notes.slice(from).find((noted) => noted.version >= version)?.atMs ?? Infinity;
  }

  /** Whether KV, or a copy of it, may have an older version than KV has had before. */
  function isPutBack(key: string, startMs: number): boolean {
    const version = Math.max(0, ...(written.get(key) ?? []).map((noted) => noted.version));
    const sinceMs = keptSinceMs({ key, version });
    return sinceMs > firstOf(written, { key, version }) && sinceMs + KV_MS > startMs;
  }

  /** Whether this isolate may answer what it knew last. */
  const isOutage = (startMs: number): boolean =>
    ["kv.read", "database"].every((prefix) => deps.weather().wasThere(prefix, startMs - OUTAGE_MS));

  const isFeedClear = (fromMs: number, untilMs: number): boolean =>
    !["feed", "clock"].some((prefix) => deps.weather().wasThere(prefix, fromMs - BACK_OFF_MS, untilMs));

  /**
   * The first visitor for two seconds waits for one read of the feed, not for two: then KV is doubted, but its answer or the last known one is
   * given where the database fails. For none, where the isolate found the feed failing when it asked last.
   */
  function isNear(toldMs: number, { isolate, startMs }: Visited): boolean {
    const askedMs = traffic.get(isolate)?.beforeMs ?? Infinity;
    const isClear = isFeedClear(Math.min(toldMs, askedMs), startMs);
    const isConfirmed = !deps.weather().wasThere("database", startMs - OUTAGE_MS);
    return isClear && deps.feedDistanceMs * (isConfirmed ? 1 : 2) <= NEAR_MS;
  }

  /** When this isolate has to know what the feed took in then. */
  function heardByMs(toldMs: number, visited: Visited): number {
    const fromMs = Math.max(toldMs, traffic.get(visited.isolate)?.sinceMs ?? Infinity);
    const isPolled = deps.feedDistanceMs < Infinity && isFeedClear(fromMs, fromMs + POLLED_MS);
    return Math.min(
      isNear(toldMs, visited) ? toldMs + FEED_MS : Infinity,
      isPolled ? fromMs + POLLED_MS : Infinity,
    );
  }

  function noteTraffic({ isolate, startMs }: Visited): void {
    const unknown = { sinceMs: startMs, lastMs: Infinity, firstMs: -Infinity, beforeMs: Infinity };
    const { sinceMs, lastMs, firstMs, beforeMs } = traffic.get(isolate) ?? unknown;
    const isTogether = startMs - firstMs <= NEAR_MS;
    traffic.set(isolate, {
      sinceMs: startMs - lastMs > TRAFFIC_MS ? startMs : sinceMs,
      lastMs: startMs,
      firstMs: isTogether ? firstMs : startMs,
      beforeMs: isTogether ? beforeMs : lastMs,
    });
  }

  function noteThird({ causes, shown, link }: State, visited: Visited): void {
    const toldMs = Math.min(...causes.map((cause) => firstOf(announced, cause)));
    const afterMs = visited.startMs - toldMs;
    const isUsedUp = link !== null && visited.shown === "410";
    if (isNear(toldMs, visited) && !isUsedUp && afterMs >= SOON_MS && afterMs < FEED_MS) {
      third.visits += 1;
      third.late += shows({ shown }, visited.shown) ? 0 : 1;
    }
  }

  /** When this isolate has to know that this state has begun. */
  function knownByMs({ causes }: State, visited: Visited): number {
    const { startMs } = visited;
    return Math.min(
      ...causes.map((cause) => {
        const readByMs = isOutage(startMs) ? Infinity : keptSinceMs(cause) + KV_MS;
        return Math.min(heardByMs(firstOf(announced, cause), visited), readByMs);
      }),
      startMs + 1,
    );
  }

  /**
   * Nobody's visitors are led to who had the host before, not even for a moment, whatever fails. Destinations name their owner. Only a
   * write that hangs in KV brings a former record back, if the feed does not say so.
   */
  function judgeOwner(visited: Visited): string | null {
    const { key, startMs, shown } = visited;
    const host = key.split("/")[0] ?? "";
    const owner = owners.get(host);
    const sinceMs = owner?.sinceMs ?? 0;
    const isExcused =
      [key, `${host}/@`].some((of) => isPutBack(of, startMs)) &&
      (deps.weather().wasThere("feed", sinceMs - HANGS_MS) || heardByMs(sinceMs, visited) > startMs);
    const leadsTo = /^https:\/\/dest\.example\/(\w+)/.exec(shown)?.[1];
    return isExcused ||
      owner === undefined ||
      owner.name === null ||
      leadsTo === undefined ||
      owner.sinceMs > startMs ||
      leadsTo === owner.name
      ? null
      : `${key} of ${owner.name} led to ${leadsTo}, who had the host before`;
  }

  /** A link that KV knows goes on while the database fails, unless each of its uses is counted there. */
  function judgeOutage({ isolate, key, startMs, sinceStepMs = Infinity }: Visited): string | null {
    if (sinceStepMs < STEP_MS || (cutAtMs.get(isolate) ?? -Infinity) >= startMs - STATEMENT_MS) {
      return null;
    }
    const fails = (prefix: string): boolean => deps.weather().wasThere(prefix, startMs - STATEMENT_MS);
    const isKnown = keptSinceMs({ key, version: versions.get(key) ?? Infinity }) + COPY_MS <= startMs;
    const isClaimed = states.get(key)?.some(({ link }) => link !== null) === true;
    // Until it has read the feed an isolate has the database confirm what KV says, and forgets it where that has changed.
    const isRead = startMs - (traffic.get(isolate)?.sinceMs ?? 0) >= STATEMENT_MS;
    const isLate = startMs - (states.get(key)?.at(-1)?.atMs ?? 0) < FEED_MEMORY_MS;
    return fails("database") && (fails("kv.read") || !isKnown || isClaimed || (isLate && !isRead))
      ? null
      : `${key} answered 503 although a tier could say`;
  }

  /** An isolate does not lead again to where a key led before what it has shown. What is restored leads where it did. */
  function judgeOrder(visited: Visited): string | null {
    const { isolate, key, startMs, endMs, shown } = visited;
    const known = states.get(key) ?? [];
    const before = newest.get(`${isolate} ${key}`);
    const from = before?.place ?? 0;
    const place = known.findIndex(
      (state, index) => index >= from && shows(state, shown) && state.atMs <= endMs,
    );
    // A deletion that it knows of is as new as an edit.
    const isLink = shown.startsWith("http");
    if (place >= 0 && (isLink || (shown === "404" && before !== undefined))) {
      newest.set(`${isolate} ${key}`, { place, atMs: before?.place === place ? before.atMs : endMs });
    }
    const causes = known[from]?.causes ?? [];
    const isHeard = causes.some((cause) => heardByMs(firstOf(announced, cause), visited) <= startMs);
    // What neither feed nor KV has taken in, an isolate knows from the database alone, and forgets; and what KV has no more.
    const isTold =
      [announced, written].some((notes) => causes.some((cause) => firstOf(notes, cause) <= startMs)) &&
      (isHeard || !isPutBack(key, startMs));
    const isBack = isTold && isLink && place < 0 && known.slice(0, from).some((state) => shows(state, shown));
    return isBack && (before?.atMs ?? endMs) <= startMs ? `${isolate} led ${key} back to ${shown}` : null;
  }

  /** Of a link that had never been there. Where a domain has ended, that is what is known. */
  function judgeAbsence({ key, startMs }: Visited): string | null {
    const afterMs = startMs - (states.get(key)?.[0]?.atMs ?? Infinity);
    const isAbsent =
      afterMs <= ABSENCE_MS + MARGIN_MS || owners.get(key.split("/")[0] ?? "")?.isFirst !== true;
    return isAbsent ? null : `${key} answered 404, although it came ${afterMs} ms before`;
  }

  function noteCap(row: Row, shown: Shown): void {
    if (row["cap"] !== null) {
      const link = String(row["capped"]);
      const unused = { max: Number(row["cap"]), urls: new Set<string>(), redirects: 0, isUsedUp: false };
      const cap = caps.get(link) ?? unused;
      caps.set(link, cap);
      cap.isUsedUp ||= row["is_used_up"] === true;
      if (shown.startsWith("http")) {
        shown.split(" ").forEach((url) => cap.urls.add(url));
      }
    }
  }

  return {
    third,
    noteAnnounced: (key: string, version: number) => note(announced, key, version),
    noteWritten: (key: string, version: number, isLate: boolean) => note(written, key, version, isLate),
    noteCut: (isolate: string) => void cutAtMs.set(isolate, deps.nowMs()),
    /** What this isolate was reading of the feed is lost. */
    noteInterrupted(isolate: string) {
      const known = traffic.get(isolate);
      if (known !== undefined) {
        traffic.set(isolate, { ...known, sinceMs: deps.nowMs() });
      }
    },
    isPutBack: (key: string) => isPutBack(key, deps.nowMs()),
    /** What can be said of the rows alone: no tier could tell two records of one version apart. */
    noteTruth(rows: readonly Row[]): readonly string[] {
      const problems: string[] = [];
      const before = new Map(files);
      for (const row of rows) {
        const key = `${String(row["host"])}/${String(row["slug"])}`;
        const domainKey = `${String(row["host"])}/@`;
        const [version, domainVersion] = [Number(row["version"]), Number(row["domain_version"] ?? 0)];
        const shown = String(row["shown"]);
        const [filesKey, count] = [`${String(row["host"])}/*`, Number(row["files"] ?? 0)];
        files.set(filesKey, count);
        const kept = states.get(key) ?? [];
        states.set(key, kept);
        let state = kept.at(-1);
        if (state?.shown !== shown) {
          const knownDomain = versions.get(`${key} ${domainKey}`) ?? domainVersion;
          const isOfFile = version === 1 && kept.length === 0 && count > (before.get(filesKey) ?? 0);
          const causes = [
            ...(versions.get(key) === version ? [] : [{ key, version }]),
            ...(knownDomain === domainVersion ? [] : [{ key: domainKey, version: domainVersion }]),
            // Of links that are new with a file, only that it came is announced.
            ...(isOfFile ? [{ key: filesKey, version: count }] : []),
          ];
          if (causes.length === 0) {
            problems.push(`${key} was ${String(state?.shown)} and is ${shown} in the same version`);
          }
          const { cap, link: of } = row;
          const link = cap === null || typeof of !== "string" ? null : of;
          state = { atMs: deps.nowMs(), shown, causes, link, isUsedUp: false };
          kept.push(state);
        }
        state.isUsedUp ||= row["is_used_up"] === true;
        noteCap(row, shown);
        versions.set(key, version);
        versions.set(`${key} ${domainKey}`, domainVersion);
      }
      return problems;
    },
    noteOwners(rows: readonly Row[]) {
      const names = new Map(rows.map(({ host, name }) => [String(host), String(name)]));
      for (const host of new Set([...owners.keys(), ...names.keys()])) {
        const name = names.get(host) ?? null;
        if (owners.get(host)?.name !== name) {
          owners.set(host, { name, sinceMs: deps.nowMs(), isFirst: !owners.has(host) });
        }
      }
    },
    /** `null`: the visitor got what is true, or was a moment ago. */
    judge(visited: Visited): string | null {
      const { key, startMs, endMs, shown } = visited;
      noteTraffic(visited);
      for (const [link, cap] of caps) {
        cap.redirects += cap.urls.has(shown) ? 1 : 0;
        if (cap.redirects > cap.max && cap.urls.has(shown)) {
          return `${key} led ${cap.redirects} visitors to ${shown}; the cap of ${link} is ${cap.max}`;
        }
      }
      const wrong = judgeOwner(visited) ?? judgeOrder(visited);
      if (wrong !== null) {
        return wrong;
      }
      if (shown === "503") {
        return judgeOutage(visited);
      }
      const known = states.get(key) ?? [];
      const current = known.findLast(({ atMs }) => atMs <= endMs);
      if (current !== undefined) {
        noteThird(current, visited);
      }
      for (let index = known.length - 1; index >= -1; index -= 1) {
        const state = known[index] ?? {
          atMs: -Infinity,
          shown: "404",
          causes: [],
          link: null,
          isUsedUp: false,
        };
        if (state.atMs > endMs) {
          continue;
        }
        const cap = state.link === null ? undefined : caps.get(state.link);
        // Also by who had not heard of its end: then the database no longer says so.
        const isEnded = state.isUsedUp || (cap !== undefined && (cap.isUsedUp || cap.redirects >= cap.max));
        const isUsedUp = shown === "410" && isEnded;
        if (shows(state, shown) || isUsedUp) {
          return index < 0 ? judgeAbsence(visited) : null;
        }
        if (index >= 0 && knownByMs(state, visited) + MARGIN_MS < startMs) {
          const agoMs = startMs - state.atMs;
          return `${key} answered ${shown}; for ${agoMs} ms it has been ${state.shown}`;
        }
      }
      return `${key} answered ${shown}, which it never was`;
    },
  };
}
