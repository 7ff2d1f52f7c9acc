/** Both ends of the spill together: what the producer would leave in KV, the consumer's scheduled job counts once. */
import { encodeSegment, type Segment } from "@hopline/core/click/segment";
import { spillKeyOf } from "@hopline/core/click/spill-key";
import { seal } from "@hopline/sealing/seal";
import { importSealKey } from "@hopline/sealing/seal-key";
import { expect, it } from "vitest";
import { stack } from "./visitor-stack.ts";

const DRAIN_CRON = "* * * * *";
/** Of no other click. */
const COLO = "QQQ";

it("is counted once by the scheduled job, though it was spilled again after it was drained", async () => {
  const segment = await aSegment();
  for (let round = 0; round < 2; round += 1) {
    await spill(segment);
    await stack.runtime.dispatchScheduled("hopline-consumer", DRAIN_CRON);
    const { keys } = await (await stack.runtime.getKv("SPILL")).list();
    expect(keys).toEqual([]);
    expect(await countClicks()).toBe(segment.clicks.length);
  }
});

async function countClicks(): Promise<number> {
  const { rows } = await stack.database.query(
    "SELECT count(*)::int AS count FROM click_events WHERE colo = $1",
    [COLO],
  );
  return rows[0]?.count;
}

/** Through the producer's own bindings: the same namespace and the same key at both ends are part of the test. */
async function spill(segment: Segment): Promise<void> {
  const { SEAL_KEY } = await stack.runtime.getBindings<{ readonly SEAL_KEY: string }>("hopline-producer");
  const sealed = await seal(encodeSegment(segment), await importSealKey(SEAL_KEY));
  const kv = await stack.runtime.getKv("SPILL", "hopline-producer");
  await kv.put(spillKeyOf(segment.isolateId, segment.firstSequence), sealed);
}

async function aSegment(): Promise<Segment> {
  const { rows } = await stack.database.query<{ id: string }>("SELECT id FROM links LIMIT 1");
  const click = {
    clickedAtMs: Date.now(),
    linkId: rows[0]?.id ?? "",
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
    latitude: null,
    longitude: null,
    colo: COLO,
    asn: null,
    botScore: null,
  } as const;
  return { isolateId: "00c0ffee12345678", firstSequence: 1, clicks: [click, click, click] };
}
