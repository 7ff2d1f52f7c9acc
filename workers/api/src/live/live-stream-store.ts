/** Open live streams in Postgres, so that a workspace has a limited number of them. */
import { sql } from "@hopline/db/sql";
import type { Database } from "../database.ts";
import { toSql } from "../to-sql.ts";

/** A stream that was cut off without notice counts for this much longer than its time limit. */
const GRACE_MS = 10_000;

export type OpenStream = {
  readonly id: string;
  readonly workspaceId: string;
  readonly maxStreams: number;
  readonly maxStreamMs: number;
};

/** False if the workspace has as many as it may. Two simultaneous calls may both get the last one. */
export async function openStream(database: Database, stream: OpenStream): Promise<boolean> {
  const { rows } = await database.execute(
    toSql(sql`
    WITH ended AS (
      DELETE FROM live_streams WHERE workspace_id = ${stream.workspaceId}::uuid AND ends_at <= now()
    )
    INSERT INTO live_streams (id, workspace_id, ends_at)
    SELECT ${stream.id}::uuid, ${stream.workspaceId}::uuid,
      now() + ${stream.maxStreamMs + GRACE_MS}::int * interval '1 millisecond'
    WHERE (
      SELECT count(*) FROM live_streams WHERE workspace_id = ${stream.workspaceId}::uuid AND ends_at > now()
    ) < ${stream.maxStreams}::int
    RETURNING 1`),
  );
  return rows.length > 0;
}

export async function closeStream(database: Database, id: string): Promise<void> {
  await database.execute(toSql(sql`DELETE FROM live_streams WHERE id = ${id}::uuid`));
}
