/**
 * The change feed, one Durable Object for the whole deployment. Publishers append by RPC; isolates read over HTTP, so that a
 * data centre's Cache API can answer.
 *
 * `GET /head` is the newest page, fresh for a second. `GET /<feed id>/<block>` is a block, which never changes once it is
 * full. `POST /clock/…` asks the clock of the jobs, which is an instance of its own under CLOCK_NAME: a class of its own would
 * be a migration that no release can be taken back over.
 */
import { DurableObject } from "cloudflare:workers";
import {
  type Change,
  CHANGES_PER_BLOCK,
  encodeChangePage,
  MADE_AT_HEADER,
} from "@hopline/core/feed/change-page";
import type { LinkKey } from "@hopline/core/link/link-address";
import { type KeptClock, openClock } from "../jobs/keep-clock.ts";
import { type AnnouncedChange, type ChangeLog, openChangeLog } from "./change-log.ts";

const HEAD_MAX_AGE_SECONDS = 1;
const BLOCK_MAX_AGE_SECONDS = 60;

/** A class because the runtime requires one. */
export class ChangeFeed extends DurableObject<ApiEnv> {
  readonly #log: ChangeLog;
  readonly #clock: KeptClock;
  /** The encoded head, until the next change: three hundred data centres read it every second. */
  #head: { readonly text: string; readonly tag: string } | null = null;

  constructor(state: DurableObjectState, env: ApiEnv) {
    super(state, env);
    this.#log = openChangeLog(state.storage, () => crypto.randomUUID());
    this.#clock = openClock(state.storage.kv, Date.now);
  }

  append(changes: readonly AnnouncedChange[]): void {
    if (this.#log.append(changes, Date.now())) {
      this.#head = null;
    }
  }

  find(key: LinkKey): Change | null {
    return this.#log.find(key);
  }

  override async fetch(request: Request): Promise<Response> {
    const [first = "", second = "", ...rest] = new URL(request.url).pathname.slice(1).split("/");
    if (first === "clock" && request.method === "POST") {
      return this.#clock.answer([second, ...rest], await request.text());
    }
    return first === "head" ? this.#respondHead() : this.#respondBlock(first, second);
  }

  #respondHead(): Response {
    if (this.#head === null) {
      const page = this.#log.readHead();
      this.#head = { text: encodeChangePage(page), tag: `"${page.feedId}-${page.last}"` };
    }
    return respond(this.#head.text, HEAD_MAX_AGE_SECONDS, { etag: this.#head.tag });
  }

  #respondBlock(feedId: string, block: string): Response {
    const page = /^\d{1,15}$/.test(block) ? this.#log.readBlock(Number(block)) : null;
    if (page === null || page.feedId !== feedId) {
      return new Response(null, { status: 404, headers: { "cache-control": "no-store" } });
    }
    const isFull = page.changes.length === CHANGES_PER_BLOCK;
    return respond(encodeChangePage(page), isFull ? BLOCK_MAX_AGE_SECONDS : HEAD_MAX_AGE_SECONDS, {});
  }
}

function respond(text: string, maxAgeSeconds: number, headers: Readonly<Record<string, string>>): Response {
  return new Response(text, {
    headers: {
      "content-type": "application/json",
      "cache-control": `max-age=${maxAgeSeconds}`,
      [MADE_AT_HEADER]: String(Date.now()),
      ...headers,
    },
  });
}
