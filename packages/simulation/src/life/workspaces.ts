/** The two workspaces of a life, which own the hosts to begin with, and people in them. */
import { createHash, createHmac } from "node:crypto";
import type { SimulatedDatabase } from "../platform/postgres.ts";
import { HOSTS, type Workspace, WORKSPACES } from "./life-plan.ts";

/** Where people sign in. */
export const APP_ORIGIN = "https://app.example.com";
export const AUTH_SECRET = "sessions of a life: all 32 letters";

export const idOf = (kind: number, workspace: Workspace): string =>
  `00000000-0000-7000-8000-0000000${kind}000${WORKSPACES.indexOf(workspace)}`;

export const keyOf = (workspace: Workspace): string => `hop_${workspace.padEnd(32, "0")}`;

export const toPublicId = (kind: string, id: unknown): string => `${kind}_${String(id).replaceAll("-", "")}`;

type Person = { readonly workspace: Workspace; readonly name: string; readonly role: "owner" | "editor" };

/** Who has just signed in, with a key that they made. Each is a request's header fields. */
export async function addMember(database: SimulatedDatabase, { workspace, name, role }: Person) {
  const digest = createHash("sha256").update(name).digest();
  const id = `00000000-0000-7000-9000-${digest.toString("hex").slice(0, 12)}`;
  const key = `hop_${digest.toString("hex").slice(0, 32)}`;
  await database.select(
    `WITH person AS (INSERT INTO people (id, name, email) VALUES ($1, $2, $2 || '@example.com')), session AS (
       INSERT INTO sessions (id, person_id, token, expires_at) VALUES ($1, $1, $2, '2032-01-01Z')
     ), member AS (INSERT INTO members (id, workspace_id, person_id, role) VALUES ($1, $3, $1, $4))
     INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes, maker_id)
     VALUES ($1, $3, 'own', $5, $6, '{links:read,links:write}', $1)`,
    [id, name, idOf(1, workspace), role, key.slice(0, 12), createHash("sha256").update(key).digest()],
  );
  const signature = createHmac("sha256", AUTH_SECRET).update(name).digest("base64");
  return {
    id,
    session: {
      cookie: `__Host-hopline_session=${encodeURIComponent(`${name}.${signature}`)}`,
      "hopline-workspace": toPublicId("ws", idOf(1, workspace)),
    },
    key: { authorization: `Bearer ${key}` },
  };
}

export async function addWorkspaces(database: SimulatedDatabase): Promise<void> {
  for (const workspace of WORKSPACES) {
    const id = (kind: number): string => idOf(kind, workspace);
    const insert = "INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, '2031-01-01Z')";
    await database.select(insert, [id(1), workspace]);
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
