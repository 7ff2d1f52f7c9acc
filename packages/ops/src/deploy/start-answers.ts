/**
 * What `start` needs and was not given: asked for on a terminal, one after the other; without one, all of it is named at
 * once. Flags and variables come first, then what earlier runs have kept.
 */
import { sql } from "@hopline/db/sql";
import { Failure } from "@hopline/testkit/console/failure";

import { runOn, withClient } from "../operate/direct-sql.ts";
import { listAccounts, logIn, readAccountId, readLogin } from "./account.ts";
import { changeEnvironment, type Environment, readEnvironment } from "./environments.ts";
import { hostOnWorkersDev } from "./find-place.ts";
import { objectAt, textAt } from "./json-object.ts";
import { keepSecrets, readSecrets } from "./secrets.ts";
import { readSubdomain } from "./subdomain.ts";
import type { Tools } from "./tools.ts";

/** In place of a host: those that Cloudflare gives. */
export const NO_HOST = "workers.dev";

export type StartFlags = {
  readonly account?: string | undefined;
  readonly host?: string | undefined;
  readonly "app-host"?: string | undefined;
  readonly email?: string | undefined;
  readonly subdomain?: string | undefined;
  readonly plan?: string | undefined;
};

export type StartAnswers = {
  readonly account: string;
  readonly databaseUrl: string;
  /** Null where environments.jsonc has its hosts already. */
  readonly host: string | null;
  readonly appHost: string | null;
  /** To be registered, or the one that the account has. */
  readonly subdomain: string | null;
  readonly accountSubdomain: string;
  /** Null where there is an account. */
  readonly email: string | null;
  readonly plan: "free" | "paid" | null;
};

type Deps = Pick<Tools, "ask" | "askText" | "runWrangler">;

/** Rejects with a `Failure` that names everything that is missing, before anything is made. */
export async function gatherAnswers(
  environment: Environment,
  flags: StartFlags,
  deps: Deps,
): Promise<StartAnswers> {
  const missing: string[] = [];
  const { ask, askText } = deps;
  /** `hint`: what to give where there is no terminal. */
  const need = async (known: string | null, hint: string, question: () => Promise<string> | undefined) => {
    const answer = known || ((await question()) ?? "");
    if (answer === "") {
      missing.push(hint);
    }
    return answer;
  };
  const isLoggedIn =
    Boolean(process.env["CLOUDFLARE_API_TOKEN"]) || (await readLogin(deps.runWrangler)) !== null;
  const token = await need(
    isLoggedIn ? "known" : null,
    "a login (CLOUDFLARE_API_TOKEN, or `pnpm exec wrangler login`)",
    () => ask?.("CLOUDFLARE_API_TOKEN (docs/deploy.md says with which permissions)"),
  );
  if (token !== "" && !isLoggedIn) {
    process.env["CLOUDFLARE_API_TOKEN"] = token;
  }
  const client = token === "" ? null : await logIn(deps.runWrangler);
  const account = await need(readAccountId(flags.account), "--account ID", async () => {
    const found = client === null ? [] : await listAccounts(client);
    const names = found.map(({ id, name }) => `${id} (${name})`).join(", ");
    return (await askText?.(`The account's id: ${names}`)) ?? "";
  });
  const databaseUrl = await need(
    (await readSecrets(environment.name, ["DATABASE_URL"])).get("DATABASE_URL") ?? null,
    "DATABASE_URL (postgresql://user:password@host/name)",
    () => ask?.("DATABASE_URL"),
  );
  const isNamed = environment.domains.length > 0 || appOriginOf(environment) !== "";
  const host = await need(
    flags.host ?? (isNamed ? "known" : null),
    `--host go.example.com, or --host ${NO_HOST}`,
    () => askText?.(`The host of your links, in a zone of the account (or ${NO_HOST})`),
  );
  const isOwned = databaseUrl !== "" && (await hasAccount(databaseUrl));
  const email = await need(flags.email ?? (isOwned ? "known" : null), "--email ada@example.com", () =>
    askText?.("The email address of the first owner"),
  );
  const has = client === null || account === "" ? null : await readSubdomain({ client, id: account });
  const subdomain =
    client === null || account === ""
      ? ""
      : await need(has ?? flags.subdomain ?? null, "--subdomain NAME, for <name>.workers.dev", () =>
          askText?.("A name for the account's addresses, <name>.workers.dev"),
        );
  if (missing.length > 0) {
    throw new Failure(`Missing: ${missing.join("; ")}. Nothing was made.`);
  }
  return {
    account,
    databaseUrl,
    host: flags.host ?? (isNamed ? null : host),
    appHost: flags["app-host"] ?? null,
    subdomain: has === null ? subdomain : null,
    accountSubdomain: subdomain,
    email: isOwned ? null : email,
    plan: flags.plan === "free" || flags.plan === "paid" ? flags.plan : null,
  };
}

/** Keeps them: hosts and variables in environments.jsonc, the database's address with the secrets. */
export async function applyAnswers(
  name: string,
  { accountSubdomain, appHost, databaseUrl, host, plan }: StartAnswers,
  { progress }: Pick<Tools, "progress">,
): Promise<Environment> {
  await keepSecrets(name, new Map([["DATABASE_URL", databaseUrl]]));
  const { domains } = await readEnvironment(name);
  // The first one is where `start` goes on; none is ever detached here.
  const isNewHost = host !== null && host !== NO_HOST;
  const hosts = isNewHost ? { domains: [host, ...domains.filter((other) => other !== host)] } : {};
  const before = await changeEnvironment(name, hosts);
  const isNew = appOriginOf(before) === "";
  const dashboard = hostOnWorkersDev(`hopline-dashboard${before.suffix}`, accountSubdomain);
  const origin = appHost !== null || isNew ? { APP_ORIGIN: `https://${appHost ?? dashboard}` } : {};
  const limits = plan ?? (isNew ? "free" : null);
  if (limits !== null) {
    progress.line(`Set for Workers ${limits === "free" ? "Free; on Paid, give --plan paid" : "Paid"}.`);
  }
  const subrequests = limits === null ? {} : { SUBREQUESTS: limits === "free" ? "50" : "10000" };
  const writes = limits === null ? {} : { KV_WRITES_PER_DAY: limits === "free" ? "1000" : "0" };
  return changeEnvironment(name, {
    vars: { api: { ...origin, ...writes, ...subrequests }, consumer: subrequests },
  });
}

function appOriginOf({ vars }: Environment): string {
  return textAt(objectAt(vars, "api"), "APP_ORIGIN") ?? "";
}

/** False in a database without tables. */
function hasAccount(databaseUrl: string): Promise<boolean> {
  return withClient(databaseUrl, async (client) => {
    const tables = await runOn(client, sql`SELECT 1 WHERE to_regclass('people') IS NOT NULL`);
    return tables.length > 0 && (await runOn(client, sql`SELECT 1 FROM people LIMIT 1`)).length > 0;
  });
}
