/**
 * Proves a new version where visitors meet it: the API's health through the producer, a redirect of the canary link, and
 * its click in the database. What did not answer before the deployment proves nothing against it.
 */
import { textAt, toJsonObject } from "./json-object.ts";
import { CANARY_SLUG, CANARY_URL, countClicksOf, ensureCanary } from "../operate/canary-link.ts";
import type { Tools } from "./tools.ts";

export type Place = {
  /** The producer's deployed name, and the host it answers on. */
  readonly worker: string;
  readonly host: string;
  readonly databaseUrl: string;
};

/** A version takes a moment to reach every data centre. */
const TRIES = 10;
const PAUSE_MS = 3_000;
const TIMEOUT_MS = 10_000;
/** A click lingers a second, and its batch two. */
const CLICK_TRIES = 20;

type Deps = Pick<Tools, "fetch" | "wait">;

/** Whether the API answers under the host and reaches its database. */
export async function isHealthy(
  { host }: Place,
  deps: Deps,
  headers: Record<string, string> = {},
): Promise<boolean> {
  const response = await ask(`https://${host}/api/health`, deps, headers);
  const status = response?.ok === true ? textAt(toJsonObject(await response.json()), "status") : null;
  return status === "ok" || status === "degraded";
}

/**
 * Null where all is well; else what is not. `versionId`: of the version to ask, beside others; null asks whichever answers.
 * https://developers.cloudflare.com/workers/configuration/versions-and-deployments/gradual-deployments/#version-overrides
 */
export async function findFault(place: Place, versionId: string | null, deps: Deps): Promise<string | null> {
  const { host, worker, databaseUrl } = place;
  const headers: Record<string, string> =
    versionId === null ? {} : { "Cloudflare-Workers-Version-Overrides": `${worker}="${versionId}"` };
  if (!(await eventually(() => isHealthy(place, deps, headers), { tries: TRIES, wait: deps.wait }))) {
    return `https://${host}/api/health does not answer`;
  }
  const id = await ensureCanary(databaseUrl, host);
  const canary = { id: id ?? "", address: `https://${host}/${CANARY_SLUG}`, url: CANARY_URL };
  return id === null ? null : findLinkFault(canary, { databaseUrl, headers, ...deps });
}

type ProvedLink = { readonly id: string; readonly address: string; readonly url: string };

/** Null where the link leads where it should, and its click is in the database; else what is not. */
export async function findLinkFault(
  { id, address, url }: ProvedLink,
  {
    databaseUrl,
    headers = {},
    ...deps
  }: Deps & { readonly databaseUrl: string; readonly headers?: Record<string, string> },
): Promise<string | null> {
  const before = await countClicksOf(databaseUrl, id);
  const leads = async () => {
    const response = await ask(address, deps, headers);
    return response?.status === 302 && response.headers.get("location") === url;
  };
  if (!(await eventually(leads, { tries: TRIES, wait: deps.wait }))) {
    return `${address} does not redirect to ${url}`;
  }
  const isCounted = async () => (await countClicksOf(databaseUrl, id)) > before;
  return (await eventually(isCounted, { tries: CLICK_TRIES, wait: deps.wait }))
    ? null
    : `the click on ${address} was not counted within a minute`;
}

/** Null where nothing answers. */
async function ask(url: string, { fetch }: Deps, headers: Record<string, string>): Promise<Response | null> {
  try {
    return await fetch(url, { headers, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch {
    // Whatever the reason: no name, no certificate, no route.
    return null;
  }
}

export async function eventually(
  isTrue: () => Promise<boolean>,
  { tries = TRIES, wait }: { readonly tries?: number; readonly wait: Tools["wait"] },
): Promise<boolean> {
  for (let left = tries; left > 0; left -= 1) {
    if (await isTrue()) {
      return true;
    }
    await wait(PAUSE_MS);
  }
  return false;
}
