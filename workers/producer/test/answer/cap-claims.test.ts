/** Uses of links with a strict cap pass a gate: they must not be one transaction a visit, nor hold visitors. */
import { expect, it } from "vitest";
import { createCapClaims } from "../../src/answer/cap-claims.ts";
import { createVirtualTime } from "../clicks/virtual-time.ts";

const LINK = { linkId: "one", version: 1 };

function openStage(claim: (linkId: string) => Promise<boolean>) {
  const time = createVirtualTime();
  const asked: string[] = [];
  const caps = createCapClaims({
    claim: (linkId) => {
      asked.push(linkId);
      return claim(linkId);
    },
    timeoutMs: 1_500,
    usedUp: new Map(),
    nowMs: time.nowMs,
    wait: time.wait,
  });
  /** What came of it, and after how long. */
  const visit = async (link = LINK): Promise<string> => {
    const startedAtMs = time.nowMs();
    const outcome = await caps.claim(link).then(String, (error: Error) => error.name);
    return `${outcome} ${time.nowMs() - startedAtMs}`;
  };
  return { time, asked, visit };
}

it("runs eight transactions at once; who finds no place is turned away within 250 ms", async () => {
  const { time, asked, visit } = openStage(() => new Promise(() => undefined));
  const outcomes = Promise.all(Array.from({ length: 20 }, () => visit()));
  await time.pass(2_000);
  expect(asked).toHaveLength(8);
  expect((await outcomes).toSorted()).toEqual([
    ...Array<string>(12).fill("BusyError 250"),
    ...Array<string>(8).fill("TimeoutError 1500"),
  ]);
});

it("asks no more once a link is used up, those who wait for a place included, until its version changes", async () => {
  const { time, asked, visit } = openStage(async () => time.wait(10).then(() => false));
  const outcomes = Promise.all(Array.from({ length: 20 }, () => visit()));
  await time.pass(1_000);
  expect((await outcomes).every((outcome) => outcome.startsWith("false"))).toBe(true);
  expect(asked).toHaveLength(8);
  expect(await visit()).toBe("false 0");
  expect(asked).toHaveLength(8);
  const edited = visit({ ...LINK, version: 2 });
  await time.pass(10);
  await edited;
  expect(asked).toHaveLength(9);
});
