/** Uses of links with a strict cap must not be one transaction a visit, nor hold visitors, nor be given twice. */
import { expect, it } from "vitest";
import { createCapClaims } from "../../src/answer/cap-claims.ts";
import { createVirtualTime } from "../clicks/virtual-time.ts";

const LINK = { linkId: "one", version: 1 };

function openStage(claim: (wanted: number, wait: (ms: number) => Promise<void>) => Promise<number>) {
  const time = createVirtualTime();
  const asked: number[] = [];
  let isCutOff = false;
  const caps = createCapClaims({
    claim: (_linkId, wanted) => {
      asked.push(wanted);
      return claim(wanted, time.wait);
    },
    timeoutMs: 1_500,
    usedUp: new Map(),
    nowMs: time.nowMs,
    wait: (ms) => (isCutOff ? new Promise<void>(() => undefined) : time.wait(ms)),
  });
  /** What came of it, and after how long. */
  const visit = async (link = LINK): Promise<string> => {
    const startedAtMs = time.nowMs();
    const outcome = await caps.claim(link, () => undefined).then(String, (error: Error) => error.name);
    return `${outcome} ${time.nowMs() - startedAtMs}`;
  };
  /** Runs what a request does whose timers never ring. */
  const cutOff = (request: () => void): void => {
    isCutOff = true;
    request();
    isCutOff = false;
  };
  return { time, asked, visit, cutOff };
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

it("of a database that hangs hold eight transactions; who finds no place is turned away within 250 ms", async () => {
  const { time, asked, visit } = openStage(() => new Promise(() => undefined));
  const outcomes = Array.from({ length: 10 }, (_, index) => visit({ linkId: String(index), version: 1 }));
  await time.pass(2_000);
  expect(asked).toHaveLength(8);
  expect((await Promise.all(outcomes)).toSorted()).toEqual([
    ...Array<string>(2).fill("BusyError 250"),
    ...Array<string>(8).fill("TimeoutError 1500"),
  ]);
});
