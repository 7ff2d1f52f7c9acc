/**
 * Errors of the API: one body (RFC 9457, application/problem+json) and a closed set of codes. `detail` says what is wrong and
 * what to do about it, and nothing about the inside of the system. `type` is the address of a page about the code
 * (problem-page.ts).
 */
import type { z } from "@hono/zod-openapi";

export const PROBLEMS = {
  body_malformed: {
    status: 400,
    title: "Malformed body",
    detail: "The body is missing, or not valid JSON: send one, or correct its syntax.",
  },
  workspace_missing: {
    status: 400,
    title: "No workspace",
    detail:
      "This request needs a workspace: send Hopline-Workspace: ws_…, or ?workspace=ws_… with a GET. GET /api/v1/workspaces lists yours.",
  },
  key_missing: {
    status: 401,
    title: "Missing API key",
    detail:
      "There is no API key: send Authorization: Bearer hop_…, or sign in on the application's own pages.",
  },
  key_invalid: {
    status: 401,
    title: "Invalid API key",
    detail:
      "This API key is unknown, revoked or expired, or this session has ended: use another key, or sign in again.",
  },
  sign_in_failed: {
    status: 401,
    title: "Sign-in failed",
    detail: "The email address or the password is wrong: correct them, or ask for a link by email.",
  },
  token_invalid: {
    status: 401,
    title: "Invalid link",
    detail: "This link was used before, is too old, or is incomplete: ask for a new one.",
  },
  sign_in_interrupted: {
    status: 401,
    title: "Sign-in interrupted",
    detail: "This sign-in was finished before, took too long, or began in another browser: start again.",
  },
  passkey_refused: {
    status: 401,
    title: "Passkey refused",
    detail: "This passkey was not accepted, or took too long: start again, or sign in another way.",
  },
  provider_refused: {
    status: 401,
    title: "Refused by the provider",
    detail: "The identity provider did not sign you in: start again, or sign in another way.",
  },
  metrics_token_wrong: {
    status: 401,
    title: "Wrong metrics token",
    detail: "The deployment's METRICS_TOKEN is missing or wrong: send Authorization: Bearer …",
  },
  limit_reached: {
    status: 402,
    title: "Limit reached",
    detail:
      "This workspace has used up what its operator lets it use: see /api/v1/usage, delete links, wait for the next month, or ask for more.",
  },
  scope_missing: {
    status: 403,
    title: "Missing scope",
    detail:
      "This API key lacks the scope, or this person the role, that the request needs: use a key that has it, or ask an owner of the workspace.",
  },
  out_of_bounds: {
    status: 403,
    title: "Out of bounds",
    detail:
      "This API key or member may do something with some links only, and this is about the whole workspace: use a key without bounds, or ask an owner of the workspace.",
  },
  workspace_mismatch: {
    status: 403,
    title: "Another workspace",
    detail:
      "The request names two different workspaces, or one that is not its key's: name one; with a key, leave it out.",
  },
  origin_refused: {
    status: 403,
    title: "Wrong origin",
    detail: "This is only for the application's own pages: send its Origin.",
  },
  sign_in_again: {
    status: 403,
    title: "Sign in again",
    detail:
      "This takes a session that began within the last fifteen minutes: sign in again, then repeat the request.",
  },
  email_unverified: {
    status: 403,
    title: "Address not verified",
    detail:
      "The identity provider does not say that your email address is verified: verify it there, or sign in another way.",
  },
  sign_up_closed: {
    status: 403,
    title: "Sign-up closed",
    detail: "This deployment does not let visitors make an account: ask its operator for one.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    detail: "Nothing was found here, or this key may not see it: check the address.",
  },
  workspace_not_found: {
    status: 404,
    title: "No such workspace",
    detail:
      "There is no such workspace, or you are not a member (any more): GET /api/v1/workspaces lists yours.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    detail: "This path does not have this method: use one of those in Allow.",
  },
  slug_taken: {
    status: 409,
    title: "Slug taken",
    detail:
      "Another link on this domain has this slug, also if it is in the trash: choose another one, or destroy that link.",
  },
  sign_in_first: {
    status: 409,
    title: "Sign in first",
    detail: "There is an account with this address already: sign in to it, then open the invitation again.",
  },
  already_set_up: {
    status: 409,
    title: "Already set up",
    detail: "This deployment has an owner already: sign in, or ask them for an invitation.",
  },
  already_member: {
    status: 409,
    title: "Already a member",
    detail: "This person is in the workspace already: change their role instead.",
  },
  last_owner: {
    status: 409,
    title: "Last owner",
    detail: "A workspace needs an owner: make another member one first, or delete the workspace.",
  },
  sole_owner: {
    status: 409,
    title: "Only owner",
    detail:
      "You are the only owner of the workspaces that `errors` lists: make another member an owner there, or delete them.",
  },
  last_sign_in_method: {
    status: 409,
    title: "Last way to sign in",
    detail: "Without this you could not sign in any more: add a passkey or set a password first.",
  },
  external_id_taken: {
    status: 409,
    title: "External id taken",
    detail: "Another link of this workspace has this external id: choose another one.",
  },
  folder_taken: {
    status: 409,
    title: "Folder name taken",
    detail: "Another folder of this workspace has this name: choose another one.",
  },
  tag_taken: {
    status: 409,
    title: "Tag taken",
    detail:
      "This workspace has a tag with this name: choose another one, or send `merge: true` to give the links of both to that one.",
  },
  tags_busy: {
    status: 409,
    title: "Tags are being changed",
    detail:
      "The links of a tag that was renamed, merged or deleted are still being changed: try again in a minute.",
  },
  domain_taken: {
    status: 409,
    title: "Domain taken",
    detail:
      "This workspace has the host already, or another one has proved it or is giving it up: choose another one, or try again in some minutes.",
  },
  domain_pending: {
    status: 409,
    title: "Domain not proved",
    detail:
      "The domain is not proved yet: add the TXT record that `errors` names to its DNS, then POST to its /verify.",
  },
  alias_in_use: {
    status: 409,
    title: "Alias in use",
    detail: "People came through this alias in the last 30 days: `errors` says how many and when.",
  },
  domain_in_use: {
    status: 409,
    title: "Domain in use",
    detail: "There are links on this domain: delete them first, or all of them with links=true.",
  },
  too_many_webhooks: {
    status: 409,
    title: "Too many webhooks",
    detail: "This workspace has as many webhooks as it may have: delete one first.",
  },
  webhook_disabled: {
    status: 409,
    title: "Webhook disabled",
    detail: "The webhook is switched off: switch it on first.",
  },
  idempotency_in_progress: {
    status: 409,
    title: "Request in progress",
    detail: "A request with this Idempotency-Key is still in progress: try again in a moment.",
  },
  idempotency_secret: {
    status: 409,
    title: "Secret shown before",
    detail:
      "This request succeeded before, and its answer held a secret that is shown only once: if you have lost it, create another.",
  },
  version_mismatch: {
    status: 412,
    title: "Version mismatch",
    detail: "It has changed since the version in If-Match: read it again.",
  },
  body_too_large: {
    status: 413,
    title: "Body too large",
    detail: "The body is too large: send at most 1 MB, or what the operation's description allows.",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    detail:
      "The body has an unsupported type: send application/json; an import may also be text/csv or application/x-ndjson, and a logo is image/png.",
  },
  invalid: {
    status: 422,
    title: "Invalid request",
    detail: "Some fields or parameters are not valid: correct those that `errors` lists.",
  },
  no_domain: {
    status: 422,
    title: "No such domain",
    detail: "This workspace has no such domain: add it, or leave the field out.",
  },
  cursor_invalid: {
    status: 422,
    title: "Invalid cursor",
    detail: "This cursor does not belong to this list in this order: start with the first page.",
  },
  query_too_wide: {
    status: 422,
    title: "Question too wide",
    detail: "This question takes too long to answer: narrow it as `errors` suggests.",
  },
  idempotency_mismatch: {
    status: 422,
    title: "Idempotency key reused",
    detail: "This Idempotency-Key was used for a different request: use a new one.",
  },
  loop: {
    status: 422,
    title: "Redirect loop",
    detail: "The destination is a short domain and could lead back here: choose another one.",
  },
  not_done: {
    status: 424,
    title: "Not done",
    detail: "Nothing is wrong with this item, but another one failed and `atomic` was set: correct that one.",
  },
  too_many_streams: {
    status: 429,
    title: "Too many live streams",
    detail: "This workspace has too many live streams open: close one, or try again in a minute.",
  },
  rate_limited: {
    status: 429,
    title: "Too many requests",
    detail: "Too many requests: wait as long as Retry-After says.",
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    detail: "Something failed on our side and was logged: try again later.",
  },
  sessions_unavailable: {
    status: 503,
    title: "Sessions unavailable",
    detail: "The identity provider's keys can't be fetched right now: try again shortly.",
  },
  busy: {
    status: 503,
    title: "Busy",
    detail: "Many others are changing this at the same moment: try again shortly.",
  },
  database_unavailable: {
    status: 503,
    title: "Database unavailable",
    detail: "The database can't be reached right now: try again shortly.",
  },
  provider_unavailable: {
    status: 503,
    title: "Provider unavailable",
    detail: "The identity provider can't be reached right now: try again shortly, or sign in another way.",
  },
  email_unavailable: {
    status: 501,
    title: "No email",
    detail: "This deployment can't send email: its operator has to set that up.",
  },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

/** One invalid field: `path` as in the body (`rules[2].when.country`), `message` for people. */
export type FieldError = { readonly path: string; readonly message: string };

/** Thrown by an operation or by the frame to answer with a problem; the application's error handler renders it. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[];
  /** Of the answer, besides those that its status asks for. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    errors: readonly FieldError[] = [],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code);
    this.name = "ProblemError";
    this.code = code;
    this.errors = errors;
    this.headers = headers;
  }
}

/** The problem of one field that is not valid. */
export function invalidField(path: string, message: string): ProblemError {
  return new ProblemError("invalid", [{ path, message }]);
}

/** What a schema found wrong. */
export function toFieldErrors(error: {
  readonly issues: readonly z.core.$ZodIssue[];
}): readonly FieldError[] {
  return error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key, index) =>
          index < MAX_ERRORS ? { path: toFieldPath([...issue.path, key]), message: UNKNOWN_FIELD } : UNNAMED,
        )
      : [{ path: toFieldPath(issue.path), message: issue.message }],
  );
}

