/** What messages hold, for the document's `webhooks` and for samples. */
import { z } from "@hono/zod-openapi";
import { ClickBody } from "../analytics/click-shape.ts";
import { AnnouncedDomainBody } from "../domains/domain-shape.ts";
import { LinkBody } from "../links/link-shape.ts";
import { MAX_BATCH_CLICKS, type MessageType } from "./event-types.ts";

/** Links of one summary. A minute with more is told in several. */
export const MAX_SUMMARY_LINKS = 500;

/** Why an endpoint is off; see webhook_endpoints. */
export const OFF_REASONS = ["owner", "gone", "failing"] as const;
export type OffReason = (typeof OFF_REASONS)[number];

const link = z.object({ link: LinkBody });
const domain = z.object({ domain: AnnouncedDomainBody });

const Summary = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  links: z
    .array(z.object({ linkId: z.string(), clicks: z.number().int() }))
    .max(MAX_SUMMARY_LINKS)
    .openapi({ description: "Links with clicks that became known in that minute." }),
});

const Disabled = z.object({
  webhookId: z.string().openapi({ example: "whk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
  reason: z.enum(OFF_REASONS).openapi({
    description: "`gone`: it answered 410. `failing`: it accepted nothing for five days.",
  }),
});

const DATA = {
  "link.created": link,
  "link.updated": link,
  "link.deleted": link,
  "link.ended": link,
  "domain.verified": domain,
  "domain.failing": domain,
  "webhook.disabled": Disabled,
  click: ClickBody,
  "click.batch": z.object({ clicks: z.array(ClickBody).max(MAX_BATCH_CLICKS) }),
  "click.summary": Summary,
} as const satisfies { readonly [Type in MessageType]: z.ZodType };

const DESCRIPTIONS: { readonly [Type in MessageType]: string } = {
  "link.created": "A link was created or imported.",
  "link.updated": "A link was edited: the link as it is since then.",
  "link.deleted": "A link was deleted: the link as it was.",
  "link.ended": "A link has expired, or its cap is used up.",
  "domain.verified": "A domain was proved.",
  "domain.failing":
    "The record that proves a domain is gone, or has been for so long that the domain is pending again.",
  "webhook.disabled": "Another webhook of the workspace was switched off because it failed.",
  click: "A click, to webhooks with the mode `each`. `webhook-id` is the click's `id`.",
  "click.batch": "Clicks, to webhooks with the mode `batch`: those of about a second, a hundred at most.",
  "click.summary": "Clicks of a minute, by link.",
};

export const MESSAGE_TYPES = Object.keys(DATA) as readonly MessageType[];

export function messageSchema(type: MessageType) {
  return z.object({ type: z.literal(type), timestamp: z.iso.datetime(), data: DATA[type] });
}

const HEADERS = z.object({
  "webhook-id": z.string().openapi({ description: "The same in each attempt. Ignore what you have seen." }),
  "webhook-timestamp": z.string().openapi({ description: "When this attempt was made, epoch seconds." }),
  "webhook-signature": z.string().openapi({
    description:
      "`v1,` and the base64 of HMAC-SHA256 over `<id>.<timestamp>.<body>`; several, separated by spaces, while the secret is rotated.",
  }),
});

/** For `registerWebhook`. */
export function describeMessages() {
  return MESSAGE_TYPES.map((type) => ({
    method: "post" as const,
    path: type,
    summary: DESCRIPTIONS[type],
    tags: ["Webhooks"],
    request: {
      headers: HEADERS,
      body: { required: true, content: { "application/json": { schema: messageSchema(type) } } },
    },
    responses: {
      200: { description: "Any status from 200 to 299 within 10 seconds: the message has arrived." },
      410: { description: "The webhook is switched off." },
    },
  }));
}
