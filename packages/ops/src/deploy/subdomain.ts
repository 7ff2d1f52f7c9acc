/** The account's workers.dev subdomain. Cloudflare takes no Worker, not even one with hosts of its own, before there is one. */
import { Failure } from "@hopline/testkit/console/failure";
import { type Account, attempt, orNoWorker, orThere } from "./account.ts";
import type { Tools } from "./tools.ts";

/** An account has one subdomain; this request does not change it. */
const HAS_SUBDOMAIN = 10_036;
/** As wrangler checks it (`registerSubdomain` in workers-sdk). */
const SUBDOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Null where the account has none yet. */
export function readSubdomain({ client, id }: Account): Promise<string | null> {
  return attempt("Reading the workers.dev subdomain", "Workers Scripts", async () => {
    const found = await orNoWorker(() => client.workers.subdomains.get({ account_id: id }));
    return found?.subdomain ?? null;
  });
}

export async function registerSubdomain({ client, id }: Account, subdomain: string): Promise<void> {
  await attempt(`Registering ${subdomain}.workers.dev`, "Workers Scripts", () =>
    orThere(HAS_SUBDOMAIN, () => client.workers.subdomains.update({ account_id: id, subdomain })),
  );
}

/** The name that was given, or else typed. Rejects with a `Failure` without one, or for one that no host can have. */
export async function chooseSubdomain(given: string | null, askText: Tools["askText"]): Promise<string> {
  const question = "A name for the account's addresses, <name>.workers.dev";
  const name = given ?? (await askText?.(question)) ?? "";
  if (name === "") {
    throw new Failure(
      "The account has no workers.dev subdomain yet, and Cloudflare takes no Worker without one: give a name for it with --subdomain, such as that of your company. Nothing was made.",
    );
  }
  if (!SUBDOMAIN.test(name)) {
    throw new Failure(
      `"${name}" cannot be a subdomain: use up to 63 of a-z, 0-9 and -, without - at the ends. Nothing was made.`,
    );
  }
  return name;
}