/** Of one item of a list, so that the answer about a whole list stays readable. */
const MAX_ERRORS_OF_ITEM = 3;

/** The first faults of one item; the last of them says how many more there are. */
export function toItemErrors(error: Parameters<typeof toFieldErrors>[0]): readonly FieldError[] {
  const all = toFieldErrors(error);
  const more = all.length - MAX_ERRORS_OF_ITEM;
  return all
    .slice(0, MAX_ERRORS_OF_ITEM)
    .map(cut)
    .map(({ path, message }, index) => ({
      path,
      message: more > 0 && index === MAX_ERRORS_OF_ITEM - 1 ? `${message}; and ${more} more faults` : message,
    }));
}

/** Of the faults of all items together, as JSON. */
const MAX_LENGTH_OF_LIST = 400_000;

/** Leaves faults out where those of earlier items fill the answer: each item keeps its code. */
export function createFaultBudget() {
  let left = MAX_LENGTH_OF_LIST;
  return (errors: readonly FieldError[]): readonly FieldError[] => {
    left -= new TextEncoder().encode(JSON.stringify(errors)).byteLength;
    return left < 0 ? [] : errors;
  };
}

/** A field's name is the caller's, and may be as long as the body; a message may name a value. */
const MAX_PATH_CHARACTERS = 200;
const MAX_MESSAGE_CHARACTERS = 300;

