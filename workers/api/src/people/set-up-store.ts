/**
 * The set-up link of a new deployment: `pnpm run deploy` and `pnpm dev` put its token's hash into the database while no person has
 * an account. Who opens it becomes an operator, and owner of every workspace without members, or of a new one.
 */
import { people, verifications } from "@hopline/db/schema";
import { and, eq, gt, notExists, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { sha256Hex } from "../http/api-key.ts";
import { newEntityId } from "../http/entity-id.ts";
import type { NewAccount } from "./invitation-store.ts";

/** As packages/ops/src/operate/set-up-link.ts writes it. */
async function toIdentifier(token: string): Promise<string> {
  return `set-up:${await sha256Hex(new TextEncoder().encode(token))}`;
}

/** Whether there is an account, so that no set-up link works. */
export async function isSetUp(database: Database): Promise<boolean> {
  const rows = await database.select({ id: people.id }).from(people).limit(1);
  return rows.length > 0;
}

/** Whether the token can be used now. */
export async function isSetUpToken(database: Database, token: string): Promise<boolean> {
  const rows = await database
    .select({ id: verifications.id })
    .from(verifications)
    .where(
      and(
        eq(verifications.identifier, await toIdentifier(token)),
        gt(verifications.expiresAt, sql`now()`),
        notExists(database.select({ id: people.id }).from(people)),
      ),
    );
  return rows.length > 0;
}

export type FirstPerson = NewAccount & { readonly email: string; readonly workspaceName: string };

/**
 * Uses the token up and makes the account, both or neither. False if the token can't be used any more. Two at the same moment,
 * with two links, take turns: the second one sees the first one's account.
 */
export async function setUp(
  database: Database,
  token: string,
  { personId, email, name, passwordHash, workspaceName }: FirstPerson,
): Promise<boolean> {
  const [, { rows }] = await database.batch([
    database.execute(sql`LOCK TABLE people IN SHARE ROW EXCLUSIVE MODE`),
    database.execute(sql`
    WITH used AS (
      DELETE FROM verifications
      WHERE identifier = ${await toIdentifier(token)} AND expires_at > now() AND NOT EXISTS (SELECT FROM people)
      RETURNING id
    ),
    person AS (
      INSERT INTO people (id, name, email, email_verified, is_operator)
      SELECT ${personId}::uuid, ${name}, ${email}, true, true FROM used RETURNING id
    ),
    account AS (
      INSERT INTO accounts (id, person_id, provider_id, account_id, password)
      SELECT ${newEntityId()}::uuid, id, 'credential', id::text, ${passwordHash} FROM person
    ),
    without_people AS (
      SELECT id FROM workspaces
      WHERE deleted_at IS NULL AND NOT EXISTS (SELECT FROM members WHERE workspace_id = workspaces.id)
    ),
    made AS (
      INSERT INTO workspaces (id, name) SELECT ${newEntityId()}::uuid, ${workspaceName} FROM used
      WHERE NOT EXISTS (SELECT FROM without_people) RETURNING id
    )
    INSERT INTO members (id, workspace_id, person_id, role)
    SELECT gen_random_uuid(), workspace.id, person.id, 'owner'
    FROM person, (SELECT id FROM without_people UNION ALL SELECT id FROM made) AS workspace RETURNING id`),
  ]);
  return rows.length > 0;
}
