/**
 * Makes an API key straight in the database: the way to the first one, which no key can ask the API for. The secret is
 * returned once; the database keeps its SHA-256, as for any key.
 */
import { createHash, randomInt } from "node:crypto";
import pg from "pg";

import { explainConnection, toClientConfig } from "@hopline/testkit/postgres/database-url";
import { errorCode, Failure } from "@hopline/testkit/console/failure";

export const KEY_SCOPES = ["links:read", "links:write", "analytics:read", "admin"] as const;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const SECRET_LENGTH = 32;
const PREFIX_LENGTH = 12;

export type KeyRequest = {
  /** The workspace's name; made when there is none of it. */
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

/** All or nothing. A Failure says in one line what is in the way. */
export async function createKey(databaseUrl: string, request: KeyRequest): Promise<CreatedKey> {
  const client = new pg.Client(toClientConfig(databaseUrl));
  client.on("error", () => undefined);
  await client.connect().catch((error: unknown) => {
    throw explainConnection(databaseUrl, error);
  });
  try {
    await client.query("BEGIN");
    const workspace = await findOrAddWorkspace(client, request.workspace);
    const key = await addKey(client, workspace.id, request);
    if (request.domain !== null) {
      await addDomain(client, workspace.id, request.domain);
    }
    await client.query("COMMIT");
    const workspaceId = `ws_${workspace.id.replaceAll("-", "")}`;
    return { key, workspaceId, isNewWorkspace: workspace.isNew };
  } catch (error) {
    if (errorCode(error) === "42P01") {
      throw new Failure("The database has no tables yet: run `pnpm migrate` first.", { cause: error });
    }
    throw error;
  } finally {
    // Ends an open transaction too.
    await client.end();
  }
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
  const secret = Array.from({ length: SECRET_LENGTH }, () =>
    ALPHABET.charAt(randomInt(ALPHABET.length)),
  ).join("");
  const key = `hop_${secret}`;
  await client.query(
    "INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes) VALUES ($1, $2, $3, $4, $5, $6)",
    [
      newUuid(),
      workspaceId,
      request.name,
      key.slice(0, PREFIX_LENGTH),
      createHash("sha256").update(key).digest(),
      request.scopes,
    ],
  );
  return key;
}

async function addDomain(client: pg.Client, workspaceId: string, host: string): Promise<void> {
  const added = await client.query(
    "INSERT INTO domains (id, workspace_id, host) VALUES ($1, $2, lower($3)) ON CONFLICT DO NOTHING",
    [newUuid(), workspaceId, host],
  );
  const owner = await client.query("SELECT 1 FROM domains WHERE host = lower($1) AND workspace_id = $2", [
    host,
    workspaceId,
  ]);
  if (added.rowCount === 0 && owner.rowCount === 0) {
    throw new Failure(`The domain ${host} belongs to another workspace; nothing was made.`);
  }
}

/** UUID version 7 (RFC 9562, 5.7): lists of keys and domains are in the order of their ids. */
function newUuid(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  const random = (digits: number): string =>
    Array.from({ length: digits }, () => randomInt(16).toString(16)).join("");
  const variant = (8 + randomInt(4)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random(3)}-${variant}${random(3)}-${random(12)}`;
}
