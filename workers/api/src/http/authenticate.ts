/**
 * Who is calling, what they may do, and how often: resolves the key or session of a request, checks scopes, and enforces
 * the rate limit.
 *
 * Keys are not cached. One statement finds the key and counts the request, so a revoked key is refused with the next
 * request everywhere, and the count is exact across all isolates and data centres. What made-up keys may cost is limited by
 * network, before that statement (network-limits.ts).
 */
import { NO_BOUNDS, type StoredBound } from "@hopline/db/links/bounds";
import { apiKeys } from "@hopline/db/schema";
import { and, eq, sql, type SQL } from "drizzle-orm";
import type { Context, Next } from "hono";
import { createMiddleware } from "hono/factory";
import { resolveBounds } from "./bounds/resolve-bounds.ts";
import type { Database } from "../database.ts";
import type { AccessSettings } from "./access-settings.ts";
import {
  hashApiKey,
  hasScope,
  isApiKey,
  keyIdOf,
  type Principal,
  readBearerToken,
  type Scope,
  SCOPES,
} from "./api-key.ts";
import { FRESH_IDS, type NewIds } from "./new-ids.ts";
import { guardLookUps, type NetworkLimits, readNetwork } from "./network-limits.ts";
import { ProblemError } from "./problem.ts";
import { IMPORT_PATH } from "./request-limits.ts";
import { capScopes, isAtLeast, parseRole, type Role, scopesOf } from "./roles.ts";
import type { Session } from "./session-token.ts";
import type { Sessions, SignedIn } from "./signed-in.ts";
import { readWantedWorkspace, requireOneWorkspace } from "./wanted-workspace.ts";

export type ApiContext = {
  Variables: {
    /** Absent for a person whose request names no workspace, or one that they are not in: then no scope is granted. */
    readonly principal: Principal;
    /** `null` for an API key and a JWT. */
    readonly person: SignedIn | null;
    /** The request has the deployment's METRICS_TOKEN, and neither key nor session (operators/needs-operator.ts). */
    readonly hasMetricsToken?: true;
    /** The request is of `pnpm operators`, and has neither key nor session: the id of its token (operators/operator-token.ts). */
    readonly operatorToken?: string;
    /** For what runs as part of a route. */
    readonly database: Database;
    readonly newIds: NewIds;
    /** Runs what the caller does in their name. */
    readonly actAsCaller: (context: Context<ApiContext>, next: Next) => Promise<unknown>;
    /** `again` does it once more: throws, or sets all of the above anew. */
    readonly authenticated: { readonly atMs: number; readonly again: () => Promise<unknown> };
    /** Of every request, with or without a key. */
    readonly requestId: string;
  };
};

/** Refuses a request whose key lacks the scope, or whose person lacks the role. */
export function requireScope(scope: Scope, leastRole: Role | null) {
  return createMiddleware<ApiContext>(async (context, next) => {
    const person = context.get("person");
    if (person !== null) {
      requireRole(person, leastRole, context.req.raw);
    } else if (!hasScope(context.get("principal"), scope)) {
      throw new ProblemError("scope_missing");
    }
    await next();
  });
}

/** Refuses a request that is not a person's, or whose person lacks the role. `null`: none is needed. */
export function requirePerson(leastRole: Role | null) {
  return createMiddleware<ApiContext>(async (context, next) => {
    const person = context.get("person");
    if (person === null) {
      throw new ProblemError("scope_missing");
    }
    requireRole(person, leastRole, context.req.raw);
    await next();
  });
}

/**
 * Refuses a person whose sign-in is not fresh: an attacker at an open session could keep what it may, or end it. Keys have no
 * sign-in.
 */
export const requireFreshSignIn = createMiddleware<ApiContext>(async (context, next) => {
  requireFresh(context.get("person"));
  await next();
});

/** The same where it depends on the body. */
export function requireFresh(person: SignedIn | null): void {
  if (person?.isFresh === false) {
    throw new ProblemError("sign_in_again");
  }
}

/** A workspace that the caller is not in is answered like one that does not exist. */
function requireRole({ role }: SignedIn, leastRole: Role | null, request: Request): void {
  if (leastRole === null) {
    return;
  }
  if (role === null) {
    const wanted = requireOneWorkspace(readWantedWorkspace(request));
    throw new ProblemError(wanted === null ? "workspace_missing" : "workspace_not_found");
  }
  if (!isAtLeast(role, leastRole)) {
    throw new ProblemError("scope_missing");
  }
}

export type AuthenticateDeps = Pick<AccessSettings, "verifySession" | "requestsPerMinute"> & {
  readonly database: Database;
  readonly networkLimits: NetworkLimits;
  readonly nowMs: () => number;
  readonly waitUntil: (promise: Promise<unknown>) => void;
  /** `null`: no person can sign in. */
  readonly sessions: Sessions | null;
  readonly actAsCaller: ApiContext["Variables"]["actAsCaller"];
};

