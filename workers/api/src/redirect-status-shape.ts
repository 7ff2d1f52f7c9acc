/** The shape of a redirect's status. */
import { z } from "@hono/zod-openapi";
import type { RedirectStatus } from "@hopline/core/link/link-record";

const STATUSES = {
  movedPermanently: 301,
  found: 302,
  temporaryRedirect: 307,
  permanentRedirect: 308,
} as const satisfies Record<string, RedirectStatus>;

/** An enum, and not a literal: of a literal with several values, the document's generator knows only the first. */
export const RedirectStatusBody = z.enum(STATUSES);
