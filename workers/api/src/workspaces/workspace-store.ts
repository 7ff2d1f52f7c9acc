/** The caller's workspace in Postgres. */
import { workspaces } from "@hopline/db/schema";
import { and, eq } from "drizzle-orm";
import type { Database, RowOf } from "../database.ts";
import { isExpected, nextVersion, type RowTarget } from "../http/list-rows.ts";
import { epochMs } from "../instant.ts";

const columns = {
  id: workspaces.id,
  name: workspaces.name,
  qrPresets: workspaces.qrPresets,
  defaults: workspaces.defaults,
  version: workspaces.version,
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

/** `null`: it is in another version. */
export async function updateWorkspace(
  database: Database,
  { id, ifMatch }: Pick<RowTarget, "id" | "ifMatch">,
  change: { readonly name?: string | undefined; readonly qrPresets?: unknown; readonly defaults?: unknown },
): Promise<StoredWorkspace | null> {
  const rows = await database
    .update(workspaces)
    .set({ ...change, version: nextVersion(workspaces.version) })
    .where(and(eq(workspaces.id, id), isExpected(workspaces.version, ifMatch)))
    .returning(columns);
  return rows[0] ?? null;
}
