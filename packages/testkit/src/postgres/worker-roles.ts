/** The least-privilege roles of packages/db/roles.sql in a scratch database, so that tests run with a deployment's privileges. */
import { readFileSync } from "node:fs";

import { errorCode, Failure } from "../console/failure.ts";
import { inWorkspace } from "../workspace/workspace.ts";
import { openClient } from "./open-client.ts";

const ROLES = inWorkspace("packages/db/roles.sql");

export type WorkerRole = "hopline_producer" | "hopline_consumer" | "hopline_api" | "hopline_reader";

/** Grants the roles their privileges in a migrated database. The roles themselves belong to the whole server. */
export async function grantWorkerRoles(databaseUrl: string): Promise<void> {
  await using client = await openClient(databaseUrl);
  try {
    await client.query(readFileSync(ROLES, "utf8"));
  } catch (cause) {
    if (errorCode(cause) === "42501") {
      throw new Failure("The tests create the Workers' roles: use a superuser's login in DATABASE_URL.", {
        cause,
      });
    }
    throw cause;
  }
}

/** A connection string for the /sql endpoint, which runs statements under the role. @param name of the role or its Worker. */
export function asRole(name: string): string {
  return `postgresql://${name.replaceAll("-", "_")}:secret-of-the-test@database.local.invalid/hopline`;
}

/** The role that a Neon-Connection-String names. `null` for any other user: those act as the database's owner. */
export function readRole(connectionString: string): WorkerRole | null {
  const user = URL.canParse(connectionString) ? new URL(connectionString).username : "";
  switch (user) {
    case "hopline_producer":
    case "hopline_consumer":
    case "hopline_api":
    case "hopline_reader":
      return user;
    default:
      return null;
  }
}
