/**
 * Does what only operators may, through the API: so it is published within two seconds, and is in the audit log as
 * done by the command line, with its reason. Instead of signing in, it puts the hash of a token into the database:
 * a person with access to that could do all of this there.
 */
import { createHash, randomBytes } from "node:crypto";

import { createClient, type HoplineClient } from "@hopline/client/client";
import { HoplineError } from "@hopline/client/hopline-error";
import { sql } from "@hopline/db/sql";
import { Failure, UsageFailure } from "@hopline/testkit/console/failure";

import { toPublicId, WORKSPACE_ID } from "./create-key.ts";
import { runAt } from "./direct-sql.ts";

const TOKEN_BYTES = 32;
const MAX_REASON_LENGTH = 500;

export type OperatorPlace = {
  readonly databaseUrl: string;
  /** Where the API answers: the first host of the deployment. Never a user's host, whose owner would get the token. */
  readonly apiOrigin: string;
};

/** The token works for a minute, and until `act` has ended. */
export async function actAsOperator<Answer>(
  { databaseUrl, apiOrigin }: OperatorPlace,
  reason: string,
  act: (hopline: HoplineClient) => Promise<Answer>,
): Promise<Answer> {
  if (reason.trim() === "" || reason.length > MAX_REASON_LENGTH) {
    throw new UsageFailure(
      `Give a --reason of 1 to ${MAX_REASON_LENGTH} characters: the audit log keeps it.`,
    );
  }
  const token = `hop_operator_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
  const identifier = `operator:${createHash("sha256").update(token).digest("hex")}`;
  await runAt(
    databaseUrl,
    sql`INSERT INTO verifications (id, identifier, value, expires_at)
        VALUES (gen_random_uuid(), ${identifier}, ${reason}, now() + interval '1 minute')`,
  );
  try {
    return await act(createClient({ baseUrl: apiOrigin, key: token }));
  } catch (error) {
    if (error instanceof HoplineError) {
      throw new Failure(`The API at ${apiOrigin} refused it: ${error.message}`, { cause: error });
    }
    if (error instanceof TypeError) {
      throw new Failure(`${apiOrigin} does not answer: nothing was changed, as far as is known.`, {
        cause: error,
      });
    }
    throw error;
  } finally {
    await runAt(databaseUrl, sql`DELETE FROM verifications WHERE identifier = ${identifier}`);
  }
}

export type Suspending = {
  /** `ws_…`, or a host. */
  readonly target: string;
  readonly reason: string;
  readonly isSuspended: boolean;
};

/** Of a workspace or a domain. A Failure where there is none. */
export async function setSuspension(place: OperatorPlace, suspending: Suspending): Promise<void> {
  const { target, reason, isSuspended } = suspending;
  const body = { suspension: isSuspended ? { reason } : null };
  const domainId = WORKSPACE_ID.test(target) ? null : await findDomainId(place.databaseUrl, suspending);
  await actAsOperator(place, reason, async (hopline) =>
    domainId === null
      ? hopline.suspendWorkspace({ workspaceId: target, body })
      : hopline.suspendDomain({ domainId, body }),
  );
}

/** Of a deleted one, too, where it is suspended and is to be resumed. */
async function findDomainId(databaseUrl: string, { target: host, isSuspended }: Suspending): Promise<string> {
  const [found] = await runAt(
    databaseUrl,
    sql`SELECT id FROM domains
        WHERE host = lower(${host}) AND proof <> 'pending'
          AND (deleted_at IS NULL OR (suspended_at IS NOT NULL AND NOT ${isSuspended}::boolean))
        ORDER BY suspended_at LIMIT 1`,
  );
  if (found === undefined) {
    throw new Failure(`No workspace has the host ${host}: give a host, or the id of a workspace, ws_…`);
  }
  return toPublicId("dom", found["id"]);
}

export type LimitChange = { readonly [Name in "links" | "clicks" | "requests"]?: number | null };

/** Limits that are not in `change` stay. Resolves to the workspace as it is afterwards, with what it uses. */
export async function changeLimits(
  place: OperatorPlace,
  {
    workspaceId,
    change,
    reason,
  }: { readonly workspaceId: string; readonly change: LimitChange; readonly reason: string },
) {
  return actAsOperator(place, reason, async (hopline) => {
    const { usage } = await hopline.readAnyWorkspace({ workspaceId });
    const kept = { links: usage.links.limit, clicks: usage.clicks.limit, requests: usage.requests.limit };
    await hopline.setLimits({ workspaceId, body: { ...kept, ...change } });
    return hopline.readAnyWorkspace({ workspaceId });
  });
}
