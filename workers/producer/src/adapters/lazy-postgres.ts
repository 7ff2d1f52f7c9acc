/** Postgres, of which nothing is loaded before something is asked of it: an isolate that KV fills never does. */
import type { NeonSettings } from "@hopline/db/neon-client";
import { withPostgres } from "../lazy-parts.ts";
import type { Postgres } from "./postgres.ts";

/** Once an isolate. */
export function createLazyPostgres(settings: NeonSettings, timeoutMs: number): Postgres {
  let opened: Postgres | undefined;
  const ask = async <Result>(question: (postgres: Postgres) => Promise<Result>): Promise<Result> =>
    withPostgres(({ createPostgres }) => {
      opened ??= createPostgres(settings, timeoutMs);
      return question(opened);
    });
  return {
    links: { load: (key) => ask(({ links }) => links.load(key)) },
    caps: { claim: (linkId) => ask(({ caps }) => caps.claim(linkId)) },
  };
}
