/**
 * What enrichment remembers from click to click of a batch: the visitor keys of its days, and what its headers say. Parsing them is most
 * of the cost of a row, and a batch has few different ones. Each batch starts empty: no user agent outlives it.
 */
import { type Claim, readClaim } from "./click-class.ts";
import { type Device, parseDevice } from "./device.ts";
import { preferredLanguage } from "./language.ts";
import { referrerHost } from "./referrer-host.ts";
import { createVisitorKeys, type VisitorKeys } from "./visitor-hash.ts";

/** Of a header; `null` if there was none. */
type Read<Value> = (text: string | null) => Value;

export type Enrichment = {
  /** `null`: clicks are stored without a visitor. */
  readonly visitorKeys: VisitorKeys | null;
  /** The same as `parseDevice`. */
  readonly deviceOf: Read<Device>;
  /** … as `readClaim`. */
  readonly claimOf: Read<Claim>;
  /** … as `referrerHost`. */
  readonly hostOf: Read<string | null>;
  /** … as `preferredLanguage`. */
  readonly languageOf: Read<string | null>;
};

/** @param visitorSecret empty: clicks are stored without a visitor. */
export function createEnrichment(visitorSecret: string): Enrichment {
  return {
    visitorKeys: visitorSecret === "" ? null : createVisitorKeys(visitorSecret),
    deviceOf: remembering(parseDevice),
    claimOf: remembering(readClaim),
    hostOf: remembering(referrerHost),
    languageOf: remembering(preferredLanguage),
  };
}

/** Draining the spill is one long batch: at this size the memory starts over. */
const MAX_TEXTS = 2_000;

function remembering<Value>(read: Read<Value>): Read<Value> {
  const values = new Map<string | null, Value>();
  return (text) => {
    const known = values.get(text);
    if (known !== undefined) {
      return known;
    }
    if (values.size >= MAX_TEXTS) {
      values.clear();
    }
    const value = read(text);
    values.set(text, value);
    return value;
  };
}
