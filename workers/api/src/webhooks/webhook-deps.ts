/** What webhooks need besides the database. */
import type { SecretSeal } from "./sealed-secrets.ts";
import type { Fetch } from "./send-message.ts";
import type { UrlRules } from "./endpoint-url.ts";

export type WebhookDeps = {
  /** Reaches receivers. */
  readonly fetch: Fetch;
  readonly urlRules: UrlRules;
  /** Rejects for a WEBHOOK_SEAL_KEY that is none. Called for each request: workerd does not let requests share a promise. */
  readonly secretSeal: () => Promise<SecretSeal>;
  /**
   * Has deliveries sent in a second: after a change of links or domains, if a webhook of the workspace listens to those; `null`: in
   * any case. Returns at once, never throws.
   */
  readonly wakeUp: (workspaceId: string | null) => void;
};
