/** Events, states and faults of webhooks in people's words. Pure. */
import type { Webhook, WebhookDelivery } from "@hopline/client/openapi";

export type EventName = Webhook["events"][number];

/** Those that are no clicks, in groups. */
export const EVENT_GROUPS = [
  { label: "Links", events: ["link.created", "link.updated", "link.deleted", "link.ended"] },
  { label: "Domains", events: ["domain.verified", "domain.failing"] },
  { label: "Webhooks", events: ["webhook.disabled"] },
] as const satisfies readonly { readonly label: string; readonly events: readonly EventName[] }[];

export const TYPE_NAMES: { readonly [type in WebhookDelivery["type"]]: string } = {
  "link.created": "Link created",
  "link.updated": "Link edited",
  "link.deleted": "Link deleted",
  "link.ended": "Link expired or used up",
  "domain.verified": "Domain verified",
  "domain.failing": "Domain record missing",
  "webhook.disabled": "Another webhook switched off",
  click: "Clicks",
  "click.batch": "Clicks, in batches",
  "click.summary": "Per-minute counts",
};

/** What a webhook does now, with the look of its mark. */
export function stateOf({ enabled, failingSince, disabledReason }: Webhook): {
  readonly kind: "good" | "warn" | "bad";
  readonly label: string;
} {
  if (!enabled) {
    return { kind: "bad", label: disabledReason === "owner" ? "Off" : "Switched off" };
  }
  return failingSince === null ? { kind: "good", label: "On" } : { kind: "warn", label: "Failing" };
}

export const OFF_REASONS = {
  owner: "Someone in this workspace switched it off.",
  gone: "Its receiver answered 410: it wants no more messages.",
  failing: "Its receiver accepted nothing for five days.",
} as const satisfies { readonly [reason in NonNullable<Webhook["disabledReason"]>]: string };

/** Beside a secret that is shown. */
export const SECRET_ADVICE = "Messages are signed with it: keep it where your receiver reads it.";

const FAULTS: { readonly [error: string]: string } = {
  timeout: "no answer within 10 seconds",
  unreachable: "the receiver can't be reached",
  redirect: "a redirect, which is not followed",
  status: "not accepted",
  "too-large": "its answer was too long",
  deleted: "what it was about is gone",
  disabled: "the webhook was switched off",
  late: "it expired before it could be sent",
};

/** `500, not accepted`; `204` where it was accepted. */
export function describeAnswer(status: number | null, error: string | null): string {
  const fault = error === null ? "" : (FAULTS[error] ?? error);
  return [status === null ? "" : String(status), fault].filter((part) => part !== "").join(", ");
}

export const STATES = {
  waiting: { kind: "warn", label: "Waiting" },
  delivered: { kind: "good", label: "Delivered" },
  "given-up": { kind: "bad", label: "Failed" },
} as const satisfies {
  readonly [state in WebhookDelivery["state"]]: { readonly kind: string; readonly label: string };
};
export type DeliveryState = keyof typeof STATES;

/** `84 ms`, `2.4 s`. */
export function formatTook(durationMs: number): string {
  return durationMs < 1_000 ? `${durationMs} ms` : `${(durationMs / 1_000).toFixed(1)} s`;
}

export const CLICK_NAMES = {
  none: "None",
  batch: "In batches",
  each: "One by one",
  summary: "Per-minute counts",
} as const;

export const ABOUT_CLICKS = {
  none: "No message about clicks.",
  batch: "Up to 100 clicks per message, about once a second.",
  each: "A message for each click.",
  summary: "Once a minute, how many clicks each link had.",
} as const;
