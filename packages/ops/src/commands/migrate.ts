/**
 * `pnpm migrate`: brings the database that DATABASE_URL names up to date. Exit code 1 and one line when it cannot.
 */
import { join } from "node:path";

import { describeError, Failure } from "@hopline/testkit/console/failure";
import { migrate } from "@hopline/testkit/postgres/migrate";

const MIGRATIONS_DIRECTORY = join(import.meta.dirname, "../../../../migrations");

try {
  const databaseUrl = process.env["DATABASE_URL"];
  if (databaseUrl === undefined || databaseUrl === "") {
    throw new Failure(
      "DATABASE_URL is not set: DATABASE_URL=postgresql://user:password@host/name pnpm migrate",
    );
  }
  await migrate(databaseUrl, { directory: MIGRATIONS_DIRECTORY, onProgress: (line) => console.log(line) });
} catch (error) {
  console.error(describeError(error));
  process.exitCode = 1;
}
