/**
 * Requests of `pnpm operators`. A person who runs it has access to the database, and could do all of this there: so a token whose hash
 * is in the database is enough, for a minute, without a sign-in. The audit log has what was done with it, and the reason.
 */
import { verifications } from "@hopline/db/schema";
import { and, eq, gt, sql } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import { actAs } from "../acting.ts";
import type { Database } from "../database.ts";
import { readBearerToken, sha256Hex } from "../http/api-key.ts";
import type { ApiContext } from "../http/authenticate.ts";
import { FRESH_IDS } from "../http/new-ids.ts";
import { limitAnonymous, type NetworkLimits } from "../http/network-limits.ts";
import { ProblemError } from "../http/problem.ts";

const PATH = "/api/v1/operators/";
/** As packages/ops/src/operate/act-as-operator.ts makes it. */
const TOKEN = /^hop_operator_[\w-]{43}$/;

type Deps = {
  readonly database: Database;
  readonly networkLimits: NetworkLimits;
  readonly nowMs: () => number;
};

/** Looks for such a token, where it counts, before a key or a session is looked for. */
export function takeOperatorToken(
  { database, networkLimits, nowMs }: Deps,
  authenticated: MiddlewareHandler<ApiContext>,
): MiddlewareHandler<ApiContext> {
  const limited = limitAnonymous(networkLimits.anonymous);
  return async (context, next) => {
    const token = readBearerToken(context.req.header("authorization")) ?? "";
    if (!context.req.path.startsWith(PATH) || !TOKEN.test(token)) {
      return authenticated(context, next);
    }
    return limited(context, async () => {
      const found = await findToken(database, token);
      if (found === null) {
        throw new ProblemError("key_invalid");
      }
      const acting = { actor: `operator:${found.reason}`, requestId: context.get("requestId") };
      context.set("operatorToken", found.id);
      context.set("person", null);
      context.set("database", database);
      context.set("newIds", FRESH_IDS);
      context.set("actAsCaller", async (_context, run) => actAs(acting, run));
      context.set("authenticated", { atMs: nowMs(), again: async () => undefined });
      await next();
    });
  };
}

async function findToken(database: Database, token: string) {
  const identifier = `operator:${await sha256Hex(new TextEncoder().encode(token))}`;
  const [found] = await database
    .select({ id: verifications.id, reason: verifications.value })
    .from(verifications)
    .where(and(eq(verifications.identifier, identifier), gt(verifications.expiresAt, sql`now()`)));
  return found ?? null;
}
