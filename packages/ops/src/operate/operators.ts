/** Who may see what is of the whole deployment, in the database: `people.is_operator`. */
import { sql } from "@hopline/db/sql";
import { Failure } from "@hopline/testkit/console/failure";

import { runOn, withClient } from "./direct-sql.ts";

export type Operator = { readonly email: string; readonly name: string };

/** By address. */
export function listOperators(databaseUrl: string): Promise<readonly Operator[]> {
  return withClient(databaseUrl, async (client) => {
    const rows = await runOn(client, sql`SELECT email, name FROM people WHERE is_operator ORDER BY email`);
    return rows.map(({ email, name }) => ({ email: String(email), name: String(name) }));
  });
}

/** Gives the role or takes it. A Failure where no account has this address. */
export function setOperator(databaseUrl: string, email: string, isOperator: boolean): Promise<void> {
  return withClient(databaseUrl, async (client) => {
    const changed = await runOn(
      client,
      sql`
        UPDATE people SET is_operator = ${isOperator}, updated_at = now() WHERE email = lower(${email}) RETURNING 1`,
    );
    if (changed.length === 0) {
      throw new Failure(`No account has the address ${email}: invite this person first.`);
    }
  });
}
