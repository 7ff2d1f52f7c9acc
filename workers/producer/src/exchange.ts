/** One request and what is needed to answer it: handed from step to step of a redirect. */
import type { LinkKey } from "@hopline/core/link/link-address";
import type { Visit } from "@hopline/edge-cache/read-through-ports";
import type { Log } from "./log.ts";
import type {
  AnswerCounter,
  CapClaims,
  ChangeFollower,
  ClickSink,
  LinkDirectory,
  MissLimit,
  PasswordLimit,
} from "./ports.ts";

export type RedirectDeps = {
  readonly links: LinkDirectory;
  readonly changes: ChangeFollower;
  readonly misses: MissLimit;
  readonly passwords: PasswordLimit;
  /** SEAL_KEY: the key of unlock cookies is derived from it. */
  readonly secret: string;
  readonly caps: CapClaims;
  readonly clicks: ClickSink;
  readonly answers: AnswerCounter;
  /** Answers everything under `/api`. */
  readonly forwardToApi: (request: Request) => Promise<Response>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
};

export type Exchange = {
  readonly request: Request;
  /** The request's, read once: each look into a request costs a tenth of a microsecond. */
  readonly method: string;
  readonly headers: Headers;
  readonly host: string;
  /** As asked for, from `/`. */
  readonly path: string;
  /** Raw, without its `?`. */
  readonly query: string;
  readonly deps: RedirectDeps;
  readonly visit: Visit;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
};

/** An exchange about a slug. */
export type LinkExchange = Exchange & { readonly slug: string; readonly key: LinkKey };
