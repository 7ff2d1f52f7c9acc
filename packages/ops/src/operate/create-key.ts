/**
 * Creates an API key in the database: the way to get the first one, since the API asks for a key before it makes one.
 * The secret is returned once; the database keeps its SHA-256, as for any key.
 */
import { createHash, randomInt } from "node:crypto";

import { sql } from "@hopline/db/sql";
import { ON_NEWER_WORK } from "@hopline/db/work/enqueue-work";
import { Failure } from "@hopline/testkit/console/failure";
import type pg from "pg";
import { v7 as newUuid } from "uuid";

import { runAt, runOn, withClient } from "./direct-sql.ts";

export const KEY_SCOPES = ["links:read", "links:write", "analytics:read", "admin"] as const;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const SECRET_LENGTH = 32;
const PREFIX_LENGTH = 12;

export type KeyRequest = {
  readonly workspace: WantedWorkspace;
  readonly name: string;
  readonly scopes: readonly string[];
  /** A short domain to add to the workspace, or `null`. The operator vouches for it: it needs no proof and may be any host. */
  readonly domain: string | null;
  /** One that `newKey` made and that is kept already; otherwise another one. */
  readonly key?: string;
};

/** An existing one by its id, which its admin cannot change; a new one by its name. */
export type WantedWorkspace = { readonly id: string } | { readonly newName: string };

export type CreatedKey = {
  /** The whole key, `hop_…`. */
  readonly key: string;
  readonly workspace: { readonly id: string; readonly name: string };
};

/** `ws_…`, as the API shows it. */
export const WORKSPACE_ID: RegExp = /^ws_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/**
 * All or nothing. A Failure says in one line why nothing was created. `show` gets the key before the database has it, so that a run
 * which is interrupted between the two leaves no key that was never shown.
 */
export function createKey(
  databaseUrl: string,
  request: KeyRequest,
  show: (key: string) => void = () => undefined,
): Promise<CreatedKey> {
  return withClient(databaseUrl, async (client) => {
    await runOn(client, sql`BEGIN`);
    if ("newName" in request.workspace && request.domain === null) {
      await refuseRepeat(client, request.workspace.newName);
    }
    const workspace = await findOrAddWorkspace(client, request.workspace);
    const key = await addKey(client, workspace.id, request);
    if (request.domain !== null) {
      await addDomain(client, workspace.id, toHost(request.domain));
    }
    show(key);
    await runOn(client, sql`COMMIT`);
    return { key, workspace: { id: toPublicId("ws", workspace.id), name: workspace.name } };
  });
}

/** As the API writes ids. */
export const toPublicId = (kind: "ws" | "dom" | "whk", uuid: unknown): string =>
  `${kind}_${String(uuid).replaceAll("-", "")}`;

type Workspace = { readonly id: string; readonly name: string };

/**
 * A host tells a repeat of an interrupted run by itself; without one the name does, among the workspaces that nobody has joined:
 * an operator made those. The lock waits for the commit of the run that was killed.
 */
async function refuseRepeat(client: pg.Client, name: string): Promise<void> {
  await runOn(client, sql`SELECT pg_advisory_xact_lock(hashtextextended(${`workspace ${name}`}, 0))`);
  const [made] = await runOn(
    client,
    sql`SELECT id FROM workspaces WHERE name = ${name} AND deleted_at IS NULL
        AND NOT EXISTS (SELECT FROM members WHERE workspace_id = workspaces.id) ORDER BY created_at DESC LIMIT 1`,
  );
  if (made !== undefined) {
    throw new Failure(
      `There is a workspace "${name}" that nobody has joined; nothing was created. For a key of that one: --workspace ${toPublicId("ws", made["id"])}. Another new one needs another name, or --domain.`,
    );
  }
}

