/** Short domains as the API shows and takes them. */
import { z } from "@hono/zod-openapi";
import { MAX_DESTINATION_LENGTH } from "@hopline/core/link/destination-url";
import { REDIRECT_STATUSES } from "@hopline/core/link/link-record";
import { entityIdParam, toPublicId } from "../http/entity-id.ts";
import { toInstant } from "../http/instant.ts";
import type { StoredDomain } from "./domain-store.ts";
import { plainText } from "../http/text-shape.ts";

const MAX_HOST_LENGTH = 253;
const MAX_TITLE_LENGTH = 100;

export const DomainParams = z.object({ domainId: entityIdParam("dom") });

/** Brought to the form in which a request's URL names it: lower case, punycode, no default port. */
const Host = z
  .string()
  .max(MAX_HOST_LENGTH)
  .transform((text, context) => {
    const host = /^[^\s/?#@\\%]+$/.test(text) ? (URL.parse(`https://${text}`)?.host ?? "") : "";
    if (!/^[a-z0-9._-]+(?::\d{1,5})?$/.test(host) || host.length > MAX_HOST_LENGTH) {
      context.addIssue("Give a host name alone, without scheme and path: go.example.com");
      return z.NEVER;
    }
    return host;
  })
  .openapi({ type: "string", example: "go.example.com" });

/** A URL that a domain leads to. Checked in change-domain.ts, as it was written here. */
const DomainUrl = z
  .string()
  .max(MAX_DESTINATION_LENGTH)
  .openapi({ type: "string", format: "uri", maxLength: MAX_DESTINATION_LENGTH });

const settingFields = {
  rootUrl: DomainUrl.nullable().openapi({ description: "Where `/` leads." }),
  notFoundUrl: DomainUrl.nullable().openapi({ description: "Where an unknown link leads; else a 404 page." }),
  endedUrl: DomainUrl.nullable().openapi({
    description: "Where an ended link without a fallback of its own leads; else a 410 page.",
  }),
  ignoresCase: z.boolean().openapi({
    description:
      "Slugs are kept in lower case and found in any. Can't be turned on while a link's slug is not in lower case.",
  }),
  redirectStatus: z.literal(REDIRECT_STATUSES).nullable().openapi({
    description:
      "Of links that name none, those that are there already included: the first 250 of them at once, the others within minutes, about 900 in each.",
  }),
  title: plainText(MAX_TITLE_LENGTH).min(1).nullable().openapi({ description: "Your name on its pages." }),
  homeUrl: DomainUrl.nullable().openapi({ description: "The link on its pages." }),
};

export const DomainSettings = z.object(settingFields);
export type DomainSettings = z.infer<typeof DomainSettings>;

const NO_SETTINGS: DomainSettings = {
  rootUrl: null,
  notFoundUrl: null,
  endedUrl: null,
  ignoresCase: false,
  redirectStatus: null,
  title: null,
  homeUrl: null,
};

/** What `domains.settings` holds; one that is not ours counts as none. */
export function readSettings(value: unknown): DomainSettings {
  const parsed = DomainSettings.safeParse({ ...NO_SETTINGS, ...Object(value) });
  return parsed.success ? parsed.data : NO_SETTINGS;
}

export const CreateDomainBody = z.strictObject({ host: Host }).openapi("CreateDomain");

export const UpdateDomainBody = z.strictObject(settingFields).partial().openapi("UpdateDomain", {
  description: "Fields that are left out stay as they are; `null` takes one away.",
});

export type UpdateDomain = z.infer<typeof UpdateDomainBody>;

export const DomainBody = z
  .object({
    id: z.string().openapi({ example: "dom_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    host: z.string(),
    rootUrl: z.string().nullable(),
    notFoundUrl: z.string().nullable(),
    endedUrl: z.string().nullable(),
    ignoresCase: z.boolean(),
    redirectStatus: z.number().int().nullable(),
    title: z.string().nullable(),
    homeUrl: z.string().nullable(),
    createdAt: z.iso.datetime(),
  })
  .openapi("Domain");

export function toDomain(stored: StoredDomain) {
  return {
    id: toPublicId("dom", stored.id),
    host: stored.host,
    ...readSettings(stored.settings),
    createdAt: toInstant(stored.createdAtMs),
  };
}