/** The period of FAILED_KEY_LIMIT in wrangler.jsonc. */
const FAILED_KEYS_RETRY_AFTER_SECONDS = "60";

const REQUESTS_USED_UP = { path: "requests", message: "of this month are used up: people can still sign in" };

/** Sets the request's principal, or answers 401, 402 to a key above the month's limit, or 429 above the rate limit. */
export function authenticate(deps: AuthenticateDeps) {
  const lookUp = guardLookUps(deps.networkLimits.failedKeys, deps.nowMs);
  const identify = async (context: Context<ApiContext>): Promise<Budget> => {
    const authorization = context.req.header("authorization") ?? "";
    // A key without `Bearer` before it is a missing key, not an unknown one: that answer says how to send it.
    const hasKey = /^Bearer /i.test(authorization);
    const sessionToken = hasKey ? null : ((await deps.sessions?.readToken(context.req.raw)) ?? null);
    if (!hasKey && sessionToken === null) {
      throw new ProblemError("key_missing");
    }
    const wanted = readWantedWorkspace(context.req.raw);
    const token = readBearerToken(authorization);
    const network = readNetwork(context.req.raw.headers);
    const find = async () => {
      if (sessionToken !== null && deps.sessions !== null) {
        return countRequest(deps, deps.sessions.select(sessionToken, requireOneWorkspace(wanted)));
      }
      return token === null
        ? null
        : lookUp({ hash: await hashApiKey(token), network }, () => findCaller(token, deps));
    };
    const caller = await find();
    if (caller === null) {
      throw new ProblemError("key_invalid");
    }
    if (caller === "refused") {
      throw new ProblemError("rate_limited", [], { "retry-after": FAILED_KEYS_RETRY_AFTER_SECONDS });
    }
    const own =
      caller.principal?.bounds.map(({ createOnly }) => createOnly?.linksPerMinute ?? Infinity) ?? [];
    const budget = tightestOf(caller, Math.min(deps.requestsPerMinute, ...own), deps.requestsPerMinute);
    if (budget.remaining < 0) {
      throw new ProblemError("rate_limited", [], {
        "retry-after": String(budget.endsInSeconds),
        ...rateHeadersOf(budget),
      });
    }
    if (caller.isOverLimit && caller.person === null) {
      throw new ProblemError("limit_reached", [REQUESTS_USED_UP]);
    }
    const isNamedOwn = wanted.named === null || wanted.named === caller.principal?.workspaceId;
    if (caller.person === null && !isNamedOwn) {
      throw new ProblemError("workspace_mismatch");
    }
    if (caller.principal !== null) {
      context.set("principal", caller.principal);
      if (caller.isUseDue) {
        // Behind the response. Where it fails, the next request does it.
        deps.waitUntil(writeUse(caller.principal, deps.database).catch(() => undefined));
      }
    }
    context.set("person", caller.person);
    context.set("database", deps.database);
    context.set("newIds", FRESH_IDS);
    context.set("actAsCaller", deps.actAsCaller);
    context.set("authenticated", { atMs: deps.nowMs(), again: () => identify(context) });
    return budget;
  };
  return createMiddleware<ApiContext>(async (context, next) => {
    const budget = await identify(context);
    await next();
    for (const [name, value] of Object.entries(rateHeadersOf(budget))) {
      context.res.headers.set(name, value);
    }
  });
}

/** No caller has long to do what they may do no more; and what takes less than this asks nothing twice. */
export const ASK_AGAIN_MS = 1_000;

/**
 * Who sends a body for longer than a moment is asked for again: they may have lost their rights, or their fresh sign-in, since they
 * began. A file is read as it arrives (still-allowed.ts).
 */
export function authenticateSlowBodies(nowMs: AuthenticateDeps["nowMs"]) {
  return createMiddleware<ApiContext>(async (context, next) => {
    const authenticated = context.get("authenticated");
    if (context.req.raw.body !== null && context.req.path !== IMPORT_PATH) {
      await context.req.arrayBuffer();
      if (nowMs() - authenticated.atMs >= ASK_AGAIN_MS) {
        await authenticated.again();
      }
    }
    await next();
  });
}

type Caller = {
  /** `null`: a person who is not in the workspace that they name, or names none. */
  readonly principal: Principal | null;
  readonly person: SignedIn | null;
  /** Of the caller, and of all callers of the workspace together. */
  readonly own: RequestCount;
  readonly workspace: RequestCount;
  /** The workspace has used up its requests of this month. */
  readonly isOverLimit: boolean;
  /** It is a key, and its use has to be written down. */
  readonly isUseDue: boolean;
};

