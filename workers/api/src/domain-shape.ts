/** Short domains as the API shows and takes them. */
import { z } from "@hono/zod-openapi";
import { entityIdParam, toPublicId } from "./entity-id.ts";
import { toInstant } from "./instant.ts";
import type { StoredDomain } from "./store/domain-store.ts";

const MAX_HOST_LENGTH = 253;

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

export const CreateDomainBody = z.strictObject({ host: Host }).openapi("CreateDomain");

export const DomainBody = z
  .object({
    id: z.string().openapi({ example: "dom_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }),
    host: z.string(),
    createdAt: z.iso.datetime(),
  })
  .openapi("Domain");

export function toDomain(stored: StoredDomain) {
  return {
    id: toPublicId("dom", stored.id),
    host: stored.host,
    createdAt: toInstant(stored.createdAtMs),
  };
}
