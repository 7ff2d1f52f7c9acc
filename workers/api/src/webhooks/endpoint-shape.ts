/** The shapes of webhooks in requests and answers. */
import { CLICK_CLASSES } from "@hopline/analytics/dimension";
import { z } from "@hono/zod-openapi";
import { entityIdParam, type EntityKind, parsePublicId, toPublicId } from "../http/entity-id.ts";
import { invalidField } from "../http/problem.ts";
import { plainText } from "../http/text-shape.ts";
import { toInstant, toInstantOrNull } from "../instant.ts";
import { Tag } from "../link-defaults-shape.ts";
import { MAX_URL_LENGTH } from "./endpoint-url.ts";
import type { EndpointFilter, EndpointStats, StoredEndpoint } from "./endpoint-store.ts";
import { CLICK_EVENTS, type EventName, EVENTS, MODES } from "./event-types.ts";
import { OFF_REASONS } from "./message-shape.ts";

export const WebhookParams = z.object({ webhookId: entityIdParam("whk") });

const MAX_FILTER_VALUES = 100;

const idsOf = (kind: EntityKind, what: string) =>
  z
    .array(
      z.string().transform((id, context) => {
        const uuid = parsePublicId(kind, id);
        if (uuid === null) {
          context.addIssue(
            `is not the id of a ${what}: it looks like ${kind}_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f`,
          );
        }
        return uuid ?? z.NEVER;
      }),
    )
    .min(1)
    .max(MAX_FILTER_VALUES)
    .optional()
    .openapi({ type: "array", items: { type: "string" }, minItems: 1, maxItems: MAX_FILTER_VALUES });

const Filter = z
  .strictObject({
    links: idsOf("lnk", "link"),
    domains: idsOf("dom", "domain"),
    tags: z
      .array(Tag)
      .min(1)
      .max(MAX_FILTER_VALUES)
      .optional()
      .openapi({
        type: "array",
        items: { type: "string" },
        minItems: 1,
        maxItems: MAX_FILTER_VALUES,
        description: "Links with any of these tags, as they are when the event happens.",
      }),
    classes: z
      .array(z.enum(CLICK_CLASSES))
      .min(1)
      .max(CLICK_CLASSES.length)
      .optional()
      .openapi({
        description: "Of clicks; `human` alone if left out.",
        example: ["human"],
      }),
  })
  .openapi({ description: "All of what is given has to match. Domain events only look at `domains`." });

const FilterBody = z.object({
  links: z.array(z.string()).optional(),
  domains: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  classes: z.array(z.enum(CLICK_CLASSES)),
});

const fields = {
  url: z.string().max(MAX_URL_LENGTH).openapi({
    format: "uri",
    description: "A public host, by name, over https.",
    example: "https://hooks.example.com/hopline",
  }),
  events: z
    .array(z.enum(EVENTS))
    .min(1)
    .max(EVENTS.length)
    .openapi({ description: "`click` and `click.summary` exclude each other." }),
  mode: z.enum(MODES).openapi({
    description:
      "Of `click`: one message for each, or those of about a second together, a hundred at most. Sums of a minute are the event `click.summary`. With `each` up to four messages are on their way at once, so a receiver gets four in the time it takes to answer: 200 a second need an answer within 20 ms.",
  }),
  description: plainText(200).nullable(),
};

export const CreateWebhookBody = z
  .strictObject({
    ...fields,
    filter: Filter.optional(),
    mode: fields.mode.default("batch"),
    description: fields.description.default(null),
  })
  .openapi("CreateWebhook");

