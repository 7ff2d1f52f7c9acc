/**
 * Gives the links of one tag another one, or none: tags are renamed, merged and deleted so. The first links change with the
 * request, in one transaction; the others by work of the kind `replace-tag`, of which a workspace has one item at a time. So no two
 * of these ever hand the same links back and forth.
 *
 * The edge knows no tags, so nothing is published. Analytics ask for a tag by the links that have it at that moment: once all links
 * have the new name, it has the figures of the old one.
 */
import type { Again } from "@hopline/db/work/run-work";
import type { WorkItem } from "@hopline/db/work/work-item";
import { tags } from "@hopline/db/schema";
import { and, sql, type SQL } from "drizzle-orm";
import { actMoreExactly, type LinkGroup } from "../acting.ts";
import { type Database, failureOf } from "../database.ts";
import { newEntityId } from "../http/entity-id.ts";
import { BY_BITMAP } from "../links/store/by-bitmap.ts";
import { enqueueWrittenDomains } from "../publishing/outbox.ts";
import { isOnLink, isRowOf, isThere } from "./tag-store.ts";

export const REPLACE_TAG = "replace-tag";

/** A statement of some 300 ms. */
export const LINKS_A_STATEMENT = 1_000;

export type Replacement = {
  readonly workspaceId: string;
  readonly from: string;
  /** `null`: none. */
  readonly to: string | null;
};

/** `missing`: there is no such tag. `taken`: the new one is a tag already. `busy`: the work of another replacement is not done. */
export type ReplaceOutcome = "replaced" | "missing" | "taken" | "busy";

/** @param mayMerge the new tag may be one already. */
export async function replaceTag(
  database: Database,
  replacement: Replacement,
  mayMerge: boolean,
): Promise<ReplaceOutcome> {
  const { workspaceId, from, to } = replacement;
  const old = { workspaceId, name: from };
  const isTaken = to === null ? sql`false` : isThere({ workspaceId, name: to });
  const group = toGroup(replacement, newEntityId());
  const run = () =>
    database.batch([
      database.execute(BY_BITMAP),
      database.execute(sql`
      INSERT INTO work (kind, key, payload)
      SELECT ${REPLACE_TAG}, ${workspaceId}, ${JSON.stringify({ from, to, group: group.id })}::jsonb
      WHERE ${isThere(old)} AND (${mayMerge}::boolean OR NOT ${isTaken})
      ON CONFLICT (kind, key) DO NOTHING RETURNING key`),
      ...moveRow(database, replacement),
      database.execute(changeDefaults(replacement)),
      // A domain's version is published, whatever has changed: by the job of edits.
      enqueueWrittenDomains(database, workspaceId, null),
      database.execute(changeLinks(replacement, isBegunHere(workspaceId))),
      database.execute(sql`
      DELETE FROM work WHERE ${isItemOf(workspaceId)} AND ${IS_ENQUEUED_HERE}
        AND NOT EXISTS (SELECT FROM links WHERE ${isOnLink(old)})`),
      // Until the others have changed, they have the old tag, which is shown then.
      database.execute(sql`
      INSERT INTO tags (id, workspace_id, name, is_kept)
      SELECT ${newEntityId()}::uuid, ${workspaceId}::uuid, ${from}, false WHERE ${isBegunHere(workspaceId)}
      ON CONFLICT DO NOTHING`),
      database.execute(sql`SELECT ${isThere(old)} AS is_there, ${isTaken} AS is_taken`),
    ]);
  const [, begun, ...rest] = await actMoreExactly({ group }, run).catch((error: unknown) => {
    // A link that was written meanwhile has made the tag. Now it is seen.
    if (failureOf(error).constraint === "tags_by_name") {
      return actMoreExactly({ group }, run);
    }
    throw error;
  });
  if (begun.rows.length > 0) {
    return "replaced";
  }
  const [fact] = rest.at(-1)?.rows ?? [];
  if (fact?.["is_there"] !== true) {
    return "missing";
  }
  return fact["is_taken"] === true && !mayMerge ? "taken" : "busy";
}

/**
 * The new tag has the id and the colour of the old one, unless it is a tag already: then it keeps its id, and its colour if its row
 * is kept.
 */
