/** Whether a host leads its visitors here: by a CNAME, or by the same addresses where a zone's own name can have none. */
import { type HostRecords, type LookUpHost } from "./dns-over-https.ts";
import type { Seen } from "./proof.ts";

export type PointingSettings = {
  /** `null`: the operator has not said it, or makes the records himself (docs/domains.md). */
  readonly target: string | null;
  readonly lookUpHost: LookUpHost;
};

export type Pointing = {
  /** Where the host must lead. */
  readonly target: string | null;
  /** `null`: nobody knows what would be right. */
  readonly seen: Seen | null;
  readonly found: string[];
};

const MAX_FOUND = 10;

export async function lookUpPointing(
  host: string,
  { target, lookUpHost }: PointingSettings,
): Promise<Pointing> {
  const names = [host.replace(/:\d+$/, ""), ...(target === null ? [] : [target])];
  const [own = null, wanted = null] = await Promise.all(
    names.map(async (name) => {
      const found = await lookUpHost(name);
      return found.ok ? found.value : null;
    }),
  );
  const found = own === null ? [] : [...own.names, ...own.addresses].slice(0, MAX_FOUND);
  return { target, seen: target === null ? null : judgePointing(own, target, wanted), found };
}

/** `null` records: DNS gave no answer. */
export function judgePointing(own: HostRecords | null, target: string, wanted: HostRecords | null): Seen {
  if (own === null) {
    return "unavailable";
  }
  if (own.names.includes(target)) {
    return "found";
  }
  if (own.names.length + own.addresses.length === 0) {
    return "missing";
  }
  const isSame = own.addresses.every((address) => wanted?.addresses.includes(address) === true);
  return own.addresses.length > 0 && isSame ? "found" : "wrong";
}
