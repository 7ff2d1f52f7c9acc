/** Both ends of the spill together: what the producer would leave in KV, the consumer's scheduled job counts once. */
import { expect, it } from "vitest";
import { spillAndDrain, toSegment } from "./spill-clicks.ts";
import { stack } from "./visitor-stack.ts";

/** Of no other click. */
const COLO = "QQQ";

it("is counted once by the scheduled job, though it was spilled again after it was drained", async () => {
  const { rows } = await stack.database.query<{ id: string }>("SELECT id FROM links LIMIT 1");
  const segment = toSegment({
    isolateId: "00c0ffee12345678",
    linkId: rows[0]?.id ?? "",
    clickedAtMs: Date.now(),
    count: 3,
    colo: COLO,
  });
  for (let round = 0; round < 2; round += 1) {
    await spillAndDrain(segment);
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
