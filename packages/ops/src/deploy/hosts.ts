/**
 * The hosts that Workers answer on: which of them an account has attached, which belong to another account, and which have
 * left environments.jsonc.
 *
 * Wrangler does not ask before it takes a host over: without a terminal it always overrides other Workers' hosts and
 * existing DNS records (`publishCustomDomains` in workers-sdk). So that is found out before the first upload.
 */
import { APIError } from "cloudflare";

import { Failure } from "@hopline/testkit/console/failure";
import { type Account, attempt } from "./account.ts";
import { objectsAt, textAt, toJsonObject } from "./json-object.ts";

export type AttachedHost = { readonly id: string; readonly host: string; readonly worker: string };

/** All of the account, whichever Worker they lead to. */
export function listHosts({ client, id }: Account): Promise<readonly AttachedHost[]> {
  return attempt("Listing the hosts of Workers", "Workers Scripts", async () => {
    const found: AttachedHost[] = [];
    for await (const domain of client.workers.domains.list({ account_id: id })) {
      found.push({ id: domain.id, host: domain.hostname, worker: domain.service });
    }
    return found;
  });
}

/**
 * Rejects with a `Failure` that names each host that leads elsewhere today.
 *
 * @param wanted deployed name of a Worker to its hosts.
 * @param askThrough a Worker that is there, be it a draft: the account is asked about DNS records in its name.
 */
export async function requireFreeHosts(
  account: Account,
  wanted: ReadonlyMap<string, readonly string[]>,
  askThrough: string,
): Promise<void> {
  const hosts = [...wanted].flatMap(([worker, names]) => names.map((host) => ({ host, worker })));
  if (hosts.length === 0) {
    return;
  }
  const attached = new Map((await listHosts(account)).map(({ host, worker }) => [host, worker]));
  const others = hosts.flatMap(({ host, worker }) => {
    const owner = attached.get(host) ?? worker;
    return owner === worker ? [] : [`${host} is a host of the Worker ${owner}`];
  });
  const unattached = hosts.map(({ host }) => host).filter((host) => !attached.has(host));
  const records = unattached.length === 0 ? [] : await listConflicts(account, askThrough, unattached);
  const taken = [...others, ...records.map((host) => `${host} has a DNS record that leads elsewhere`)];
  if (taken.length > 0) {
    throw new Failure(
      `${taken.join("; ")}. Nothing was deployed. To switch such a host to Hopline at once, give --take-over; ` +
        "else remove it from environments.jsonc, or free it first.",
    );
  }
}

/** Detaches from a Worker each host that it should not have any more; resolves to their names. */
export async function detachHosts(
  account: Account,
  worker: string,
  kept: readonly string[],
): Promise<readonly string[]> {
  const left = (await listHosts(account)).filter(
    (entry) => entry.worker === worker && !kept.includes(entry.host),
  );
  for (const { id, host } of left) {
    await attempt(`Detaching ${host} from ${worker}`, "Workers Scripts", () =>
      account.client.workers.domains.delete(id, { account_id: account.id }),
    );
  }
  return left.map(({ host }) => host);
}

/** Null where the token may not read the zone. */
export async function findZoneName({ client }: Account, zoneId: string): Promise<string | null> {
  const zone = await client.zones.get({ zone_id: zoneId }).catch((error: unknown) => {
    if (error instanceof APIError) {
      return null;
    }
    throw error;
  });
  return zone?.name ?? null;
}

/** Hosts for which the zone has records of its own. The SDK 7.3 does not know this question, which wrangler asks. */
async function listConflicts(
  { client, id }: Account,
  worker: string,
  hosts: readonly string[],
): Promise<readonly string[]> {
  const path = `/accounts/${id}/workers/scripts/${worker}/domains/changeset?replace_state=true`;
  const answer = await attempt(`Reading the DNS records of ${hosts.join(", ")}`, "Workers Routes", () =>
    client.post(path, { body: hosts.map((hostname) => ({ hostname })) }),
  );
  const result = toJsonObject(toJsonObject(answer)["result"]);
  return objectsAt(result, "conflicting").flatMap((entry) => textAt(entry, "hostname") ?? []);
}
