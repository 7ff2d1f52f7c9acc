/** The shapes of short domains in requests and answers. */
import { z } from "@hono/zod-openapi";
import { MAX_DESTINATION_LENGTH } from "@hopline/core/link/destination-url";
import { REDIRECT_STATUSES } from "@hopline/core/link/link-record";
import { entityIdParam, toPublicId } from "../http/entity-id.ts";
import { plainText } from "../http/text-shape.ts";
import { toInstant } from "../instant.ts";
import type { StoredDomain } from "./domain-store.ts";

const MAX_HOST_LENGTH = 253;
const MAX_TITLE_LENGTH = 100;

export const DomainParams = z.object({ domainId: entityIdParam("dom") });

export const DeleteDomainQuery = z.strictObject({
  links: z.enum(["true", "false"]).default("false").openapi({ description: "Delete its links as well." }),
});

/** Normalised to the form in a request's URL: lower case, punycode, no default port. */
const Host = z
  .string()
  .max(MAX_HOST_LENGTH)
  .transform((text, context) => {
    const host = /^[^\s/?#@\\%]+$/.test(text) ? (URL.parse(`https://${text}`)?.host ?? "") : "";
    if (!/^[a-z0-9._-]+(?::\d{1,5})?$/.test(host) || host.length > MAX_HOST_LENGTH) {
      context.addIssue("is not a host name: leave out scheme and path, as in go.example.com");
      return z.NEVER;
    }
    return host;
  })
  .openapi({ type: "string", example: "go.example.com" });

/** A URL that a domain redirects to. change-domain.ts checks it. */
const DomainUrl = z
  .string()
  .max(MAX_DESTINATION_LENGTH)
  .openapi({ type: "string", format: "uri", maxLength: MAX_DESTINATION_LENGTH });

const settingFields = {
  rootUrl: DomainUrl.nullable().openapi({ description: "Where `/` redirects." }),
  notFoundUrl: DomainUrl.nullable().openapi({
    description: "Where an unknown link redirects; a 404 page without it.",
  }),
  endedUrl: DomainUrl.nullable().openapi({
    description: "Where an ended link without a fallback of its own redirects; a 410 page without it.",
  }),
  ignoresCase: z.boolean().openapi({
    description:
      "Slugs are stored in lower case and found in any case. Can't be turned on while a slug has capitals.",
  }),
  redirectStatus: z.literal(REDIRECT_STATUSES).nullable().openapi({
    description: "For links without a status of their own, existing ones included.",
  }),
  title: plainText(MAX_TITLE_LENGTH)
    .min(1)
    .nullable()
    .openapi({ description: "Your name on the domain's pages." }),
  homeUrl: DomainUrl.nullable().openapi({ description: "The link on the domain's pages." }),
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

/** What `domains.settings` holds. Settings that do not have this shape count as none. */
export function readSettings(value: unknown): DomainSettings {
  const parsed = DomainSettings.safeParse({ ...NO_SETTINGS, ...Object(value) });
  return parsed.success ? parsed.data : NO_SETTINGS;
}

export const CreateDomainBody = z.strictObject({ host: Host }).openapi("CreateDomain");

export const UpdateDomainBody = z.strictObject(settingFields).partial().openapi("UpdateDomain", {
  description: "Fields that are left out stay as they are; `null` removes a setting.",
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
