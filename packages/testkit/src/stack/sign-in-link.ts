/**
 * A link that signs the local stack's first owner in, once. It is stored as better-auth's magic links are
 * (workers/api/src/people/auth.ts opens them), but for a day, because it stands in a terminal.
 *
 * For a database that came with the stack and no other: a reader of a terminal must not get into a deployment.
 */
import { createHash, randomBytes } from "node:crypto";

import { openClient } from "../postgres/open-client.ts";

const TOKEN_BYTES = 24;

/** `null` while no workspace has an owner. `appOrigin` without a slash at the end. */
export async function createSignInLink(databaseUrl: string, appOrigin: string): Promise<string | null> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const hash = createHash("sha256").update(token).digest("base64url");
  await using client = await openClient(databaseUrl);
  const added = await client.query(
    `INSERT INTO verifications (id, identifier, value, expires_at)
       SELECT gen_random_uuid(), $1, json_build_object('type', 'magic-link', 'email', email)::text, now() + interval '1 day'
       FROM people WHERE id IN (SELECT person_id FROM members WHERE role = 'owner') ORDER BY created_at, id LIMIT 1`,
    [`magic-link:${hash}`],
  );
  return added.rowCount === 0 ? null : `${appOrigin}/sign-in/link?token=${token}`;
}
