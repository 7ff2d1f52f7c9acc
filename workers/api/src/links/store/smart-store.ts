/** The columns of smart links, and their caps. */
import { links } from "@hopline/db/schema";
import { type SQL, sql } from "drizzle-orm";
import { IS_WRITTEN_HERE, type OutboxStatement } from "../../publishing/outbox.ts";
import type { CapInput, SmartChange } from "../smart-change.ts";
import type { Database } from "../../database.ts";

export type SmartColumns = Pick<SmartChange, "extras" | "written" | "cap">;

/** The new values of a changed link, without those that the change leaves out. */
export function changedSmartColumns(change: SmartColumns | undefined) {
  return change === undefined ? {} : { ...smartColumns(change), smart: mergeWritten(change.written) };
}

/**
 * A statement for the links' batch, after their INSERT: adds the caps of those that were written. None when no link has
 * one.
 */
export function insertCaps(database: Database, links: readonly CappedLink[]): readonly OutboxStatement[] {
  const caps = links.flatMap(({ id, smart, usedClicks }) =>
    smart?.cap ? [{ id, mode: smart.cap.mode, maxClicks: smart.cap.maxClicks, used: usedClicks }] : [],
  );
  if (caps.length === 0) {
    return [];
  }
  return [
    database.execute(sql`
      INSERT INTO link_caps (link_id, workspace_id, mode, max_clicks, used, published_used_up)
      SELECT links.id, workspace_id, mode, "maxClicks", used, used >= "maxClicks"
      FROM jsonb_to_recordset(${JSON.stringify(caps)}::jsonb)
        AS cap (id uuid, mode text, "maxClicks" bigint, used bigint)
      JOIN links ON links.id = cap.id WHERE ${IS_WRITTEN_HERE}
      ORDER BY links.id`),
  ];
}

type CappedLink = {
  readonly id: string;
  readonly smart?: SmartColumns | undefined;
  readonly usedClicks: number;
};

/** The values of a new link. */
export function smartColumns(change: SmartColumns | undefined) {
  if (change === undefined) {
    return {};
  }
  const { extras, written } = change;
  return {
    smart: Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null)),
    ...("startsAtMs" in extras ? { startsAt: toTimestamp(extras.startsAtMs) } : {}),
    ...("expiresAtMs" in extras ? { expiresAt: toTimestamp(extras.expiresAtMs) } : {}),
    ...("password" in extras ? { password: extras.password ?? null } : {}),
  };
}

function mergeWritten(written: SmartColumns["written"]): SQL {
  return sql`jsonb_strip_nulls(${links.smart} || ${JSON.stringify(written)}::jsonb)`;
}

function toTimestamp(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString();
}

/**
 * Statements for a link's batch, after its UPDATE: set or remove the cap if the UPDATE applied. None when the change leaves
 * the cap out. Uses stay counted.
 */
export function writeCap(
  database: Database,
  linkId: string,
  cap: CapInput | null | undefined,
): readonly OutboxStatement[] {
  if (cap === undefined) {
    return [];
  }
  const ofWritten = sql`FROM links WHERE id = ${linkId}::uuid AND ${IS_WRITTEN_HERE}`;
  return [
    cap === null
      ? database.execute(sql`DELETE FROM link_caps WHERE link_id IN (SELECT id ${ofWritten})`)
      : database.execute(sql`
          INSERT INTO link_caps AS kept (link_id, workspace_id, mode, max_clicks)
          SELECT id, workspace_id, ${cap.mode}, ${cap.maxClicks}::bigint ${ofWritten}
          ON CONFLICT (link_id) DO UPDATE SET mode = excluded.mode, max_clicks = excluded.max_clicks,
            published_used_up = kept.used >= excluded.max_clicks`),
  ];
}
