/** The two workspaces of a life, which own the hosts to begin with. */
import { createHash } from "node:crypto";
import type { SimulatedDatabase } from "../platform/postgres.ts";
import { HOSTS, type Workspace, WORKSPACES } from "./life-plan.ts";

export const idOf = (kind: number, workspace: Workspace): string =>
  `00000000-0000-7000-8000-0000000${kind}000${WORKSPACES.indexOf(workspace)}`;

export const keyOf = (workspace: Workspace): string => `hop_${workspace.padEnd(32, "0")}`;

export async function addWorkspaces(database: SimulatedDatabase): Promise<void> {
  for (const workspace of WORKSPACES) {
    const id = (kind: number): string => idOf(kind, workspace);
    await database.select("INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, '2031-01-01Z')", [
      id(1),
      workspace,
    ]);
    await database.select(
      `INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes, created_at)
       VALUES ($1, $2, 'all', $3, $4, '{links:read,links:write,analytics:read,admin}', '2031-01-01Z')`,
      [id(2), id(1), keyOf(workspace).slice(0, 12), createHash("sha256").update(keyOf(workspace)).digest()],
    );
    for (const [position, [host, owner]] of Object.entries(HOSTS).entries()) {
      if (owner === workspace) {
        await database.select(
          `INSERT INTO domains (id, workspace_id, host, proof, proved_at, created_at)
           VALUES ($1, $2, $3, 'vouched', '2031-01-01Z', '2031-01-01Z')`,
          [id(3 + position), id(1), host],
        );
      }
    }
  }
}