function cut({ path, message }: FieldError): FieldError {
  return { path: cutText(path, MAX_PATH_CHARACTERS), message: cutText(message, MAX_MESSAGE_CHARACTERS) };
}

function cutText(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

const UNKNOWN_FIELD = "is not a field here: correct its name, or leave it out";
/** Only counted. */
const UNNAMED: FieldError = { path: "", message: UNKNOWN_FIELD };

/** `rules[2].when.country` */
function toFieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`,
    )
    .join("");
}

/** How long a client should wait before it retries after an outage or a request in progress, in seconds. */
const RETRY_AFTER_SECONDS = 5;

/** Of the request that is answered. */
export type Asked = { readonly url: string; readonly requestId: string };

export type Problem = {
  readonly code: ProblemCode;
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
};

export const PROBLEM_TYPE = "application/problem+json";
export const PROBLEMS_PATH = "/api/problems";

export function toProblemBody({ code, errors = [] }: Problem, { url, requestId }: Asked) {
  const { status, title, detail } = PROBLEMS[code];
  return {
    type: new URL(`${PROBLEMS_PATH}/${code}`, url).href,
    title,
    status,
    detail: code === "invalid" && errors.length > 0 ? describe(errors) : detail,
    code,
    requestId,
    ...(errors.length > 0 ? { errors: errors.slice(0, MAX_ERRORS).map(cut) } : {}),
  };
}

/** `detail` says how many there are: 1 MB can hold a hundred thousand faults. */
const MAX_ERRORS = 20;
const MAX_DESCRIBED = 3;

/** `slug is taken: choose another one` */
function describe(errors: readonly FieldError[]): string {
  const described = errors
    .slice(0, MAX_DESCRIBED)
    .map(cut)
    .map(({ path, message }) => `${path} ${message}`.trim());
  const more = errors.length - described.length;
  return described.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

export function toProblemResponse(problem: Problem, asked: Asked): Response {
  const { status } = PROBLEMS[problem.code];
  const headers = new Headers({ "content-type": PROBLEM_TYPE, "cache-control": "no-store" });
  if (status === 401) {
    headers.set("www-authenticate", "Bearer");
  }
  if (status === 503 || problem.code === "idempotency_in_progress") {
    headers.set("retry-after", String(RETRY_AFTER_SECONDS));
  }
  for (const [name, value] of Object.entries(problem.headers ?? {})) {
    headers.set(name, value);
  }
  return new Response(JSON.stringify(toProblemBody(problem, asked)), { status, headers });
}
