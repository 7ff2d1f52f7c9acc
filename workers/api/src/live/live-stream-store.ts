/** Open live streams in Postgres, so that a workspace has a limited number of them. */
import { sql } from "@hopline/db/sql";
import { type Database, toSql } from "../database.ts";

/** A stream that was cut off without notice keeps its place for this much longer than its time limit. */
const GRACE_MS = 10_000;

export type LiveStreamPlace = {
  readonly id: string;
  readonly workspaceId: string;
  readonly maxStreams: number;
  readonly maxStreamMs: number;
};

/** False if all places are taken. Two simultaneous calls may both get the last one. */
export async function takePlace(database: Database, place: LiveStreamPlace): Promise<boolean> {
  const { rows } = await database.execute(
    toSql(sql`
    WITH ended AS (
      DELETE FROM live_streams WHERE workspace_id = ${place.workspaceId}::uuid AND ends_at <= now()
    )
    INSERT INTO live_streams (id, workspace_id, ends_at)
    SELECT ${place.id}::uuid, ${place.workspaceId}::uuid,
      now() + ${place.maxStreamMs + GRACE_MS}::int * interval '1 millisecond'
    WHERE (
      SELECT count(*) FROM live_streams WHERE workspace_id = ${place.workspaceId}::uuid AND ends_at > now()
    ) < ${place.maxStreams}::int
    RETURNING 1`),
  );
  return rows.length > 0;
}

export async function leavePlace(database: Database, id: string): Promise<void> {
  await database.execute(toSql(sql`DELETE FROM live_streams WHERE id = ${id}::uuid`));
}
