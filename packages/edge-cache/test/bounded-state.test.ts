// "Bounded for ever": what a million keys leave behind, live and absent; ten million with `pnpm test --full`.

import { expect, it } from "vitest";

import { IS_FULL } from "../../core/test/runs.ts";
import { IsolateCache } from "../src/isolate-cache.ts";

const KEYS = IS_FULL ? 10_000_000 : 1_000_000;
const CHECK_EVERY = 250_000;
const BUDGET_BYTES = 100_000;
const COST_BYTES = 100;
const MAX_ENTRIES = BUDGET_BYTES / COST_BYTES;

function createCache(): IsolateCache<number> {
  return new IsolateCache({
    nowMs: () => 0,
    random: () => 0,
    budgetBytes: BUDGET_BYTES,
    negativeBudgetBytes: BUDGET_BYTES,
    overheadBytes: COST_BYTES,
  });
}

const input = (key: string) => ({ key, version: 1, costBytes: 0 });

it("keeps every structure bounded over millions of distinct live keys", () => {
  const cache = createCache();
  for (let index = 1; index <= KEYS; index += 1) {
    cache.get(`k${index}`);
    cache.put({ kind: "live", ...input(`k${index}`), value: index });
    if (index % CHECK_EVERY === 0) {
      const sizes = cache.sizes();
      expect(sizes.liveEntries).toBe(MAX_ENTRIES);
      // The map and the queues count apart: at one cost for all, they agree only when neither keeps a dead entry.
      expect(sizes.liveBytes).toBe(sizes.liveEntries * COST_BYTES);
      expect(sizes.ghosts).toBe(0.9 * MAX_ENTRIES);
    }
  }
  expect(cache.sizes()).toMatchObject({ negativeEntries: 0, negativeBytes: 0 });
});

it("evicts no live entry in a flood of absent keys", () => {
  const cache = createCache();
  for (let index = 0; index < MAX_ENTRIES; index += 1) {
    cache.put({ kind: "live", ...input(`live${index}`), value: index });
  }
  for (let index = 1; index <= KEYS; index += 1) {
    cache.put({ kind: "negative", ...input(`n${index}`) });
    if (index % CHECK_EVERY === 0) {
      const sizes = cache.sizes();
      expect(sizes.negativeEntries).toBe(MAX_ENTRIES);
      expect(sizes.negativeBytes).toBe(BUDGET_BYTES);
    }
  }
  expect(cache.sizes()).toMatchObject({ liveEntries: MAX_ENTRIES });
  for (let index = 0; index < MAX_ENTRIES; index += 1) {
    expect(cache.get(`live${index}`)).toMatchObject({ kind: "live", value: index });
  }
});
