/** What the API's operations are built with: its ports and the deployment's settings. */
import type { Database } from "./database.ts";
import type { CustomHostnames } from "./domains/custom-hostnames.ts";
import type { PointingSettings } from "./domains/pointing.ts";
import type { LookUpTexts } from "./domains/dns-over-https.ts";
import type { VouchedSuffixes } from "./domains/vouched-suffixes.ts";
import type { WorkClock } from "@hopline/db/work/ask-clock";
import type { AccessSettings } from "./http/access-settings.ts";
import type { NetworkLimits } from "./http/network-limits.ts";
import type { Assets } from "./http/reference-page.ts";
import type { Turns } from "./in-turn.ts";
import type { Log } from "./log.ts";
import type { ChangeSink, EdgeStore } from "./publishing/edge-ports.ts";
import type { PeopleDeps } from "./people/people-deps.ts";
import type { Publisher } from "./publishing/publish-changes.ts";
import type { WebhookDeps } from "./webhooks/webhook-deps.ts";

export type ApiDeps = {
  readonly database: Database;
  readonly publisher: Publisher;
  readonly clock: Pick<WorkClock, "announce">;
  readonly kv: EdgeStore;
  readonly feed: ChangeSink;
  readonly assets: Assets;
  readonly access: AccessSettings;
  readonly networkLimits: NetworkLimits;
  readonly appSchemes: AppSchemes;
  readonly vouchedSuffixes: VouchedSuffixes;
  readonly lookUpTexts: LookUpTexts;
  readonly pointing: PointingSettings;
  /** `null`: the deployment has none. */
  readonly customHostnames: CustomHostnames | null;
  /** `null`: no person can sign in. */
  readonly people: PeopleDeps | null;
  readonly webhooks: WebhookDeps;
  /** Opens /api/metrics; with an empty one, nothing does. */
  readonly metricsToken: string;
  /** Parts of the configuration that are incomplete and therefore off. */
  readonly faults: readonly string[];
  /** Names of the alert rules that fire; `null`: nothing is judged. Rejects when that can't be known. */
  readonly listAlerts: () => Promise<readonly string[] | null>;
  readonly live: LiveSettings;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly wait: (ms: number) => Promise<unknown>;
  /** Of those who change the same link or domain. */
  readonly turns: Turns;
  /** Goes on behind the response with what never rejects. */
  readonly waitUntil: (promise: Promise<unknown>) => void;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly log: Log;
};

/** The schemes besides http and https that links may have, from APP_SCHEMES. Lower case, without colon. */
export type AppSchemes = ReadonlySet<string>;

export type LiveSettings = {
  /** A stream reads the database this often: one request each time. */
  readonly pollMs: number;
  /** A connection ends after this. Polling every 2 s, a minute stays under the free plan's 50 subrequests. */
  readonly maxStreamMs: number;
  /** Open at the same time in a workspace. */
  readonly maxStreams: number;
};
