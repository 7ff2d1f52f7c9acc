/**
 * Errors of the API: one body (RFC 9457, application/problem+json), a closed set of codes. What a code means and how
 * to get past it stands in `title`; nothing of the inside of the system does.
 */

export const PROBLEMS = {
  body_malformed: { status: 400, title: "The body is not valid JSON." },
  key_missing: { status: 401, title: "Send an API key: Authorization: Bearer hop_…" },
  key_invalid: { status: 401, title: "This API key is unknown, revoked or expired." },
  metrics_token_wrong: {
    status: 401,
    title: "Send the deployment's METRICS_TOKEN: Authorization: Bearer …",
  },
  scope_missing: { status: 403, title: "This API key lacks the scope that the request needs." },
  not_found: { status: 404, title: "There is nothing here that this key may see." },
  method_not_allowed: {
    status: 405,
    title: "There is something at this path, and not with this method: Allow lists those that it takes.",
  },
  slug_taken: { status: 409, title: "Another link on this domain has this slug." },
  external_id_taken: { status: 409, title: "Another link of this workspace has this external id." },
  domain_taken: { status: 409, title: "This host is in use already, here or in another workspace." },
  domain_in_use: { status: 409, title: "There are links on this domain: delete or move them first." },
  idempotency_in_progress: {
    status: 409,
    title: "A request with this Idempotency-Key is at work: ask again in a moment.",
  },
  idempotency_secret: {
    status: 409,
    title: "This request was done; its answer held a secret, which is shown once and kept nowhere.",
  },
  version_mismatch: { status: 412, title: "The link has changed since If-Match's version: read it again." },
  body_too_large: {
    status: 413,
    title: "The body is larger than this route takes (1 MB, unless it says otherwise).",
  },
  unsupported_media_type: {
    status: 415,
    title: "Send the body as application/json; an import may also be text/csv or application/x-ndjson.",
  },
  invalid: { status: 422, title: "Some fields are not acceptable; `errors` names them." },
  no_domain: { status: 422, title: "This workspace has no such short domain." },
  cursor_invalid: {
    status: 422,
    title: "This cursor is not of this list, with this order. Start from the first page.",
  },
  query_too_wide: {
    status: 422,
    title: "This question takes too long to answer; `errors` says how to narrow it.",
  },
  idempotency_mismatch: { status: 422, title: "This Idempotency-Key was used for another request." },
  loop: { status: 422, title: "The destination is a short domain, and could lead back here." },
  not_done: { status: 424, title: "Nothing was wrong with this one, but all or nothing was asked for." },
  too_many_streams: {
    status: 429,
    title: "This workspace has as many live streams open as it may: close one, or try again in a minute.",
  },
  rate_limited: { status: 429, title: "Too many requests with this key; Retry-After says when to go on." },
  internal_error: { status: 500, title: "Something broke on our side. It has been noted." },
  sessions_unavailable: { status: 503, title: "The identity provider's keys can't be fetched right now." },
  database_unavailable: { status: 503, title: "The database can't be reached right now. Try again shortly." },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

/** One unacceptable field: `path` as in the body (`rules[2].when.country`), `message` for a person. */
export type FieldError = { readonly path: string; readonly message: string };

/** Thrown by a route to answer with a problem; the application's error handler renders it. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[];

  constructor(code: ProblemCode, errors: readonly FieldError[] = []) {
    super(code);
    this.name = "ProblemError";
    this.code = code;
    this.errors = errors;
  }
}

/** `rules[2].when.country` */
export function toFieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`,
    )
    .join("");
}

/** How long a client should wait before it asks again after an outage or a running request, in seconds. */
const RETRY_AFTER_SECONDS = 5;

export function toProblemResponse(code: ProblemCode, errors: readonly FieldError[] = []): Response {
  const { status, title } = PROBLEMS[code];
  const body = { type: `about:blank#${code}`, title, status, code, ...(errors.length > 0 ? { errors } : {}) };
  const headers = new Headers({ "content-type": "application/problem+json", "cache-control": "no-store" });
  if (status === 401) {
    headers.set("www-authenticate", "Bearer");
  }
  if (status === 503 || code === "idempotency_in_progress") {
    headers.set("retry-after", String(RETRY_AFTER_SECONDS));
  }
  return new Response(JSON.stringify(body), { status, headers });
}
