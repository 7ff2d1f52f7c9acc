/** What may be used once, within some minutes, by the holder of its secret: kept under the secret's SHA-256. */
import { verifications } from "@hopline/db/schema";
import { eq, gt, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { sha256Hex } from "../http/api-key.ts";
import { newEntityId } from "../http/entity-id.ts";

/** Of whom or what: `sign-in`. Without it a secret that was made for one thing would open another. */
type Purpose = string;

async function toIdentifier(purpose: Purpose, secret: string): Promise<string> {
  return `${purpose}:${await sha256Hex(new TextEncoder().encode(secret))}`;
}

export type OneTime = {
  readonly purpose: Purpose;
  readonly secret: string;
  readonly value: string;
  readonly seconds: number;
};

export async function insertOneTime(
  database: Database,
  { purpose, secret, value, seconds }: OneTime,
): Promise<void> {
  await database.insert(verifications).values({
    id: newEntityId(),
    identifier: await toIdentifier(purpose, secret),
    value,
    expiresAt: sql`now() + ${seconds} * interval '1 second'`,
  });
}

/** Uses it up; its value. `null` for what was used, is too old, or never was. */
export async function takeOneTime(
  database: Database,
  purpose: Purpose,
  secret: string,
): Promise<string | null> {
  const [taken] = await database
    .delete(verifications)
    .where(eq(verifications.identifier, await toIdentifier(purpose, secret)))
    .returning({ value: verifications.value, isOpen: gt(verifications.expiresAt, sql`now()`) });
  return taken?.isOpen === true ? taken.value : null;
}
