/** What puts a link back to what it was in a version: a change of everything that an edit can change. Pure. */
import { z } from "@hono/zod-openapi";
import { CAP_MODES } from "@hopline/core/link/link-extras";
import { REDIRECT_STATUSES } from "@hopline/core/link/link-record";
import { toPublicId } from "../http/entity-id.ts";
import type { LinkChange } from "./plan-link-change.ts";
import { readWritten } from "./smart-shape.ts";
import { OWN_STATUSES } from "./store/link-status.ts";

/** By column of `links`; what was null is absent. */
const State = z.object({
  slug: z.string(),
  state: z.enum(OWN_STATUSES),
  redirect_status: z.literal(REDIRECT_STATUSES),
  follows_domain_status: z.boolean(),
  title: z.string().nullable().default(null),
  tags: z.array(z.string()).default([]),
  external_id: z.string().nullable().default(null),
  folder_id: z.string().nullable().default(null),
  smart: z.unknown(),
  starts_at: z.string().nullable().default(null),
  expires_at: z.string().nullable().default(null),
  password: z.object({ iterations: z.number(), salt: z.string(), hash: z.string() }).nullable().default(null),
  cap: z
    .object({ mode: z.enum(CAP_MODES), max_clicks: z.number() })
    .nullable()
    .default(null),
});

export function toRevertedChange(version: {
  readonly destination: string;
  readonly state: unknown;
}): LinkChange {
  const kept = State.parse(version.state);
  const { rules, split, next, expiredUrl, forwardQuery, utm, openGraph, qr } = readWritten(kept.smart);
  return {
    url: version.destination,
    slug: kept.slug,
    state: kept.state,
    redirectStatus: kept.follows_domain_status ? null : kept.redirect_status,
    title: kept.title,
    tags: kept.tags,
    externalId: kept.external_id,
    folder: kept.folder_id && toPublicId("fld", kept.folder_id),
    isFolderOptional: true,
    passwordHash: kept.password,
    smart: {
      rules: rules ?? null,
      split: split ?? null,
      next: next ?? null,
      expiredUrl: expiredUrl ?? null,
      forwardQuery: forwardQuery ?? null,
      utm: utm ?? null,
      openGraph: openGraph ?? null,
      qr: qr ?? null,
      startsAt: kept.starts_at,
      expiresAt: kept.expires_at,
      cap: kept.cap && { mode: kept.cap.mode, maxClicks: kept.cap.max_clicks },
    },
  };
}
