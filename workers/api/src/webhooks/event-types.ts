/** What an endpoint can be told of. */

export const CLICK_EVENTS = ["click", "click.summary"] as const;

/** What an endpoint asks for. Clicks come as `click` or, several in a message, as `click.batch`. */
export const EVENTS = [
  "link.created",
  "link.updated",
  "link.deleted",
  "link.ended",
  "domain.verified",
  "domain.failing",
  "webhook.disabled",
  ...CLICK_EVENTS,
] as const;
export type EventName = (typeof EVENTS)[number];

/** Types of messages. */
export type MessageType = EventName | "click.batch";

export const MODES = ["each", "batch"] as const;
export type ClickMode = (typeof MODES)[number];

/** Clicks of a message, and of a row of the log. */
export const MAX_BATCH_CLICKS = 100;
