/**
 * What a network can cost us without a valid key, by Cloudflare's rate-limit bindings (per location and eventually
 * consistent; the numbers are in wrangler.jsonc). The bindings get the truncated network, never an address. When they fail,
 * nothing is refused: what they guard is load, not access.
 */
import { truncateAddress } from "@hopline/core/click/truncate-address";
import { setLatest } from "@hopline/edge-cache/set-latest";
import { createMiddleware } from "hono/factory";
import { ProblemError } from "./problem.ts";

/** A rate-limit binding. */
export type NetworkCount = {
  readonly limit: (options: { readonly key: string }) => Promise<{ readonly success: boolean }>;
};

/** `undefined` where a binding is missing: nothing is refused. */
export type NetworkLimits = {
  readonly failedKeys: NetworkCount | undefined;
  readonly anonymous: NetworkCount | undefined;
};

/** The period of FAILED_KEY_LIMIT in wrangler.jsonc, and how long a failed key is remembered. */
const FAILED_KEY_MS = 60_000;
const ANONYMOUS_PERIOD_SECONDS = "10";

/** Of each kind; the oldest is forgotten first. */
const MAX_REMEMBERED = 2_048;
/** Keys of one network that are looked up at the same time and that this isolate does not know. */
const MAX_IN_FLIGHT = 20;
/** Longer than a statement takes. A look-up whose client has left never ends. */
const MAX_LOOK_UP_MS = 10_000;

/** The network that a request comes from; `null` where the platform does not say. */
export function readNetwork(headers: Headers): string | null {
  const address = headers.get("cf-connecting-ip");
  return address === null ? null : truncateAddress(address);
}

/** Looks up a key's caller: `null` if it has none, `refused` if the network has sent too many such keys. */
export type GuardedLookUp = <Caller>(
  key: { readonly hash: string; readonly network: string | null },
  find: () => Promise<Caller | null>,
) => Promise<Caller | null | "refused">;

/**
 * A key that failed is not looked up again for a minute, and is counted against its network once: a program with a revoked
 * key must not shut out its neighbours. When the binding answers "too many", that network may use only keys that have worked
 * in this isolate.
 */
export function guardLookUps(failedKeys: NetworkCount | undefined, nowMs: () => number): GuardedLookUp {
  const worked = new Map<string, true>();
  const failedUntilMs = new Map<string, number>();
  const penaltyUntilMs = new Map<string, number>();
  /** By network: the hashes of keys that are being looked up, and since when. */
  const inFlight = new Map<string, Map<string, number>>();

  const lookUpsOf = (network: string) => {
    const startedAtMs = [...(inFlight.get(network) ?? [])];
    return new Map(startedAtMs.filter(([, atMs]) => atMs > nowMs() - MAX_LOOK_UP_MS));
  };
  const isRefused = (network: string, hash: string) => {
    const lookUps = lookUpsOf(network);
    const isOneTooMany = lookUps.size >= MAX_IN_FLIGHT && !lookUps.has(hash);
    return isOneTooMany || (penaltyUntilMs.get(network) ?? 0) > nowMs();
  };
  const findWhileCounted = async <Caller>(network: string, hash: string, find: () => Promise<Caller>) => {
    setLatest(inFlight, [network, lookUpsOf(network).set(hash, nowMs())], MAX_REMEMBERED);
    try {
      return await find();
    } finally {
      inFlight.get(network)?.delete(hash);
    }
  };
  const charge = async (network: string) => {
    const counted = await failedKeys?.limit({ key: network }).catch(() => null);
    if (counted?.success === false) {
      setLatest(penaltyUntilMs, [network, nowMs() + FAILED_KEY_MS], MAX_REMEMBERED);
    }
  };

  return async ({ hash, network }, find) => {
    if ((failedUntilMs.get(hash) ?? 0) > nowMs()) {
      return null;
    }
    const isKnown = worked.has(hash);
    if (!isKnown && network !== null && isRefused(network, hash)) {
      return "refused";
    }
    const caller = await (isKnown || network === null ? find() : findWhileCounted(network, hash, find));
    if (caller !== null) {
      setLatest(worked, [hash, true], MAX_REMEMBERED);
      return caller;
    }
    worked.delete(hash);
    setLatest(failedUntilMs, [hash, nowMs() + FAILED_KEY_MS], MAX_REMEMBERED);
    if (network !== null) {
      await charge(network);
    }
    return null;
  };
}

/** Limits the routes that need no key, by network. */
export function limitAnonymous(anonymous: NetworkCount | undefined) {
  return createMiddleware(async ({ req }, next) => {
    const network = readNetwork(req.raw.headers);
    const counted = network === null ? null : await anonymous?.limit({ key: network }).catch(() => null);
    if (counted?.success === false) {
      throw new ProblemError("rate_limited", [], { "retry-after": ANONYMOUS_PERIOD_SECONDS });
    }
    await next();
  });
}
