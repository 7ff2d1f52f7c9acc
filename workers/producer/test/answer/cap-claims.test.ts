/** Uses of links with a strict cap must not be one transaction a visit, nor hold visitors, nor be given twice. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../packages/core/test/runs.ts";
import { createCapClaims } from "../../src/answer/cap-claims.ts";
import { createSeededRandom } from "../clicks/seeded-random.ts";
import { createVirtualTime } from "../clicks/virtual-time.ts";

const LINK = { linkId: "one", version: 1 };

function openStage(claim: (wanted: number, wait: (ms: number) => Promise<void>) => Promise<number>) {
  const time = createVirtualTime();
  const asked: number[] = [];
  const returned: number[] = [];
  let isCutOff = false;
  const caps = createCapClaims({
    claim: ({ wanted }) => {
      asked.push(wanted);
      return claim(wanted, time.wait);
    },
    giveBack: async ({ unused }) => {
      returned.push(unused);
    },
    timeoutMs: 1_500,
    usedUp: new Map(),
    nowMs: time.nowMs,
    random: () => 0.5,
    wait: (ms) => (isCutOff ? new Promise<void>(() => undefined) : time.wait(ms)),
  });
  /** What came of it, and after how long. */
  const visit = async (link = LINK): Promise<string> => {
    const startedAtMs = time.nowMs();
    const outcome = await caps
      .claim(link, { defer: () => undefined, untilMs: startedAtMs + 800 })
      .then(String, (error: Error) => error.name);
    return `${outcome} ${time.nowMs() - startedAtMs}`;
  };
  /** Runs what a request does whose timers never ring. */
  const cutOff = (request: () => void): void => {
    isCutOff = true;
    request();
    isCutOff = false;
  };
  return { time, asked, returned, visit, cutOff };
}

it("are taken in groups: a hundred visitors at once are two transactions, and each use is given once", async () => {
  let left = 25;
  const { time, asked, visit } = openStage(async (wanted, wait) => {
    await wait(10);
    const granted = Math.min(wanted, left);
    left -= granted;
    return granted;
  });
  const outcomes = Promise.all(Array.from({ length: 100 }, () => visit()));
  await time.pass(1_000);
  const kinds = (await outcomes).map((outcome) => outcome.split(" ")[0]);
  expect(kinds.filter((kind) => kind === "true")).toHaveLength(25);
  expect(kinds.filter((kind) => kind === "false")).toHaveLength(75);
  expect(asked).toEqual([1, 99]);
});

it("are not asked for once a link is used up, until its version changes", async () => {
  const { time, asked, visit } = openStage(async (_wanted, wait) => wait(10).then(() => 0));
  const first = visit();
  await time.pass(10);
  expect(await first).toBe("false 10");
  expect(await visit()).toBe("false 0");
  expect(asked).toHaveLength(1);
  const edited = visit({ ...LINK, version: 2 });
  await time.pass(100);
  expect(await edited).toMatch(/^false /);
  expect(asked).toHaveLength(2);
});

it("are not taken for visitors who left before their turn", async () => {
  const { time, asked, visit, cutOff } = openStage(async (wanted, wait) => wait(10).then(() => wanted));
  const first = visit();
  cutOff(() => void visit());
  await time.pass(1_000);
  const second = visit();
  await time.pass(100);
  expect([await first, await second]).toEqual(["true 10", "true 10"]);
  expect(asked).toEqual([1, 1]);
});

it("that were claimed for visitors who did not come are given back within about a second", async () => {
  const { time, asked, returned, visit } = openStage(async (wanted, wait) => wait(10).then(() => wanted + 3));
  const first = visit();
  await time.pass(500);
  expect([await first, await visit(), returned]).toEqual(["true 10", "true 0", []]);
  await time.pass(1_600);
  expect([returned, asked]).toEqual([[2], [1]]);
});

it("are not taken by who comes while those sleep for whom they were claimed", async () => {
  const { time, visit } = openStage(async (wanted, wait) => wait(20).then(() => wanted));
  const random = createSeededRandom(7);
  const outcomes: Promise<string>[] = [];
  for (let visits = 0; visits < 500; visits += 1) {
    outcomes.push(visit());
    await time.pass(5 + 60 * random());
  }
  await time.pass(1_000);
  const waits = (await Promise.all(outcomes)).map((outcome) => outcome.split(" "));
  expect(waits.filter(([kind]) => kind !== "true")).toEqual([]);
  // Its claim is sent 200 ms after the one before it at the latest.
  expect(Math.max(...waits.map(([, ms]) => Number(ms)))).toBeLessThanOrEqual(220);
});

it("are claimed again for visitors whose claim found the row busy, until they have waited long enough", async () => {
  let tries = 0;
  const busy = () => Promise.reject(new Error("lock timeout"));
  const { time, visit } = openStage(async (wanted) => ((tries += 1) < 3 ? busy() : wanted));
  const patient = visit();
  await time.pass(1_000);
  expect(await patient).toBe("true 300");
  const other = openStage(busy);
  const refused = other.visit();
  await other.time.pass(1_000);
  expect(await refused).toBe("Error 500");
});

it("of a database that hangs hold eight transactions; who finds no place is turned away within 500 ms, everybody within 800", async () => {
  const { time, asked, visit } = openStage(() => new Promise(() => undefined));
  const outcomes = Array.from({ length: 10 }, (_, index) => visit({ linkId: String(index), version: 1 }));
  await time.pass(2_000);
  expect(asked).toHaveLength(8);
  expect((await Promise.all(outcomes)).toSorted()).toEqual([
    ...Array<string>(2).fill("BusyError 500"),
    ...Array<string>(8).fill("TimeoutError 800"),
  ]);
});

