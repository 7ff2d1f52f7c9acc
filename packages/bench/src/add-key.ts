import { createHash, randomBytes, randomUUID } from "node:crypto";

import type { Client } from "pg";

/** Resolves to an API key of the workspace. */
export async function addKey(client: Client, workspaceId: string, scope: string): Promise<string> {
  const key = `hop_${randomBytes(16).toString("hex")}`;
  await client.query(
    `INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes)
     VALUES ($1, $2, 'bench', 'hop_', $3, $4)`,
    [randomUUID(), workspaceId, createHash("sha256").update(key).digest(), [scope]],
  );
  return key;
}
