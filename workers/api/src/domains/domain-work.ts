/** What is done later about hosts: looking up their TXT records again, and keeping Cloudflare's custom hostnames in step. */
import type { WorkHandler } from "@hopline/db/work/run-work";
import type { WorkItem } from "@hopline/db/work/work-item";
import type { WorkKind } from "@hopline/db/work/work-kinds";
import { checkDomain, type CheckDeps } from "./check-domain.ts";
import type { CustomHostname } from "./custom-hostnames.ts";
import { findDomainToCheck, findProvedDomain, storeCustomHostname } from "./domain-store.ts";
import { nextCheckInMs } from "./proof.ts";
import { syncAddresses } from "./sync-addresses.ts";

const HOUR_SECONDS = 3_600;
const MINUTE_SECONDS = 60;

/** Of the kinds that this deployment has work of. */
export function domainHandlers(deps: CheckDeps): { readonly [Kind in WorkKind]?: WorkHandler } {
  const checks: WorkHandler = {
    run: (item) => checkAgain(item, deps),
    timeLimitMs: 15_000,
    atOnce: 10,
    maxDelaySeconds: HOUR_SECONDS,
  };
  const hostnames: WorkHandler = {
    run: (item, signal) => syncCustomHostname(item, signal, deps),
    timeLimitMs: 20_000,
    atOnce: 4,
    maxDelaySeconds: HOUR_SECONDS,
  };
  const addresses: WorkHandler = {
    run: ({ key }) => syncAddresses(key, deps),
    timeLimitMs: 15_000,
    atOnce: 2,
    maxDelaySeconds: 10 * MINUTE_SECONDS,
  };
  return {
    "domain-check": checks,
    "domain-addresses": addresses,
    ...(deps.customHostnames === null ? {} : { "custom-hostname": hostnames }),
  };
}

/** The item's key is the domain's id. */
async function checkAgain({ key }: WorkItem, deps: CheckDeps) {
  const domain = await findDomainToCheck(deps.database, key);
  if (domain?.proof !== "dns") {
    return;
  }
  const check = await checkDomain(domain, "job", deps);
  const inMs = check === null ? 0 : nextCheckInMs(check.domain, check.seen);
  return inMs === null ? undefined : { againInSeconds: inMs / 1_000 };
}

/** The item's key is the host. What is wanted is read from the database, so that no order of events matters. */
async function syncCustomHostname(
  { key: host, payload }: WorkItem,
  signal: AbortSignal,
  { database, customHostnames }: CheckDeps,
) {
  const domainId = await findProvedDomain(database, host);
  if (domainId === null) {
    await customHostnames?.remove(host, signal);
    return;
  }
  const state = await customHostnames?.ensure(host, signal);
  if (state === undefined) {
    return;
  }
  await storeCustomHostname(database, domainId, state);
  if (isActive(state)) {
    return;
  }
  // It waits for the host's DNS to point here, which may take a minute or a month.
  const asked = Number(payload["asked"] ?? 0);
  const againInSeconds = Math.min(HOUR_SECONDS, MINUTE_SECONDS * 2 ** asked);
  return { againInSeconds, change: { asked: Math.min(asked + 1, 10) } };
}

function isActive({ hostname, certificate }: CustomHostname): boolean {
  return hostname === "active" && certificate === "active";
}
