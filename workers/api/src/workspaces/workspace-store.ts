/** The caller's workspace in Postgres. */
import { workspaces } from "@hopline/db/schema";
import { eq } from "drizzle-orm";
import type { Database, RowOf } from "../database.ts";
import { epochMs } from "../instant.ts";

const columns = {
  id: workspaces.id,
  name: workspaces.name,
  qrPresets: workspaces.qrPresets,
  createdAtMs: epochMs(workspaces.createdAt),
};
export type StoredWorkspace = RowOf<typeof columns>;

export async function findWorkspace(
  database: Database,
  workspaceId: string,
): Promise<StoredWorkspace | null> {
  const rows = await database.select(columns).from(workspaces).where(eq(workspaces.id, workspaceId));
  return rows[0] ?? null;
}

export async function updateWorkspace(
  database: Database,
  workspaceId: string,
  { name, qrPresets }: { readonly name?: string | undefined; readonly qrPresets?: unknown },
): Promise<StoredWorkspace | null> {
  const rows = await database
    .update(workspaces)
    // With the id, a change of nothing is a statement, too.
    .set({ id: workspaceId, name, qrPresets })
    .where(eq(workspaces.id, workspaceId))
    .returning(columns);
  return rows[0] ?? null;
}
