/** DNS as a map of names to texts. A name is answered with a fault while it has one. */
import { fail, ok } from "@hopline/core/decode/result";
import type { DnsFault, LookUpTexts } from "../../src/domains/dns-over-https.ts";

export function createFakeDns() {
  const texts = new Map<string, readonly string[]>();
  const faults = new Map<string, DnsFault>();
  const lookUpTexts: LookUpTexts = async (name) => {
    const fault = faults.get(name);
    return fault === undefined ? ok(texts.get(name) ?? []) : fail(fault);
  };
  return { texts, faults, lookUpTexts };
}
