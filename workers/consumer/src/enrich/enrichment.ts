/**
 * What enrichment remembers from click to click of a batch: the visitor keys of its days, and what its user agents say.
 * Parsing user agents is most of the cost of a row, and a batch has few different ones. Each batch starts empty: no user
 * agent outlives it.
 */
import { type Device, parseDevice } from "./device.ts";
import { createVisitorKeys, type VisitorKeys } from "./visitor-hash.ts";

export type Enrichment = {
  /** `null`: clicks are stored without a visitor. */
  readonly visitorKeys: VisitorKeys | null;
  /** The same as `parseDevice`. */
  readonly deviceOf: (userAgent: string | null) => Device;
};

/** Draining the spill is one long batch: at this size the memory starts over. */
const MAX_USER_AGENTS = 2_000;

/** @param visitorSecret empty: clicks are stored without a visitor. */
export function createEnrichment(visitorSecret: string): Enrichment {
  const devices = new Map<string | null, Device>();
  return {
    visitorKeys: visitorSecret === "" ? null : createVisitorKeys(visitorSecret),
    deviceOf(userAgent) {
      const known = devices.get(userAgent);
      if (known !== undefined) {
        return known;
      }
      if (devices.size >= MAX_USER_AGENTS) {
        devices.clear();
      }
      const device = parseDevice(userAgent);
      devices.set(userAgent, device);
      return device;
    },
  };
}
