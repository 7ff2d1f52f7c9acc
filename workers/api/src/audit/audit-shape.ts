/** The shapes of the audit log in requests and answers. */
import { z } from "@hono/zod-openapi";
import { type EntityKind, parsePublicId, toPublicId } from "../http/entity-id.ts";
import { repeatable } from "../http/query-parameters.ts";
import { plainText } from "../http/text-shape.ts";
import { Instant, toInstant } from "../instant.ts";
import { ActorBody, toActor, toStoredActor } from "./actor.ts";
import type { LogFilter, StoredEntry } from "./audit-store.ts";
import { toPublicFields } from "./public-fields.ts";

/** What the log speaks of, by the first word of an action, with the kind of its ids. */
const RESOURCES: { readonly [resource: string]: EntityKind } = {
  workspace: "ws",
  link: "lnk",
  domain: "dom",
  folder: "fld",
  tag: "tag",
  key: "key",
  member: "mem",
  invitation: "inv",
  person: "per",
  account: "acc",
  session: "ses",
  passkey: "psk",
  webhook: "whk",
};

const KINDS: readonly EntityKind[] = Object.values(RESOURCES);

const ResourceId = z
  .string()
  .max(100)
  .transform((id, context) => {
    const found = KINDS.map((kind) => parsePublicId(kind, id)).find((uuid) => uuid !== null);
    if (found === undefined) {
      context.addIssue("is not the id of anything in the log");
    }
    return found ?? z.NEVER;
  })
  .openapi({ type: "string", maxLength: 100, example: "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" });

const anyOf = <Item extends z.ZodType<string>>(item: Item) =>
  repeatable(item, 50)
    .default([])
    .openapi({ type: "array", items: { type: "string" } });

export const AuditFilterQuery = z.object({
  actor: anyOf(plainText(300)).openapi({
    description:
      "Any of these: the id of a person or a key, a type of actor such as `job`, or a JWT's subject as `jwt:<subject>`.",
    example: ["per_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f"],
  }),
  action: anyOf(plainText(100)).openapi({ description: "Any of these.", example: ["link.updated"] }),
  resource: anyOf(ResourceId).openapi({
    description: "The id of what was changed; any of these.",
    example: ["lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f"],
  }),
  from: Instant.optional().openapi({ description: "Not before.", example: "2026-11-01T00:00:00Z" }),
  to: Instant.optional().openapi({ description: "Before.", example: "2026-12-01T00:00:00Z" }),
});

export function toLogFilter({
  actor,
  action,
  resource,
  from,
  to,
}: z.infer<typeof AuditFilterQuery>): LogFilter {
  return { actors: actor.map(toStoredActor), actions: action, resourceIds: resource, from, to };
}

const fields = z.record(z.string(), z.unknown()).nullable();

export const AuditEntryBody = z
  .object({
    id: z.string().openapi({ example: "aud_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    at: z.iso.datetime(),
    actor: ActorBody,
    action: z.string().openapi({
      description:
        "What happened to what: `created`, `updated` or `deleted`, and `link.imported`, `link.restored`, `tag.replaced`, `link.alias_released`, `link.clicks_deleted`, `domain.logo_set`, `domain.logo_removed`, `key.capped`, `link.exported`, `link.looked_up`, `domain.looked_up`, `workspace.limits_set`, `workspace.clicks_exported`, `workspace.log_exported`, `webhook.replayed`, and in one's own log `session.refused`: somebody failed to sign in.",
      example: "link.updated",
    }),
    resource: z.object({
      id: z.string().nullable().openapi({
        description: "`null` for an import: it made many.",
        example: "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f",
      }),
      label: z
        .string()
        .nullable()
        .openapi({ description: "Its name at the time.", example: "go.example.com/spring" }),
    }),
    before: fields.openapi({
      description: "The fields that changed, as they were; `null` if it was created.",
    }),
    after: fields.openapi({
      description: "The same as they are since; `null` if it is gone. A secret that changed is `(secret)`.",
      example: { url: "https://example.com/summer" },
    }),
    requestId: z
      .string()
      .nullable()
      .openapi({ description: "`X-Request-Id` of the request; `null` for a job." }),
  })
  .openapi("AuditEntry");

export type AuditEntry = z.infer<typeof AuditEntryBody>;

export function toEntry(stored: StoredEntry): AuditEntry {
  const kind = RESOURCES[stored.action.split(".")[0] ?? ""];
  return {
    id: toPublicId("aud", stored.id),
    at: toInstant(Number(stored.atUs) / 1_000),
    actor: toActor(stored.actor, stored.actorName),
    action: stored.action,
    resource: {
      id: stored.resourceId === null || kind === undefined ? null : toPublicId(kind, stored.resourceId),
      label: stored.label,
    },
    before: stored.before && toPublicFields(stored.before),
    after: stored.after && toPublicFields(stored.after),
    requestId: stored.requestId,
  };
}
