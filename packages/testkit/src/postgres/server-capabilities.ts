/**
 * Asks a database what it can do: its version, and which edition of TimescaleDB is in it.
 *
 * The migrations ask for themselves, in SQL; this is for progress lines and tests. Neon ships the Apache edition
 * (no compression, no continuous aggregates, no jobs), the full one says `timescale`. The licence setting exists only
 * once the extension is created in the database and its library is preloaded.
 */

export type ServerCapabilities = {
  /** `18.4` */
  readonly serverVersion: string;
  /** null where the extension is not created in this database. */
  readonly timescale: null | { readonly version: string; readonly license: "apache" | "timescale" };
};

/** The part of a pg Client or Pool that is needed. */
export type Queryable = {
  query(text: string): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
};

const QUESTION = `
  SELECT split_part(current_setting('server_version'), ' ', 1) AS server_version,
         (SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'timescaledb') AS timescale_version,
         current_setting('timescaledb.license', true) AS timescale_license`;

export async function readCapabilities(client: Queryable): Promise<ServerCapabilities> {
  const row = (await client.query(QUESTION)).rows[0] ?? {};
  const version = row["timescale_version"];
  return {
    serverVersion: String(row["server_version"]),
    timescale:
      typeof version === "string"
        ? { version, license: row["timescale_license"] === "timescale" ? "timescale" : "apache" }
        : null,
  };
}

/** `Postgres 18.4 with TimescaleDB 2.28.3 (Apache edition)` */
export function describeCapabilities({ serverVersion, timescale }: ServerCapabilities): string {
  if (timescale === null) {
    return `Postgres ${serverVersion} without TimescaleDB`;
  }
  const edition = timescale.license === "apache" ? "Apache" : "Community";
  return `Postgres ${serverVersion} with TimescaleDB ${timescale.version} (${edition} edition)`;
}
