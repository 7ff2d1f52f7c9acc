/**
 * The change feed, one Durable Object for the whole deployment. Publishers append by RPC; isolates read over HTTP, so that a
 * data centre's Cache API can answer.
 *
 * `POST /clock/…` asks the clock of the jobs, which is an instance of its own under CLOCK_NAME: a class of its own would
 * be a migration that no release can be taken back over.
 */
import { DurableObject } from "cloudflare:workers";
import type { Change } from "@hopline/core/feed/change-page";
import type { LinkKey } from "@hopline/core/link/link-address";
import { type KeptClock, openClock } from "./keep-clock.ts";
import { type AnnouncedChange, type ChangeLog, openChangeLog } from "./change-log.ts";
import { createFeedPages, type FeedPages } from "./feed-pages.ts";

/** A class because the runtime requires one. */
export class ChangeFeed extends DurableObject<ApiEnv> {
  readonly #log: ChangeLog;
  readonly #pages: FeedPages;
  readonly #clock: KeptClock;

  constructor(state: DurableObjectState, env: ApiEnv) {
    super(state, env);
    this.#log = openChangeLog(state.storage, () => crypto.randomUUID());
    this.#pages = createFeedPages(this.#log);
    this.#clock = openClock(state.storage.kv, Date.now);
  }

  append(changes: readonly AnnouncedChange[]): void {
    if (this.#log.append(changes, Date.now())) {
      this.#pages.outdate();
    }
  }

  find(key: LinkKey): Change | null {
    return this.#log.find(key);
  }

  override async fetch(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname.slice(1);
    const [first, ...rest] = path.split("/");
    return first === "clock" && request.method === "POST"
      ? this.#clock.answer(rest, await request.text())
      : this.#pages.respond(path, Date.now());
  }
}
