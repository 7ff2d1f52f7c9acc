/** Who may see what is of the whole deployment, in the database: `people.is_operator`. */
import { sql } from "@hopline/db/sql";
import { Failure } from "@hopline/testkit/console/failure";

import { runAt } from "./direct-sql.ts";

export type Operator = { readonly email: string; readonly name: string };

/** By address. */
export async function listOperators(databaseUrl: string): Promise<readonly Operator[]> {
  const rows = await runAt(databaseUrl, sql`SELECT email, name FROM people WHERE is_operator ORDER BY email`);
  return rows.map(({ email, name }) => ({ email: String(email), name: String(name) }));
}

/** Gives the role or takes it. A Failure where no account has this address. */
export async function setOperator(databaseUrl: string, email: string, isOperator: boolean): Promise<void> {
  const statement = sql`
    UPDATE people SET is_operator = ${isOperator}, updated_at = now() WHERE email = lower(${email}) RETURNING 1`;
  if ((await runAt(databaseUrl, statement)).length === 0) {
    throw new Failure(`No account has the address ${email}: invite this person first.`);
  }
}
