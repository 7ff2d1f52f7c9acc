/** Migrations of the local stack: until a first release they are edited, and a database that others made is made anew. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { migrate, type MigrateOptions, OtherMigrations } from "@hopline/testkit/postgres/migrate";
import { openClient } from "@hopline/testkit/postgres/open-client";

/** What mirrors the database: KV and the key of the demo workspace. Bundles, the lock and Postgres itself stay. */
const MIRRORS = /^(?:workers|demo-api-key)/;

/**
 * @param databaseUrl of a database that the local stack made itself: everything in it is lost if its migrations have changed
 * @returns file names that were applied, and whether the database was made anew
 */
export async function migrateOwn(
  databaseUrl: string,
  stateDirectory: string,
  options: MigrateOptions,
): Promise<{ readonly applied: readonly string[]; readonly isNew: boolean }> {
  try {
    return { ...(await migrate(databaseUrl, options)), isNew: false };
  } catch (error) {
    if (!(error instanceof OtherMigrations)) {
      throw error;
    }
  }
  await using client = await openClient(databaseUrl);
  await client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  const mirrors = (await readdir(stateDirectory)).filter((name) => MIRRORS.test(name));
  await Promise.all(mirrors.map((name) => rm(join(stateDirectory, name), { recursive: true, force: true })));
  return { ...(await migrate(databaseUrl, options)), isNew: true };
}