function moveRow(database: Database, { workspaceId, from, to }: Replacement) {
  const isBegun = isBegunHere(workspaceId);
  const isOld = and(isRowOf({ workspaceId, name: from }), isBegun);
  const removeOld = database.delete(tags).where(isOld);
  if (to === null) {
    return [removeOld] as const;
  }
  const target = { workspaceId, name: to };
  return [
    database.delete(tags).where(and(isRowOf(target), isBegun, sql`NOT ${isThere(target)}`)),
    database.execute(sql`
      UPDATE tags SET color = former.color, is_kept = true FROM tags AS former
      WHERE former.workspace_id = ${workspaceId}::uuid AND former.name = ${from} AND former.is_kept AND ${isBegun}
        AND NOT tags.is_kept AND tags.workspace_id = ${workspaceId}::uuid AND tags.name = ${to}`),
    database.execute(sql`
      UPDATE tags SET name = ${to} WHERE ${isOld} AND NOT EXISTS (
        SELECT FROM tags AS taken WHERE taken.workspace_id = ${workspaceId}::uuid AND taken.name = ${to})`),
    removeOld,
  ] as const;
}

/** The handler of the work. */
export async function replaceTagLater(
  { key: workspaceId, payload }: Pick<WorkItem, "key" | "payload">,
  { database }: { readonly database: Database },
): Promise<Again | undefined> {
  const { from, to, group } = payload;
  const replacement = { workspaceId, from: String(from), to: typeof to === "string" ? to : null };
  const id = typeof group === "string" ? group : newEntityId();
  const [, { rows }] = await actMoreExactly({ group: toGroup(replacement, id) }, () =>
    database.batch([database.execute(BY_BITMAP), database.execute(changeLinks(replacement, sql`true`))]),
  );
  return rows.length === LINKS_A_STATEMENT ? { againInSeconds: 0 } : undefined;
}

/** In the audit log it is one change, and not one of each link or statement. */
function toGroup({ from, to }: Replacement, id: string): LinkGroup {
  return { id, action: "tag.replaced", label: from, after: { by: to } };
}

function changeLinks({ workspaceId, from, to }: Replacement, isAllowed: SQL): SQL {
  return sql`
    UPDATE links SET updated_at = now(), tags = CASE WHEN ${to}::text IS NULL OR ${to}::text = ANY(tags)
      THEN array_remove(tags, ${from}::text) ELSE array_replace(tags, ${from}::text, ${to}::text) END
    WHERE id IN (
      SELECT id FROM links WHERE ${isOnLink({ workspaceId, name: from })} AND ${isAllowed}
      LIMIT ${LINKS_A_STATEMENT} FOR NO KEY UPDATE
    )
    RETURNING id`;
}

/** New links get the new one, too. The workspace is locked before its domains, and these by their ids, as by a suspension. */
function changeDefaults({ workspaceId, from, to }: Replacement): SQL {
  const isOld = (defaults: SQL) => sql`${defaults} -> 'tags' ? ${from} AND ${isBegunHere(workspaceId)}`;
  const changed = (defaults: SQL) => sql`jsonb_set(${defaults}, '{tags}', (
    SELECT coalesce(jsonb_agg(DISTINCT name), '[]') FROM (
      SELECT CASE WHEN tag = ${from} THEN ${to}::text ELSE tag END FROM jsonb_array_elements_text(${defaults} -> 'tags') AS tag
    ) AS replaced (name) WHERE name IS NOT NULL))`;
  const own = sql`defaults`;
  const ofSettings = sql`(settings -> 'defaults')`;
  return sql`
    WITH locked AS (SELECT id FROM workspaces WHERE id = ${workspaceId}::uuid FOR NO KEY UPDATE),
    of_workspace AS (
      UPDATE workspaces SET defaults = ${changed(own)}, version = version + 1 WHERE id = ${workspaceId}::uuid AND ${isOld(own)}
    ), of_folders AS (
      UPDATE folders SET defaults = ${changed(own)}, version = version + 1
      WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL AND ${isOld(own)}
    ), of_domains AS (
      SELECT id FROM domains WHERE workspace_id = (SELECT id FROM locked) AND deleted_at IS NULL AND ${isOld(ofSettings)}
      ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE domains SET settings = jsonb_set(settings, '{defaults}', ${changed(ofSettings)}), version = version + 1
    WHERE id = ANY(ARRAY(SELECT id FROM of_domains))`;
}

function isItemOf(workspaceId: string): SQL {
  return sql`kind = ${REPLACE_TAG} AND key = ${workspaceId}`;
}

const IS_ENQUEUED_HERE: SQL = sql`work.xmin = pg_current_xact_id()::xid`;

/** Whether this transaction has enqueued the work. */
function isBegunHere(workspaceId: string): SQL {
  return sql`EXISTS (SELECT FROM work WHERE ${isItemOf(workspaceId)} AND ${IS_ENQUEUED_HERE})`;
}
