/** Asks each dependency a small question, all at once, and says how long its answer took. */
import { linkKeyOf } from "@hopline/core/link/link-address";
import { sql } from "drizzle-orm";
import type { ApiDeps } from "../api-deps.ts";

/** Past this a dependency counts as down. Milliseconds. */
const TIMEOUT_MS = 2_000;

export type DependencyHealth = { readonly isUp: boolean; readonly latencyMs: number };
export type Health = Readonly<Record<"database" | "kv" | "feed", DependencyHealth>>;

/** Never rejects. */
export async function checkHealth({ database, kv, feed, nowMs }: ApiDeps): Promise<Health> {
  // An address that no link can have: what is asked is whether there is an answer.
  const nobody = linkKeyOf("health.invalid", "-");
  const [databaseHealth, kvHealth, feedHealth] = await Promise.all([
    check(() => database.execute(sql`SELECT 1`), nowMs),
    check(() => kv.find(nobody), nowMs),
    check(() => feed.find(nobody), nowMs),
  ]);
  return { database: databaseHealth, kv: kvHealth, feed: feedHealth };
}

async function check(ask: () => PromiseLike<unknown>, nowMs: () => number): Promise<DependencyHealth> {
  const startedAtMs = nowMs();
  const isUp = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), TIMEOUT_MS);
    const settle = (answered: boolean) => () => {
      clearTimeout(timer);
      resolve(answered);
    };
    Promise.resolve().then(ask).then(settle(true), settle(false));
  });
  return { isUp, latencyMs: nowMs() - startedAtMs };
}