type RequestCount = {
  /** In this window, including this one. */
  readonly requests: number;
  /** Whole seconds until the count starts again, at least 1. */
  readonly endsInSeconds: number;
};

/** A workspace may have many keys and make new ones: all of them together get what five callers get. */
export const CALLERS_PER_WORKSPACE = 5;

type Budget = { readonly limit: number; readonly remaining: number; readonly endsInSeconds: number };

function tightestOf({ own, workspace }: Caller, ownPerMinute: number, requestsPerMinute: number): Budget {
  const toBudget = ({ requests, endsInSeconds }: RequestCount, limit: number) => ({
    limit,
    remaining: limit - requests,
    endsInSeconds,
  });
  const ofOwn = toBudget(own, ownPerMinute);
  const ofWorkspace = toBudget(workspace, requestsPerMinute * CALLERS_PER_WORKSPACE);
  return ofWorkspace.remaining < ofOwn.remaining ? ofWorkspace : ofOwn;
}

async function findCaller(token: string, deps: AuthenticateDeps): Promise<Caller | null> {
  if (isApiKey(token)) {
    return countRequest(deps, selectKey(await hashApiKey(token)));
  }
  const session = deps.verifySession === null ? null : await deps.verifySession(token);
  return session === null ? null : countRequest(deps, selectSession(session), session.endsAtMs);
}

/**
 * The owner of a key that is neither revoked nor expired, nor made while its workspace was being deleted; with the role that its
 * maker has now. A key whose maker is no member any more has no owner.
 */
function selectKey(keyHash: string): SQL {
  return sql`SELECT 'key:' || id AS subject, workspace_id, scopes, expires_at AS keys_until, NULL AS person,
      ${IS_USE_DUE} AS is_use_due, maker_id, maker.role AS maker_role, keys.bounds, maker.bounds AS person_bounds
    FROM api_keys AS keys LEFT JOIN LATERAL (
      SELECT role, bounds FROM members WHERE person_id = maker_id AND members.workspace_id = keys.workspace_id
    ) AS maker ON true
    WHERE key_hash = decode(${keyHash}, 'hex') AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now())
      AND (maker_id IS NULL OR maker.role IS NOT NULL)
      AND EXISTS (SELECT FROM workspaces WHERE id = workspace_id AND deleted_at IS NULL)`;
}

/** A session is short, and a key that it makes must not outlast all memory of it. */
export const SESSION_KEYS_LIVE: SQL = sql`interval '90 days'`;

/** The caller of a verified session; no row when its workspace does not exist. */
function selectSession({ subject, workspaceId, scopes }: Session): SQL {
  return sql`SELECT ${`jwt:${subject}`} AS subject, id AS workspace_id, ${sql.param([...scopes])}::text[] AS scopes,
      now() + ${SESSION_KEYS_LIVE} AS keys_until, NULL AS person, false AS is_use_due,
      NULL::uuid AS maker_id, NULL AS maker_role, NULL::jsonb AS bounds, NULL::jsonb AS person_bounds
    FROM workspaces WHERE id = ${workspaceId}::uuid AND deleted_at IS NULL`;
}

