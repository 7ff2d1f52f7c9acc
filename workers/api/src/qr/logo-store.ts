/** Logos of domains in Postgres. Every statement is scoped by workspace. */
import { Buffer } from "node:buffer";
import { domainLogos } from "@hopline/db/schema";
import { and, eq, sql } from "drizzle-orm";
import { isDomainWithin } from "../http/bounds/within-bounds.ts";
import type { Database } from "../database.ts";
import type { Logo } from "./logo.ts";

export type StoredLogo = Logo & {
  /** Of the picture: another one has another. */
  readonly hash: string;
};

/** For `fromColumns`. */
export const LOGO_COLUMNS = {
  // As text: the driver would make it a Buffer, which Workers do not have as a global.
  png: sql<string | null>`encode(${domainLogos.png}, 'hex')`,
  width: domainLogos.width,
  height: domainLogos.height,
  hash: domainLogos.hash,
};

type Columns = {
  readonly png: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly hash: string | null;
};

/** `null`: there is none. */
export function fromColumns({ png, width, height, hash }: Columns): StoredLogo | null {
  return png === null || width === null || height === null || hash === null
    ? null
    : { png: Uint8Array.from(Buffer.from(png, "hex")), width, height, hash };
}

type Target = { readonly workspaceId: string; readonly domainId: string };

export async function findLogo(
  database: Database,
  { workspaceId, domainId }: Target,
): Promise<StoredLogo | null> {
  const [row] = await database
    .select(LOGO_COLUMNS)
    .from(domainLogos)
    .where(
      and(
        eq(domainLogos.domainId, domainId),
        eq(domainLogos.workspaceId, workspaceId),
        isDomainWithin(sql`${domainLogos.domainId}`),
      ),
    );
  return row === undefined ? null : fromColumns(row);
}

/** Replaces the one there is. False when the workspace has no such domain. */
export async function storeLogo(
  database: Database,
  { workspaceId, domainId }: Target,
  { png, width, height }: Logo,
): Promise<boolean> {
  const { rows } = await database.execute(sql`
    INSERT INTO domain_logos (domain_id, workspace_id, png, width, height)
    SELECT id, workspace_id, decode(${Buffer.from(png).toString("hex")}, 'hex'), ${width}, ${height}
    -- Takes turns with the domain's deletion.
    FROM domains WHERE id = ${domainId}::uuid AND workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL FOR KEY SHARE
    ON CONFLICT (domain_id) DO UPDATE
    SET png = excluded.png, width = excluded.width, height = excluded.height, updated_at = now()
    RETURNING domain_id`);
  return rows.length === 1;
}

/** False when there was none. */
export async function removeLogo(database: Database, { workspaceId, domainId }: Target): Promise<boolean> {
  const gone = await database
    .delete(domainLogos)
    .where(and(eq(domainLogos.domainId, domainId), eq(domainLogos.workspaceId, workspaceId)))
    .returning({ domainId: domainLogos.domainId });
  return gone.length === 1;
}