async function findOrAddWorkspace(client: pg.Client, wanted: WantedWorkspace): Promise<Workspace> {
  if ("newName" in wanted) {
    const added = { id: newUuid(), name: wanted.newName };
    await runOn(client, sql`INSERT INTO workspaces (id, name) VALUES (${added.id}::uuid, ${added.name})`);
    return added;
  }
  const id = wanted.id.replace(WORKSPACE_ID, "$1-$2-$3-$4-$5");
  const [known] = await runOn(client, sql`SELECT name FROM workspaces WHERE id = ${id}::uuid`);
  if (known === undefined) {
    throw new Failure(`There is no workspace ${wanted.id}; nothing was created.`);
  }
  return { id, name: String(known["name"]) };
}

/** A key that nothing knows yet. */
export function newKey(): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)));
  return `hop_${secret.join("")}`;
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** Whether the database has the key, and it has not ended. */
export async function isKeyKnown(databaseUrl: string, key: string): Promise<boolean> {
  const statement = sql`
    SELECT 1 FROM api_keys WHERE key_hash = decode(${hashOf(key)}, 'hex') AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > now())`;
  return (await runAt(databaseUrl, statement)).length > 0;
}

/** `ws_…` of the workspace that has this host; null where none has. */
export async function findWorkspaceOf(databaseUrl: string, host: string): Promise<string | null> {
  const statement = sql`
    SELECT workspace_id FROM domains
    WHERE host = ${host} AND proof <> 'pending' AND released_at IS NULL AND deleted_at IS NULL`;
  const [found] = await runAt(databaseUrl, statement);
  return found === undefined ? null : toPublicId("ws", found["workspace_id"]);
}

async function addKey(client: pg.Client, workspaceId: string, request: KeyRequest): Promise<string> {
  const key = request.key ?? newKey();
  await runOn(
    client,
    sql`
      INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes)
      VALUES (${newUuid()}::uuid, ${workspaceId}::uuid, ${request.name}, ${key.slice(0, PREFIX_LENGTH)},
        decode(${hashOf(key)}, 'hex'), ${request.scopes}::text[])`,
  );
  return key;
}

/** As it appears in a request's URL: lower case, punycode, with its port. */
function toHost(text: string): string {
  const host = /[\s/?#@\\%]/.test(text) ? "" : (URL.parse(`https://${text}`)?.host ?? "");
  if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d+)?$/.test(host)) {
    throw new Failure(`"${text}" is not a host name: leave out scheme and path, as in go.example.com.`);
  }
  return host;
}

async function addDomain(client: pg.Client, workspaceId: string, host: string): Promise<void> {
  const owners = await runOn(
    client,
    sql`SELECT workspace_id, deleted_at FROM domains
        WHERE host = ${host} AND proof <> 'pending' AND released_at IS NULL`,
  );
  const [suspended] = await runOn(client, sql`SELECT WHERE is_suspended(${host}, NULL)`);
  if (suspended !== undefined) {
    throw new Failure(
      `The host ${host} is suspended; nothing was created. Resume it first: pnpm operators resume ${host}`,
    );
  }
  if (owners.some((row) => row["deleted_at"] !== null)) {
    throw new Failure(
      `The domain ${host} was deleted, and visitors may still be led where its links led; nothing was created. Try again in three minutes.`,
    );
  }
  const other = owners.find((row) => row["workspace_id"] !== workspaceId);
  if (other !== undefined) {
    throw new Failure(
      `The domain ${host} belongs to another workspace; nothing was created. For a key of that one: --workspace ${toPublicId("ws", other["workspace_id"])}.`,
    );
  }
  await runOn(
    client,
    sql`
      WITH vouched AS (
        INSERT INTO domains (id, workspace_id, host, proof, proved_at)
        VALUES (${newUuid()}::uuid, ${workspaceId}::uuid, ${host}, 'vouched', now())
        ON CONFLICT (host, workspace_id) WHERE deleted_at IS NULL
        DO UPDATE SET proof = 'vouched', proved_at = now(), missing_since = NULL
        RETURNING id
      )
      INSERT INTO work AS kept (kind, key) SELECT 'domain-addresses', id FROM vouched ${ON_NEWER_WORK}`,
  );
}
