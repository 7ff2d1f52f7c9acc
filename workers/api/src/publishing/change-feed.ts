/**
 * The change feed, one Durable Object for the whole deployment. Publishers append by RPC; isolates read over HTTP, so that a
 * data centre's Cache API can answer.
 */
import { DurableObject } from "cloudflare:workers";
import type { Change } from "@hopline/core/feed/change-page";
import type { LinkKey } from "@hopline/core/link/link-address";
import { type AnnouncedChange, type ChangeLog, openChangeLog } from "./change-log.ts";
import { createFeedPages, type FeedPages } from "./feed-pages.ts";

/** A class because the runtime requires one. */
export class ChangeFeed extends DurableObject<ApiEnv> {
  readonly #log: ChangeLog;
  readonly #pages: FeedPages;

  constructor(state: DurableObjectState, env: ApiEnv) {
    super(state, env);
    this.#log = openChangeLog(state.storage, () => crypto.randomUUID());
    this.#pages = createFeedPages(this.#log);
  }

  append(changes: readonly AnnouncedChange[]): void {
    if (this.#log.append(changes, Date.now())) {
      this.#pages.outdate();
    }
  }

  find(key: LinkKey): Change | null {
    return this.#log.find(key);
  }

  override fetch(request: Request): Response {
    return this.#pages.respond(new URL(request.url).pathname.slice(1), Date.now());
  }
}
