/**
 * The Cloudflare account: login, KV namespaces, queues and secrets, through Cloudflare's SDK.
 *
 * The SDK retries what may pass (429, 5xx, a lost connection). What still fails becomes a `Failure` that says what was
 * being done and, for a token that is not allowed to, which permission it needs. No message contains the token.
 */
import Cloudflare, { APIError } from "cloudflare";

import { Failure } from "@hopline/testkit/console/failure";
import { parseJsonObject, textAt } from "./json-object.ts";
import type { RunWrangler } from "./tools.ts";

export type Account = { readonly client: Cloudflare; readonly id: string };

/** What a token must be allowed to edit, in the dashboard's words. */
type Permission = "Workers Scripts" | "Workers KV Storage" | "Workers Routes" | "Queues";

const TIMEOUT_MS = 20_000;
const NO_SUCH_WORKER = 10_007;
/** Refused with 403 though the token may: developers.cloudflare.com/workers/platform/error-codes. */
const NO_SUBDOMAIN = 10_063;
const SUBDOMAIN_TAKEN = 10_031;
const EMAIL_UNVERIFIED = 10_034;
const KV_TITLE_TAKEN = 10_014;
const QUEUE_NAME_TAKEN = 11_009;
const VISIBLE = /^[!-~]+$/;
/** Cloudflare's codes for a token that is malformed, unknown or expired. */
const BAD_TOKEN: readonly number[] = [1000, 6003, 6111, 9109];

/** Every command that reads or changes an account has it. */
export const accountArg = {
  type: "string",
  description: "The id of the Cloudflare account, unless CLOUDFLARE_ACCOUNT_ID names it",
} as const;

/** The account that the command line names, or else CLOUDFLARE_ACCOUNT_ID; null where none is named. */
export function readAccountId(given: string | undefined): string | null {
  return given || process.env["CLOUDFLARE_ACCOUNT_ID"] || null;
}

/**
 * Logs in with CLOUDFLARE_API_TOKEN, or else as `wrangler login` did. No account is touched because a login reaches it: it has to be
 * named. CLOUDFLARE_API_BASE_URL replaces Cloudflare's address, as it does for wrangler.
 */
export async function connectAccount(runWrangler: RunWrangler, given?: string): Promise<Account> {
  const client = await logIn(runWrangler);
  const id = readAccountId(given);
  if (id === null) {
    const names = (await listAccounts(client)).map((account) => `${account.name} (${account.id})`);
    throw new Failure(
      `Name the account with --account ID: the login reaches ${names.join(", ") || "no account"}.`,
    );
  }
  return { client, id };
}

export async function logIn(runWrangler: RunWrangler): Promise<Cloudflare> {
  const apiToken = process.env["CLOUDFLARE_API_TOKEN"]?.trim() || (await readLogin(runWrangler));
  if (apiToken === null) {
    throw new Failure(
      "Not logged in to Cloudflare: set CLOUDFLARE_API_TOKEN, or run `pnpm exec wrangler login`.",
    );
  }
  // Node would refuse such a header in an error that contains the token.
  if (!VISIBLE.test(apiToken)) {
    throw new Failure("CLOUDFLARE_API_TOKEN contains characters that no token has. Copy it again.");
  }
  return new Cloudflare({
    apiToken,
    apiKey: null,
    apiEmail: null,
    baseURL: process.env["CLOUDFLARE_API_BASE_URL"] || null,
    timeout: TIMEOUT_MS,
  });
}

/** The token of wrangler's login; null without one. */
export async function readLogin(runWrangler: RunWrangler): Promise<string | null> {
  const { exitCode, output } = await runWrangler(["auth", "token", "--json"]);
  return exitCode === 0 ? textAt(parseJsonObject(output, "The login of wrangler"), "token") : null;
}

/** Those that a login reaches. */
export async function listAccounts(client: Cloudflare): Promise<readonly { id: string; name: string }[]> {
  const { result } = await attempt("Listing your accounts (none was named)", null, () =>
    client.accounts.list(),
  );
  return result.map(({ id, name }) => ({ id, name }));
}

/** Title to id. */
export function listKvNamespaces({ client, id }: Account): Promise<ReadonlyMap<string, string>> {
  return attempt("Listing the KV namespaces", "Workers KV Storage", async () => {
    const ids = new Map<string, string>();
    for await (const namespace of client.kv.namespaces.list({ account_id: id, per_page: 100 })) {
      ids.set(namespace.title, namespace.id);
    }
    return ids;
  });
}

export async function createKvNamespace({ client, id }: Account, title: string): Promise<void> {
  await attempt(`Creating the KV namespace ${title}`, "Workers KV Storage", () =>
    orThere(KV_TITLE_TAKEN, () => client.kv.namespaces.create({ account_id: id, title })),
  );
}