/** A row that is locked for 4 ms with each claim, and not waited for longer than 25 ms: by what a Postgres with fsync does. */
function openCrowd(isolates: number, cap: number) {
  const time = createVirtualTime();
  let used = 0;
  let freeAtMs = 0;
  const claim = async ({ wanted, spare }: { wanted: number; spare: number }): Promise<number> => {
    const waitMs = Math.max(0, freeAtMs - time.nowMs());
    if (waitMs > 25) {
      await time.wait(25);
      throw new Error("lock timeout");
    }
    freeAtMs = Math.max(freeAtMs, time.nowMs()) + 4;
    await time.wait(waitMs + 4);
    const left = cap - used;
    const granted = Math.min(left, Math.max(wanted, Math.min(wanted + spare, Math.floor(left / 100))));
    used += granted;
    return granted;
  };
  let seed = 7;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const all = Array.from({ length: isolates }, () =>
    createCapClaims({
      claim,
      giveBack: async ({ unused }) => void (used -= unused),
      timeoutMs: 1_500,
      usedUp: new Map(),
      nowMs: time.nowMs,
      random,
      wait: time.wait,
    }),
  );
  /** Offers visits at a rate: how many were granted, and how many were turned away before the first was told "used up". */
  const run = async (perSecond: number, forMs: number) => {
    const seen = { granted: 0, busy: 0, usedUpAfterMs: forMs };
    const startedAtMs = time.nowMs();
    for (let visits = 0; time.nowMs() < startedAtMs + forMs;) {
      for (; visits < ((time.nowMs() - startedAtMs) * perSecond) / 1_000; visits += 1) {
        void all[Math.floor(random() * isolates)]
          ?.claim(LINK, { defer: () => undefined, untilMs: time.nowMs() + 800 })
          .then(
            (isGranted) => {
              seen.granted += isGranted ? 1 : 0;
              const afterMs = time.nowMs() - startedAtMs;
              seen.usedUpAfterMs = Math.min(seen.usedUpAfterMs, isGranted ? forMs : afterMs);
            },
            () => (seen.busy += seen.usedUpAfterMs === forMs ? 1 : 0),
          );
      }
      await time.pass(10);
    }
    await time.pass(6_000);
    return { ...seen, used };
  };
  return run;
}

it.each([10, 100, 200])("of a cap of a million, %i isolates grant a thousand a second", async (isolates) => {
  const { granted, busy, used } = await openCrowd(isolates, 1_000_000)(1_000, 10_000);
  expect(granted + busy).toBe(9_990);
  expect(busy).toBeLessThanOrEqual(100);
  // What was not used is back.
  expect(used).toBe(granted);
});

it("of a cap of 10,000, a hundred isolates grant every one to 2,000 visitors a second, and never one more", async () => {
  const { granted, busy, usedUpAfterMs, used } = await openCrowd(100, 10_000)(2_000, 8_000);
  expect([granted, used]).toEqual([10_000, 10_000]);
  expect(busy).toBeLessThanOrEqual(usedUpAfterMs * 2 * 0.01);
});

it("are never more than the cap, whatever is slow, fails, is lost on its way or cut off, and edited", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const time = createVirtualTime();
      const random = createSeededRandom(seed);
      const cap = Math.floor(10 ** (1 + 3 * random()));
      let [used, granted, version] = [0, 0, 1];
      const slow = () => time.wait(random() < 0.1 ? 2_000 : 60 * random());
      const fail = (share: number) => {
        if (random() < share) {
          throw new Error("the answer is lost");
        }
      };
      // A request that was cut off goes on until it waits for something.
      const isolate = () => {
        let isCutOff = false;
        const wait = (ms: number) => (isCutOff ? new Promise<void>(() => undefined) : time.wait(ms));
        const caps = createCapClaims({
          async claim({ wanted, spare }) {
            await slow();
            fail(0.1);
            const left = cap - used;
            const uses = Math.min(left, Math.max(wanted, Math.min(wanted + spare, Math.floor(left / 100))));
            used += uses;
            await slow();
            fail(0.1);
            return uses;
          },
          async giveBack({ unused, version: of }) {
            await slow();
            fail(0.1);
            used -= of === version && used >= unused ? unused : 0;
            fail(0.1);
          },
          timeoutMs: 1_500,
          usedUp: new Map(),
          nowMs: time.nowMs,
          random,
          wait,
        });
        const visit = () => {
          isCutOff = random() < 0.1;
          void caps
            .claim({ linkId: "one", version }, { defer: () => undefined, untilMs: Number.POSITIVE_INFINITY })
            .then(
              (isGranted) => (granted += isGranted ? 1 : 0),
              () => undefined,
            );
          isCutOff = false;
        };
        return visit;
      };
      const isolates = Array.from({ length: 1 + Math.floor(6 * random()) }, isolate);
      for (let steps = 0; steps < 200; steps += 1) {
        const visits = Math.floor(30 * random() ** 3);
        Array.from({ length: visits }, () => isolates[Math.floor(random() * isolates.length)]?.());
        version += random() < 0.01 ? 1 : 0;
        isolates.splice(0, random() < 0.02 ? 1 : 0, ...(random() < 0.02 ? [isolate()] : []));
        await time.pass(100 * random());
        expect([granted <= used, used <= cap]).toEqual([true, true]);
      }
      await time.pass(20_000);
      expect([granted <= used, used <= cap]).toEqual([true, true]);
    }),
    runs(40),
  );
});