/** Finds the caller and counts the request, for it and for its workspace, in one statement. */
async function countRequest(
  {
    database,
    requestsPerMinute,
    sessions,
  }: Pick<AuthenticateDeps, "database" | "requestsPerMinute" | "sessions">,
  selectCaller: SQL,
  endsAtMs: number | null = null,
): Promise<Caller | null> {
  const ofAll = requestsPerMinute * CALLERS_PER_WORKSPACE;
  const endsIn = sql`greatest(1, ceil(extract(epoch FROM window_started_at + interval '60 seconds' - now())))::int`;
  const isSameWindow = sql`counts.window_started_at > now() - interval '60 seconds'`;
  const { rows } = await database.execute(sql`
    WITH caller AS (${selectCaller}),
    own AS (
      INSERT INTO request_counts AS counts (subject, window_started_at, requests)
      SELECT subject, now(), 1 FROM caller
      ON CONFLICT (subject) DO UPDATE SET
        requests = CASE WHEN ${isSameWindow} THEN counts.requests + 1 ELSE 1 END,
        window_started_at = CASE WHEN ${isSameWindow} THEN counts.window_started_at ELSE now() END
      RETURNING requests, ${endsIn} AS ends_in_s
    ),
    -- After the caller's own, always, or two requests would wait for each other. What is refused with 429 uses nothing up.
    ws AS (
      INSERT INTO request_counts AS counts (subject, window_started_at, requests)
      SELECT 'ws:' || workspace_id, now(), 1 FROM caller, own
      WHERE workspace_id IS NOT NULL
        AND own.requests <= least(${requestsPerMinute}::int, (bounds #>> '{createOnly,linksPerMinute}')::int)
      ON CONFLICT (subject) DO UPDATE SET
        requests = CASE WHEN ${isSameWindow} THEN least(counts.requests, ${ofAll}::int) + 1 ELSE 1 END,
        earlier = CASE WHEN ${isSameWindow} THEN counts.earlier ELSE least(counts.requests, ${ofAll}::int) END,
        window_started_at = CASE WHEN ${isSameWindow} THEN counts.window_started_at ELSE now() END
      RETURNING requests, CASE WHEN requests = 1 THEN earlier ELSE 0 END AS ended, ${endsIn} AS ends_in_s
    ),
    of_month AS (
      INSERT INTO workspace_requests AS kept (workspace_id, month, requests)
      SELECT workspace_id, this_month(), ended FROM caller, ws WHERE ended > 0
      ON CONFLICT (workspace_id, month) DO UPDATE SET requests = kept.requests + excluded.requests
    )
    SELECT caller.subject, workspace_id, scopes, extract(epoch FROM keys_until) * 1000 AS keys_until_ms, person, is_use_due,
      maker_id, maker_role, bounds, person_bounds,
      own.requests AS own_requests, own.ends_in_s AS own_ends_in_s, ws.requests, ws.ends_in_s,
      (SELECT ws.requests + ws.ended + coalesce((
          SELECT requests FROM workspace_requests AS kept
          WHERE kept.workspace_id = caller.workspace_id AND month = this_month()), 0) > limits.requests
        FROM workspace_limits AS limits WHERE limits.workspace_id = caller.workspace_id) AS is_over_limit,
      -- Planning it takes half as long as all the rest, and without any limits it is not needed.
      EXISTS (SELECT FROM person_limits) AND owner_requests_used_up(workspace_id) AS is_owner_over_limit
    FROM caller CROSS JOIN own LEFT JOIN ws ON true`);
  const row = rows[0];
  if (row === undefined) {
    return null;
  }
  const scopes: unknown = row["scopes"];
  const person = sessions?.read(row["person"]) ?? null;
  const own = { requests: Number(row["own_requests"]), endsInSeconds: Number(row["own_ends_in_s"]) };
  const workspaceId: unknown = row["workspace_id"];
  if (typeof workspaceId !== "string") {
    return { principal: null, person, own, workspace: own, isOverLimit: false, isUseDue: false };
  }
  const makerId = person?.personId ?? toTextOrNull(row["maker_id"]);
  const { bounds: ofKey, person_bounds: ofMember } = row;
  const stored = [ofKey, ofMember].filter(isBound);
  return {
    principal: {
      bounds:
        stored.length === 0
          ? NO_BOUNDS
          : await resolveBounds(database, { workspaceId, personId: makerId, stored }),
      memberBound: isBound(ofMember) ? ofMember : null,
      subject: String(row["subject"]),
      workspaceId,
      endsAtMs,
      scopes:
        person === null || person.role === null
          ? capScopes(
              SCOPES.filter((scope) => Array.isArray(scopes) && scopes.includes(scope)),
              parseRole(row["maker_role"]),
            )
          : scopesOf(person.role),
      makerId,
      keysUntilMs: row["keys_until_ms"] === null ? null : Math.floor(Number(row["keys_until_ms"])),
    },
    person,
    own,
    // The caller's own are used up: the workspace's are not touched.
    workspace:
      row["requests"] === null
        ? { ...own, requests: 0 }
        : { requests: Number(row["requests"]), endsInSeconds: Number(row["ends_in_s"]) },
    isOverLimit: row["is_over_limit"] === true || row["is_owner_over_limit"] === true,
    isUseDue: row["is_use_due"] === true,
  };
}

function isBound(value: unknown): value is StoredBound {
  return typeof value === "object" && value !== null;
}

function toTextOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Of a key: its last use was written down an hour ago, or never. */
const IS_USE_DUE: SQL = sql`(last_used_at IS NULL OR last_used_at < now() - interval '1 hour')`;

/** At most once an hour, whatever comes at the same moment. */
async function writeUse({ subject }: Principal, database: Database): Promise<void> {
  const keyId = keyIdOf(subject);
  if (keyId !== null) {
    await database
      .update(apiKeys)
      .set({ lastUsedAt: sql`now()` })
      .where(and(eq(apiKeys.id, keyId), IS_USE_DUE));
  }
}

/** The three header fields of draft-ietf-httpapi-ratelimit-headers-07, which clients know. */
function rateHeadersOf({ limit, remaining, endsInSeconds }: Budget): Readonly<Record<string, string>> {
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(Math.max(0, remaining)),
    "ratelimit-reset": String(endsInSeconds),
  };
}