/** Name to id. */
export function listQueues({ client, id }: Account): Promise<ReadonlyMap<string, string>> {
  return attempt("Listing the queues", "Queues", async () => {
    const ids = new Map<string, string>();
    let knownCount = -1;
    // The API has pages of queues, the SDK 7.3 does not know: the first page without a new name is the end.
    for (let page = 1; ids.size > knownCount; page += 1) {
      knownCount = ids.size;
      const { result } = await client.queues.list({ account_id: id }, { query: { page } });
      result.forEach(({ queue_id = "", queue_name = "" }) => ids.set(queue_name, queue_id));
    }
    return ids;
  });
}

export async function createQueue({ client, id }: Account, name: string): Promise<void> {
  await attempt(`Creating the queue ${name}`, "Queues", () =>
    orThere(QUEUE_NAME_TAKEN, () => client.queues.create({ account_id: id, queue_name: name })),
  );
}

/** Names of a Worker's secrets; null where there is no such Worker. */
export function listSecrets({ client, id }: Account, worker: string): Promise<readonly string[] | null> {
  return attempt(`Listing the secrets of ${worker}`, "Workers Scripts", () =>
    orNoWorker(async () => {
      const { result } = await client.workers.scripts.secrets.list(worker, { account_id: id });
      return result.map(({ name }) => name);
    }),
  );
}

/** Sets secrets of a Worker. Where there is none yet, makes a draft that has nothing but them. */
export async function putSecrets(
  account: Account,
  worker: string,
  values: ReadonlyMap<string, string>,
): Promise<void> {
  const { client, id } = account;
  const isMissing = (await listSecrets(account, worker)) === null;
  await attempt(`Setting secrets of ${worker}`, "Workers Scripts", async () => {
    if (isMissing) {
      // Not by `scripts.update`: the SDK 7.3 sends its form in a type and an encoding that the API does not accept.
      await client.put(`/accounts/${id}/workers/scripts/${worker}`, { body: toDraft() });
    }
    const secrets = [...values].map(([name, text]) => [name, { name, text, type: "secret_text" }] as const);
    await client.workers.scripts.secrets.bulkUpdate(
      worker,
      { account_id: id, secrets: Object.fromEntries(secrets) },
      { headers: { "Content-Type": "application/merge-patch+json" } },
    );
  });
}

function toDraft(): FormData {
  const form = new FormData();
  form.append("metadata", JSON.stringify({ main_module: "draft.js" }));
  const module = new Blob(["export default { fetch() {} }"], { type: "application/javascript+module" });
  form.append("draft.js", module, "draft.js");
  return form;
}

/** Null where the account has no such Worker; every other error is the caller's. */
export async function orNoWorker<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof APIError && hasCode(error, [NO_SUCH_WORKER])) {
      return null;
    }
    throw error;
  }
}

/** For something new: it is there already where an answer was lost, or where lists do not show it yet. */
export async function orThere(taken: number, make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!(error instanceof APIError && hasCode(error, [taken]))) {
      throw error;
    }
  }
}

/** Runs calls of the SDK; its errors become a `Failure`. `permission`: null where every valid token will do. */
export async function attempt<T>(
  doing: string,
  permission: Permission | null,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof APIError)) {
      throw error;
    }
    throw new Failure(`${doing} failed: ${explain(error, permission)}`, { cause: error });
  }
}

/** The same for a removal: what is not there, be it because an answer was lost, is removed. */
export function attemptRemoval(doing: string, permission: Permission, run: () => Promise<unknown>) {
  return attempt(doing, permission, async () => {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof APIError && error.status === 404)) {
        throw error;
      }
    }
  });
}

function explain(error: APIError, permission: Permission | null): string {
  const { status } = error;
  if (status === undefined) {
    return "Cloudflare did not answer. Check the network and try again.";
  }
  if (status === 401 || hasCode(error, BAD_TOKEN)) {
    return "Cloudflare does not accept the token. Check CLOUDFLARE_API_TOKEN, or log in again.";
  }
  if (hasCode(error, [NO_SUBDOMAIN])) {
    return "the account has no workers.dev subdomain yet. Run `pnpm run provision` with --subdomain and a name for it.";
  }
  if (hasCode(error, [SUBDOMAIN_TAKEN])) {
    return "another account has that subdomain, or Cloudflare does not give it away. Choose another one.";
  }
  if (hasCode(error, [EMAIL_UNVERIFIED])) {
    return "the account's email address is not verified. Open the link in Cloudflare's email, then run this again.";
  }
  if (status === 403 && permission !== null) {
    return `the token may not do that. Give it the permission "${permission}: Edit" for this account.`;
  }
  const said = error.errors.map(({ code, message }) => `${message} [code: ${code}]`).join("; ");
  return `${said || "Cloudflare gave no reason"} (HTTP ${status}).`;
}

function hasCode({ errors }: APIError, codes: readonly number[]): boolean {
  return errors.some(({ code }) => code !== undefined && codes.includes(code));
}
