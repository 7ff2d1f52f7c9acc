/** DNS as maps of names to texts and hosts. A name is answered with a fault while it has one. */
import { fail, ok } from "@hopline/core/decode/result";
import type { DnsFault, HostRecords, LookUpHost, LookUpTexts } from "../../src/domains/dns-over-https.ts";

export function createFakeDns() {
  const texts = new Map<string, readonly string[]>();
  const faults = new Map<string, DnsFault>();
  const lookUpTexts: LookUpTexts = async (name) => {
    const fault = faults.get(name);
    return fault === undefined ? ok(texts.get(name) ?? []) : fail(fault);
  };
  /** By name; of a name that is not there, no records. */
  const hosts = new Map<string, HostRecords>();
  const lookUpHost: LookUpHost = async (name) => ok(hosts.get(name) ?? { names: [], addresses: [] });
  return { texts, faults, hosts, lookUpTexts, lookUpHost };
}
