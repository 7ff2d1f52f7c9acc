/**
 * Creates an API key in the database: the way to get the first one, since the API asks for a key before it makes one.
 * The secret is returned once; the database keeps its SHA-256, as for any key.
 */
import { createHash, randomInt } from "node:crypto";

import { Failure } from "@hopline/testkit/console/failure";
import type pg from "pg";
import { v7 as newUuid } from "uuid";

import { withClient } from "./direct-sql.ts";

export const KEY_SCOPES = ["links:read", "links:write", "analytics:read", "admin"] as const;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const SECRET_LENGTH = 32;
const PREFIX_LENGTH = 12;

export type KeyRequest = {
  /** The workspace's name; it is created when there is none. */
  readonly workspace: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** A short domain to add to the workspace, or `null`. */
  readonly domain: string | null;
};

export type CreatedKey = {
  /** The whole key, `hop_…`. */
  readonly key: string;
  /** As the API names it. */
  readonly workspaceId: string;
  readonly isNewWorkspace: boolean;
};

/** All or nothing. A Failure says in one line why nothing was created. */
export function createKey(databaseUrl: string, request: KeyRequest): Promise<CreatedKey> {
  return withClient(databaseUrl, async (client) => {
    await client.query("BEGIN");
    const workspace = await findOrAddWorkspace(client, request.workspace);
    const key = await addKey(client, workspace.id, request);
    if (request.domain !== null) {
      await addDomain(client, workspace.id, request.domain);
    }
    await client.query("COMMIT");
    const workspaceId = `ws_${workspace.id.replaceAll("-", "")}`;
    return { key, workspaceId, isNewWorkspace: workspace.isNew };
  });
}

async function findOrAddWorkspace(client: pg.Client, name: string) {
  const found = await client.query<{ id: string }>("SELECT id FROM workspaces WHERE name = $1", [name]);
  if (found.rows.length > 1) {
    throw new Failure(
      `There are ${found.rows.length} workspaces called "${name}": rename one of them first.`,
    );
  }
  const [known] = found.rows;
  if (known !== undefined) {
    return { id: known.id, isNew: false };
  }
  const id = newUuid();
  await client.query("INSERT INTO workspaces (id, name) VALUES ($1, $2)", [id, name]);
  return { id, isNew: true };
}

async function addKey(client: pg.Client, workspaceId: string, request: KeyRequest): Promise<string> {
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)));
  const key = `hop_${secret.join("")}`;
  const hash = createHash("sha256").update(key).digest();
  await client.query(
    "INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes) VALUES ($1, $2, $3, $4, $5, $6)",
    [newUuid(), workspaceId, request.name, key.slice(0, PREFIX_LENGTH), hash, request.scopes],
  );
  return key;
}

async function addDomain(client: pg.Client, workspaceId: string, host: string): Promise<void> {
  await client.query(
    "INSERT INTO domains (id, workspace_id, host) VALUES ($1, $2, lower($3)) ON CONFLICT DO NOTHING",
    [newUuid(), workspaceId, host],
  );
  const owned = await client.query(
    "SELECT FROM domains WHERE host = lower($1) AND workspace_id = $2 AND deleted_at IS NULL",
    [host, workspaceId],
  );
  if (owned.rowCount === 0) {
    throw new Failure(`The domain ${host} belongs to another workspace; nothing was created.`);
  }
}
