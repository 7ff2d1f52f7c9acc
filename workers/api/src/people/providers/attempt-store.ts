/**
 * An attempt to sign in with an identity provider, between leaving for it and coming back: by its state, for ten minutes,
 * once. The state is in a cookie too, so that only the browser that left can come back.
 */
import { z } from "@hono/zod-openapi";
import type { Database } from "../../database.ts";
import { insertOneTime, takeOneTime } from "../one-time-store.ts";

export const ATTEMPT_SECONDS = 600;

const PURPOSE = "sign-in";

const StoredAttempt = z.object({
  providerId: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  /** The whole address. */
  returnTo: z.string(),
});

export type StoredAttempt = Readonly<z.infer<typeof StoredAttempt>>;

export async function insertAttempt(
  database: Database,
  state: string,
  attempt: StoredAttempt,
): Promise<void> {
  const value = JSON.stringify(attempt);
  await insertOneTime(database, { purpose: PURPOSE, secret: state, value, seconds: ATTEMPT_SECONDS });
}

/** Uses it up. `null` for one that was used, is too old, or never was. */
export async function takeAttempt(database: Database, state: string): Promise<StoredAttempt | null> {
  const value = await takeOneTime(database, PURPOSE, state);
  return value === null ? null : StoredAttempt.parse(JSON.parse(value));
}
