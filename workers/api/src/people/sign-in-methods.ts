/**
 * The ways in which a person can sign in. A way counts while the deployment offers it: a link by email where emails can be sent,
 * and an account at an identity provider while that provider is configured. The last one that counts can't be removed.
 */
import { accounts, passkeys, people } from "@hopline/db/schema";
import { and, eq, exists, inArray, ne, or, type SQL, sql } from "drizzle-orm";
import { alias, unionAll } from "drizzle-orm/pg-core";
import type { Database } from "../database.ts";
import { ProblemError } from "../http/problem.ts";
import { epochMs } from "../instant.ts";
import type { PeopleDeps } from "./people-deps.ts";

type Offered = Pick<PeopleDeps, "settings" | "sendEmail">;

export type StoredMethod = {
  readonly id: string;
  readonly kind: "password" | "passkey" | "provider";
  /** Of a passkey its name, of a provider's account its issuer. */
  readonly label: string;
  readonly createdAtMs: number;
};

/** Passkeys, the password and accounts at identity providers, oldest first; and the account's address. */
export async function listStoredMethods(
  database: Database,
  personId: string,
): Promise<{ readonly email: string; readonly methods: readonly StoredMethod[] }> {
  const isPassword = eq(accounts.providerId, "credential");
  const [[person], methods] = await database.batch([
    database.select({ email: people.email }).from(people).where(eq(people.id, personId)),
    unionAll(
      database
        .select({
          id: accounts.id,
          kind: sql<StoredMethod["kind"]>`CASE WHEN ${isPassword} THEN 'password' ELSE 'provider' END`.as(
            "kind",
          ),
          label: accounts.providerId,
          createdAtMs: epochMs(accounts.createdAt).as("created_at_ms"),
        })
        .from(accounts)
        .where(eq(accounts.personId, personId)),
      database
        .select({
          id: passkeys.id,
          kind: sql<StoredMethod["kind"]>`'passkey'`.as("kind"),
          label: passkeys.name,
          createdAtMs: epochMs(passkeys.createdAt).as("created_at_ms"),
        })
        .from(passkeys)
        .where(eq(passkeys.personId, personId)),
    ).orderBy(sql`created_at_ms`, sql`id`),
  ]);
  return { email: person?.email ?? "", methods };
}

/** Whose way it is, and what else the deployment offers. */
export type Removal = {
  readonly table: typeof accounts | typeof passkeys;
  readonly personId: string;
  readonly id: string;
  readonly offered: Offered;
};

/**
 * Removes a password, an account at a provider, or a passkey. Two at once take turns on the person's row, so that together they
 * don't remove the last two. Throws `ProblemError` not_found or last_sign_in_method.
 */
export async function deleteMethod(
  database: Database,
  { table, personId, id, offered }: Removal,
): Promise<void> {
  const isTarget = and(eq(table.personId, personId), eq(table.id, id));
  const [, removed, left] = await database.batch([
    database.select({ id: people.id }).from(people).where(eq(people.id, personId)).for("no key update"),
    database
      .delete(table)
      .where(and(isTarget, hasAnother(database, { personId, id, offered })))
      .returning({ id: table.id }),
    database.select({ id: table.id }).from(table).where(isTarget),
  ]);
  if (removed.length === 0) {
    throw new ProblemError(left.length === 0 ? "not_found" : "last_sign_in_method");
  }
}

function hasAnother(
  database: Database,
  { personId, id, offered: { settings, sendEmail } }: Omit<Removal, "table">,
): SQL | undefined {
  if (sendEmail !== null) {
    return undefined;
  }
  const passkey = database
    .select({ id: OTHER_PASSKEY.id })
    .from(OTHER_PASSKEY)
    .where(and(eq(OTHER_PASSKEY.personId, personId), ne(OTHER_PASSKEY.id, id)));
  const usable = ["credential", ...settings.providers.map(({ issuer }) => issuer)];
  const account = database
    .select({ id: OTHER_ACCOUNT.id })
    .from(OTHER_ACCOUNT)
    .where(
      and(
        eq(OTHER_ACCOUNT.personId, personId),
        ne(OTHER_ACCOUNT.id, id),
        inArray(OTHER_ACCOUNT.providerId, usable),
      ),
    );
  return or(exists(passkey), exists(account));
}

const OTHER_PASSKEY = alias(passkeys, "other_passkey");
const OTHER_ACCOUNT = alias(accounts, "other_account");
