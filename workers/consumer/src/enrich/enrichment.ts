/**
 * What the enrichment of one batch remembers from click to click: the visitor keys of its days, and what its user agents
 * say. Parsing a user agent is the larger half of a row's cost, and a batch has few different ones. Made anew for each
 * batch: no user agent outlives it.
 */
import { parseDevice } from "./device.ts";
import type { Device } from "./device-vocabulary.ts";
import { createVisitorKeys, type VisitorKeys } from "./visitor-hash.ts";

export type Enrichment = {
  /** `null`: clicks are stored without a visitor. */
  readonly visitorKeys: VisitorKeys | null;
  /** What `parseDevice` says. */
  readonly deviceOf: (userAgent: string | null) => Device;
};

/** The drain of the spill is one long batch: past this the memory starts again. */
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
