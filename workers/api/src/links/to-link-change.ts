/** What a PATCH, or an item of many, changes of a link. */
import type { z } from "@hono/zod-openapi";
import type { LinkChange } from "./plan-link-change.ts";
import type { changeable } from "./link-shape.ts";
import { readSmart } from "./smart-shape.ts";
import { isOwnStatus } from "./store/link-status.ts";

/** Only the fields that the request has: exactOptionalPropertyTypes tells an absent field from an undefined one. */
export function toLinkChange(body: z.infer<typeof changeable>): LinkChange {
  const { url, slug, status, redirectStatus, title, tags, externalId, folder } = body;
  const smart = readSmart(body);
  const change = {
    smart,
    url,
    slug,
    state: isOwnStatus(status) ? status : undefined,
    redirectStatus,
    title,
    tags,
    externalId,
    folder,
  };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