const shown = {
  id: z.string().openapi({ example: "whk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
  url: z.string(),
  events: z.array(z.enum(EVENTS)),
  filter: FilterBody,
  mode: z.enum(MODES),
  description: z.string().nullable(),
  enabled: z.boolean().openapi({ description: "Events that happen while it is off are not sent later." }),
  disabledAt: z.iso.datetime().nullable(),
  disabledReason: z.enum(OFF_REASONS).nullable().openapi({
    description:
      "`owner`: a member did it. `gone`: it answered 410. `failing`: it accepted nothing for five days.",
  }),
  failingSince: z.iso.datetime().nullable().openapi({
    description: "Nothing was accepted since then. After five days the webhook is switched off.",
  }),
  oldSecretUntil: z.iso.datetime().nullable().openapi({
    description: "Until then messages are also signed with the secret before the last rotation.",
  }),
  version: z
    .number()
    .int()
    .openapi({ description: "Grows with each change of the webhook; its ETag has it, for If-Match." }),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};

export const WebhookBody = z.object(shown).openapi("Webhook");
export const NewWebhookBody = z
  .object({
    ...shown,
    secret: z
      .string()
      .openapi({ description: "What messages are signed with. Shown only once.", example: "whsec_…" }),
  })
  .openapi("NewWebhook");

export const changeableWebhook = z.object({ ...fields, filter: Filter, enabled: z.boolean() }).partial();
/** These change by themselves. */
export const MOVING = [
  "failingSince",
  "disabledAt",
  "disabledReason",
  "oldSecretUntil",
  "version",
  "updatedAt",
];

/** Throws `ProblemError` invalid. */
export function requireOneKindOfClicks(events: readonly EventName[]): void {
  if (CLICK_EVENTS.every((name) => events.includes(name))) {
    throw invalidField("events", "has both click and click.summary: choose one of them");
  }
}

const HUMANS = ["human"] as const;

export function toStoredFilter(filter: z.infer<typeof Filter> = {}): EndpointFilter {
  const { links = null, domains = null, tags = null, classes = HUMANS } = filter;
  return { linkIds: links, domainIds: domains, tags, classes: [...new Set(classes)] };
}

export function toWebhook(stored: StoredEndpoint): z.infer<typeof WebhookBody> {
  const { linkIds, domainIds, tags } = stored;
  const idsOfKind = (kind: EntityKind, ids: readonly string[]) => ids.map((id) => toPublicId(kind, id));
  return {
    id: toPublicId("whk", stored.id),
    url: stored.url,
    events: EVENTS.filter((name) => stored.events.includes(name)),
    filter: {
      ...(linkIds === null ? {} : { links: idsOfKind("lnk", linkIds) }),
      ...(domainIds === null ? {} : { domains: idsOfKind("dom", domainIds) }),
      ...(tags === null ? {} : { tags: [...tags] }),
      classes: CLICK_CLASSES.filter((name) => stored.classes.includes(name)),
    },
    mode: stored.mode,
    description: stored.description,
    enabled: stored.offSinceMs === null,
    disabledAt: toInstantOrNull(stored.offSinceMs),
    disabledReason: stored.offReason,
    failingSince: toInstantOrNull(stored.failingSinceMs),
    oldSecretUntil: toInstantOrNull(stored.oldSecretUntilMs),
    version: stored.version,
    createdAt: toInstant(stored.createdAtMs),
    updatedAt: toInstant(stored.updatedAtMs),
  };
}

export const StatsBody = z
  .object({
    clicks: z
      .object({
        matched: z.number().int(),
        delivered: z.number().int(),
        waiting: z.number().int(),
        givenUp: z.number().int(),
      })
      .openapi({
        description:
          "Since the webhook was created: those that matched are delivered, waiting or given up. A replay takes what it sends again back to `waiting`.",
      }),
    waiting: z.object({
      deliveries: z.number().int(),
      oldestAt: z.iso.datetime().nullable(),
    }),
    failingSince: z.iso.datetime().nullable(),
    lastAcceptedAt: z.iso.datetime().nullable(),
  })
  .openapi("WebhookStats");

export function toStats(stats: EndpointStats): z.infer<typeof StatsBody> {
  const { matched, delivered, waiting, givenUp } = stats;
  return {
    clicks: { matched, delivered, waiting, givenUp },
    waiting: { deliveries: stats.waitingDeliveries, oldestAt: toInstantOrNull(stats.oldestWaitingMs) },
    failingSince: toInstantOrNull(stats.failingSinceMs),
    lastAcceptedAt: toInstantOrNull(stats.succeededAtMs),
  };
}
