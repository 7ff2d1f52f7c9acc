/**
 * The demo data of `pnpm dev`: a workspace, a short domain that is this machine's own address, four links, one API key.
 *
 * Written straight to the database, in one transaction, under fixed ids: a second start changes nothing, another port
 * moves the domain, and what a developer edited stays edited. The key's secret is kept in the state directory and
 * nowhere else; the database has its SHA-256, as for any key.
 */
import { createHash, randomInt } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { encodeLinkRecord } from "@hopline/core/link/link-record";
import type pg from "pg";

import { describeDatabase } from "../postgres/database-url.ts";
import { errorCode, Failure } from "../console/failure.ts";
import { openClient } from "../postgres/open-client.ts";

/** Version 7 in form, as the API makes them, with the time at zero: older than any real one. */
const DEMO_WORKSPACE_ID = "00000000-0000-7000-8000-000000000001";
const DEMO_DOMAIN_ID = "00000000-0000-7000-8000-000000000002";
const DEMO_KEY_ID = "00000000-0000-7000-8000-000000000003";
const DEMO_KEY_SCOPES = ["links:read", "links:write", "analytics:read", "admin"];
const KEY_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const KEY_PREFIX_LENGTH = 12;

const DEMO_LINKS = [
  { id: "00000000-0000-7000-8000-000000000101", slug: "hello", url: "https://example.com/", title: "Hello" },
  {
    id: "00000000-0000-7000-8000-000000000102",
    slug: "docs",
    url: "https://developers.cloudflare.com/workers/",
    title: "Workers documentation",
  },
  {
    id: "00000000-0000-7000-8000-000000000103",
    slug: "grüße",
    url: "https://example.org/grüße",
    title: "Unicode",
  },
  {
    id: "00000000-0000-7000-8000-000000000104",
    slug: "🚀",
    url: "https://example.net/launch",
    title: "Emoji",
  },
] as const;

export type DemoData = {
  readonly host: string;
  readonly slug: string;
  /** The whole API key, `hop_…`. A secret, if only a local one. */
  readonly apiKey: string;
  /** The host that the demo domain had before this call, when it was another one. */
  readonly movedFrom: string | null;
};

/** Makes the demo data complete. `host` is as a browser sends it: with the port. */
export async function seedDemo(options: {
  readonly databaseUrl: string;
  readonly stateDirectory: string;
  readonly host: string;
}): Promise<DemoData> {
  await using client = await openClient(options.databaseUrl);
  try {
    await client.query("BEGIN");
    const movedFrom = await seedDomain(client, options.host);
    const apiKey = await seedApiKey(client, options.stateDirectory);
    await seedLinks(client);
    await client.query("COMMIT");
    return { host: options.host, slug: DEMO_LINKS[0].slug, apiKey, movedFrom };
  } catch (cause) {
    if (errorCode(cause) === "42P01" || errorCode(cause) === "42703") {
      const place = describeDatabase(options.databaseUrl);
      throw new Failure(`The database at ${place} has other tables than these migrations make.`, { cause });
    }
    throw cause;
  }
}

async function seedDomain(client: pg.Client, host: string): Promise<string | null> {
  await client.query("INSERT INTO workspaces (id, name) VALUES ($1, 'Demo') ON CONFLICT (id) DO NOTHING", [
    DEMO_WORKSPACE_ID,
  ]);
  const rows = await client.query<{ id: string; host: string }>(
    "SELECT id, host FROM domains WHERE id = $1 OR (host = $2 AND released_at IS NULL AND proof <> 'pending')",
    [DEMO_DOMAIN_ID, host],
  );
  if (rows.rows.some((row) => row.id !== DEMO_DOMAIN_ID)) {
    throw new Failure(
      `The domain ${host} belongs to another workspace of this database: choose another --port.`,
    );
  }
  await client.query(
    `INSERT INTO domains (id, workspace_id, host, proof, proved_at) VALUES ($1, $2, $3, 'vouched', now())
     ON CONFLICT (id) DO UPDATE SET host = excluded.host, deleted_at = NULL, released_at = NULL
     WHERE domains.host <> excluded.host OR domains.deleted_at IS NOT NULL`,
    [DEMO_DOMAIN_ID, DEMO_WORKSPACE_ID, host],
  );
  const before = rows.rows[0]?.host ?? host;
  return before === host ? null : before;
}

/** The key of the last start, or a new one where its file is lost or it was revoked; the old one then works no more. */
async function seedApiKey(client: pg.Client, stateDirectory: string): Promise<string> {
  const ended = await client.query(
    "SELECT FROM api_keys WHERE id = $1 AND (revoked_at IS NOT NULL OR expires_at <= now())",
    [DEMO_KEY_ID],
  );
  const path = join(stateDirectory, "demo-api-key");
  const kept = ended.rowCount === 0 ? await readFile(path, "utf8").catch(() => "") : "";
  const apiKey = /^hop_[A-Za-z0-9]{32}$/.test(kept.trim()) ? kept.trim() : await storeNewApiKey(path);
  await client.query(
    `INSERT INTO api_keys (id, workspace_id, name, prefix, key_hash, scopes) VALUES ($1, $2, 'Demo', $3, $4, $5)
     ON CONFLICT (id) DO UPDATE
     SET prefix = excluded.prefix, key_hash = excluded.key_hash, revoked_at = NULL, expires_at = NULL
     WHERE api_keys.key_hash <> excluded.key_hash`,
    [
      DEMO_KEY_ID,
      DEMO_WORKSPACE_ID,
      apiKey.slice(0, KEY_PREFIX_LENGTH),
      createHash("sha256").update(apiKey).digest(),
      DEMO_KEY_SCOPES,
    ],
  );
  return apiKey;
}

async function seedLinks(client: pg.Client): Promise<void> {
  for (const { id, slug, url, title } of DEMO_LINKS) {
    const record = encodeLinkRecord({
      linkId: id,
      state: "live",
      url: new URL(url).href,
      redirectStatus: 302,
    });
    await client.query(
      `INSERT INTO links (id, workspace_id, domain_id, slug, url, title, record) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT DO NOTHING`,
      [id, DEMO_WORKSPACE_ID, DEMO_DOMAIN_ID, slug.normalize("NFC"), new URL(url).href, title, record],
    );
  }
}

/** In the form that the API makes and accepts. */
async function storeNewApiKey(path: string): Promise<string> {
  const characters = Array.from({ length: 32 }, () => KEY_ALPHABET.charAt(randomInt(KEY_ALPHABET.length)));
  const apiKey = `hop_${characters.join("")}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${apiKey}\n`);
  await chmod(path, 0o600);
  return apiKey;
}
