/** What the front door says instead of redirecting. The words and looks of it are in `pages/`, loaded with the first page. */

/** A page's stable name, which programs get in its JSON form, and its status. */
export const STATUS_OF = {
  link_unknown: 404,
  no_slug: 404,
  link_gone: 410,
  link_expired: 410,
  link_used_up: 410,
  link_blocked: 403,
  domain_suspended: 403,
  password_required: 401,
  password_wrong: 401,
  too_many_passwords: 429,
  method_not_allowed: 405,
  too_many_unknown_links: 429,
  origin_unavailable: 503,
  api_unavailable: 503,
  internal_error: 500,
} as const;

export type PageCode = keyof typeof STATUS_OF;

/** No loading, no scripts, no framing. Where a form leads is not limited: its answer is a redirect. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";
