/** What the redirect needs of the world, in its own words. The rooms provide it, isolate.ts puts it together. */
import type { ClickDetail } from "@hopline/core/click/click";
import type { ReportedTier } from "@hopline/core/click/edge-report";
import type { MissKind } from "@hopline/core/click/missed-visits";
import type { DomainRecord } from "@hopline/core/link/domain-record";
import type { LinkKey } from "@hopline/core/link/link-address";
import type { LinkRecord } from "@hopline/core/link/link-record";
import type { ReadThrough } from "@hopline/edge-cache/read-through";
import type { Visit } from "@hopline/edge-cache/read-through-ports";
import type { Wait } from "@hopline/edge-cache/with-timeout";
import type { Log } from "./log.ts";

export type RedirectDeps = {
  readonly links: LinkDirectory;
  readonly changes: ChangeFollower;
  readonly misses: MissLimit;
  readonly passwords: PasswordLimit;
  /** SEAL_KEY: the key of unlock cookies is derived from it. */
  readonly secret: string;
  readonly caps: CapClaims;
  readonly clicks: ClickRecorder;
  readonly answers: AnswerCounter;
  /** Answers everything under `/api`. */
  readonly forwardToApi: (request: Request) => Promise<Response>;
  /** How long a visitor waits, whatever for. */
  readonly visitTimeoutMs: number;
  readonly nowMs: () => number;
  readonly wait: Wait;
  readonly log: Log;
};

/** What lies in the tiers under one key space: links, and under a key that no link can have, the settings of domains. */
export type EdgeRecord = LinkRecord | DomainRecord;

/** Finds links by address, and domains by `domainKeyOf` their host, through every tier. */
export type LinkDirectory = ReadThrough<LinkKey, EdgeRecord>;

/** Counts addresses that do not exist, by the network that asks for them. */
export interface MissLimit {
  /** Whether this network has asked for too many of them lately. */
  isRateLimited(network: string | null): boolean;
  /** One more. May reject or hang: then it does not count. */
  charge(network: string | null): Promise<void>;
  /** This network has asked for an address that the database has. */
  credit(network: string | null): void;
}

/** Counts tries of a link's password, by visitor and by link. */
export interface PasswordLimit {
  /** One more try; `null` if it is not allowed. May reject or hang: then it is not. */
  begin(linkId: string, network: string | null): Promise<PasswordTry | null>;
}

/** Call it if the password was wrong. May reject. */
type PasswordTry = () => Promise<void>;

/** Counts the uses of links with a strict cap. */
export interface CapClaims {
  /** Takes one use; false when none is left. Rejects when that can't be known: then the visitor may not be redirected. */
  claim(
    link: Pick<LinkRecord, "linkId" | "version">,
    visit: Pick<Visit, "defer" | "untilMs">,
  ): Promise<boolean>;
}

/** Records the clicks of redirects. Never throws: a click that can't be read or sent is our loss, not the visitor's. */
export interface ClickRecorder {
  record(request: ClickedRequest, facts: ClickFacts): void;
  /** Called by every request that may bring no click: those of others must not wait for the next one that does. */
  sendOverdue(defer: Defer): void;
}

export type ClickedRequest = {
  readonly request: Request;
  readonly method: string;
  readonly headers: Headers;
  readonly query: string;
  readonly visit: { readonly defer: Defer };
};

export type ClickFacts = {
  readonly record: LinkRecord;
  readonly clickedAtMs: number;
  /** What a smart link adds. */
  readonly detail: ClickDetail | null;
};

/** Counts answers, for the metrics. Never throws. */
export interface AnswerCounter {
  /** `tier`: which one knew. `nowMs`: when the answer was there. Both times in epoch milliseconds. */
  count(
    answer: { readonly status: number; readonly tier: ReportedTier; readonly nowMs: number },
    request: {
      readonly request: Request;
      readonly startedAtMs: number;
      readonly visit: { readonly defer: Defer };
    },
  ): void;
  /** A visit for which its domain had no link. `slug`: what was asked for; `null` where no link can have it. */
  countMiss(
    miss: { readonly domainId: string; readonly kind: MissKind; readonly slug: string | null },
    request: { readonly request: Request; readonly visit: { readonly defer: Defer } },
    nowMs: number,
  ): void;
}

export interface ClickShard {
  readonly number: number;
  /** Hands over one segment's text. Rejects when the queue refuses it. */
  send(segmentText: string): Promise<unknown>;
}

/** Keeps a sealed segment that no queue would take, until the consumer's scheduled job fetches it. */
export interface SegmentSpill {
  /** Rejects when it cannot be kept. The same key again replaces, with the same clicks. */
  put(key: string, sealedSegment: string): Promise<void>;
  /** Tells that job. Rejects when the clock can't be reached; the job then finds the segment with its next sweep. */
  announce(): Promise<unknown>;
}

/** Keeps work alive after the response. Platform: ExecutionContext.waitUntil, 30 s at most. */
export type Defer = (work: Promise<unknown>) => void;

/** Polls the change feed, which announces changes before the tiers show them. */
export interface ChangeFollower {
  /**
   * Called once a request. `null`: what the isolate holds may be trusted; a poll that is due happens behind the response.
   * Otherwise wait for it first, 50 ms at most; never rejects.
   */
  poll(nowMs: number, defer: Defer): Promise<boolean> | null;
}
