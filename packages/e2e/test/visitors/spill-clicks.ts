/** What the producer would leave in KV where no queue takes a segment: a way to clicks of any time. */
import { encodeSegment, type Segment } from "@hopline/core/click/segment";
import { spillKeyOf } from "@hopline/core/click/spill-key";
import { seal } from "@hopline/sealing/seal";
import { importSealKey } from "@hopline/sealing/seal-key";
import { stack } from "./visitor-stack.ts";

type Clicks = {
  /** 16 hexadecimal digits, of no other segment. */
  readonly isolateId: string;
  readonly linkId: string;
  readonly clickedAtMs: number;
  readonly count: number;
  readonly colo?: string;
};

export function toSegment({ isolateId, linkId, clickedAtMs, count, colo = "FRA" }: Clicks): Segment {
  const click = {
    clickedAtMs,
    linkId,
    linkVersion: 1,
    source: "link",
    method: "GET",
    address: "203.0.113.0",
    userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    referrer: null,
    acceptLanguage: null,
    purpose: null,
    optedOut: false,
    country: "CH",
    region: null,
    city: null,
    continent: null,
    colo,
    botScore: null,
  } as const;
  return { isolateId, firstSequence: 1, clicks: Array.from({ length: count }, () => click) };
}

/** Through the producer's own bindings: the same namespace and the same key at both ends are part of what is tested. */
export async function spillAndDrain(segment: Segment): Promise<void> {
  const { SEAL_KEY } = await stack.runtime.getBindings<{ readonly SEAL_KEY: string }>("hopline-producer");
  const sealed = await seal(encodeSegment(segment), await importSealKey(SEAL_KEY));
  const kv = await stack.runtime.getKv("SPILL", "hopline-producer");
  await kv.put(spillKeyOf(segment.isolateId, segment.firstSequence), sealed);
  await stack.runtime.runJobs("hopline-consumer");
}
