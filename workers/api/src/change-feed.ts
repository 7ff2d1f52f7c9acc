/**
 * The change feed, one Durable Object for the whole deployment. Publishers append by RPC; isolates read over HTTP, so that a
 * data centre's Cache API can answer.
 *
 * `POST /clock/…` asks the clock of the jobs, which is an instance of its own under CLOCK_NAME: a class of its own would
 * be a migration that no release can be taken back over. What is announced to the clock also wakes the watch over the alert
 * rules, whose alarm is that instance's.
 */
import { DurableObject } from "cloudflare:workers";
import type { Change } from "@hopline/core/feed/change-page";
import type { LinkKey } from "@hopline/core/link/link-address";
import type { AlertWatch } from "./alerts/alert-watch.ts";
import { openAlerts } from "./alerts/open-alerts.ts";
import type { AlertVariables } from "./alerts/tell-operators.ts";
import { type KeptClock, openClock } from "./publishing/keep-clock.ts";
import { type AnnouncedChange, type ChangeLog, openChangeLog } from "./publishing/change-log.ts";
import { createFeedPages, type FeedPages } from "./publishing/feed-pages.ts";

/** A class because the runtime requires one. */
export class ChangeFeed extends DurableObject<ApiEnv & AlertVariables> {
  readonly #log: ChangeLog;
  readonly #pages: FeedPages;
  readonly #clock: KeptClock;
  /** `null`: the operator wants no alerts. */
  readonly #alerts: AlertWatch | null;

  constructor(state: DurableObjectState, env: ApiEnv & AlertVariables) {
    super(state, env);
    this.#log = openChangeLog(state.storage, () => crypto.randomUUID());
    this.#pages = createFeedPages(this.#log);
    this.#clock = openClock(state.storage.kv, Date.now);
    this.#alerts = openAlerts(env, state.storage);
  }

  append(changes: readonly AnnouncedChange[]): void {
    if (this.#log.append(changes, Date.now())) {
      this.#pages.outdate();
    }
  }

  find(key: LinkKey): Change | null {
    return this.#log.find(key);
  }

  /** Names of the rules that fire, asked of the clock; `null`: the operator wants no alerts, so nothing is judged. */
  listAlerts(): readonly string[] | null {
    return this.#alerts?.firing().map(({ name }) => name) ?? null;
  }

  override async alarm(): Promise<void> {
    await this.#alerts?.look(this.#clock.isActive());
  }

  override async fetch(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname.slice(1);
    const [first, ...rest] = path.split("/");
    if (first !== "clock" || request.method !== "POST") {
      return this.#pages.respond(path, Date.now());
    }
    const response = this.#clock.answer(rest, await request.text());
    if (this.#clock.isActive()) {
      await this.#alerts?.wake();
    }
    return response;
  }
}
