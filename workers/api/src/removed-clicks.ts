/**
 * Clicks that are deleted together with their link, domain or workspace. The consumer removes them
 * (packages/db/src/ledger/remove-clicks.ts): this API changes no click and no count.
 */
import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { hasScope, type Principal } from "./http/api-key.ts";
import { ProblemError } from "./http/problem.ts";

export const ClicksField = z.enum(["keep", "delete"]).default("keep").openapi({
  description:
    "`delete` removes its clicks as well, within minutes and for good: from the analytics, and from the database all but when each of them happened. Needs the scope `admin`.",
});

/** Throws `ProblemError` when the caller may delete, but not the clicks. */
export function readClicks(clicks: z.infer<typeof ClicksField>, principal: Principal): boolean {
  if (clicks === "delete" && !hasScope(principal, "admin")) {
    throw new ProblemError("scope_missing");
  }
  return clicks === "delete";
}

/** Statements that were writing clicks when their link was deleted have ended by then. */
const STARTS_AFTER = sql`interval '2 minutes'`;

/**
 * A statement that enqueues the removal, for each row of `owners`: workspace_id, link_id, domain_id. It has to delete the rows of
 * the links, so that clicks which arrive later belong to no workspace.
 */
export function insertRemovedClicks(owners: SQL): SQL {
  return sql`
    INSERT INTO work AS kept (kind, key, payload, wanted_at, due_at)
    SELECT 'remove-clicks', coalesce(link_id, domain_id, workspace_id)::text,
      jsonb_strip_nulls(jsonb_build_object('workspaceId', workspace_id, 'linkId', link_id, 'domainId', domain_id)),
      now() + ${STARTS_AFTER}, now() + ${STARTS_AFTER}
    FROM (${owners}) AS owner (workspace_id, link_id, domain_id)
    ON CONFLICT (kind, key) DO NOTHING`;
}
