import { expect, it } from "vitest";
import { createConnectionPool } from "../../src/webhooks/connection-pool.ts";

const LONG_MS = 60_000;

/** Each of `groups` asks in turn, in one go. */
async function openPool(count: number, groups: string) {
  const connections = createConnectionPool(count);
  const started: string[] = [];
  const ends: { readonly group: string; readonly end: (error: Error) => void }[] = [];
  const enter = (group: string) =>
    connections.enter(
      group,
      () => {
        started.push(group);
        return new Promise<never>((_resolve, end) => ends.push({ group, end }));
      },
      LONG_MS,
    );
  for (const group of groups) {
    void enter(group).catch(() => undefined);
  }
  const settle = () => new Promise((resolve) => setTimeout(resolve));
  await settle();
  return {
    connections,
    started,
    fail: async (group: string): Promise<void> => {
      const index = ends.findIndex((one) => one.group === group);
      ends.splice(index, 1)[0]?.end(new Error("It failed."));
      await settle();
    },
  };
}

it("one workspace alone never has all connections of a run", async () => {
  const { started } = await openPool(5, "aaaaaaaab");
  expect(started.join("")).toBe("aaaab");
});

it("what fails gives its connection to who has waited longest and may have it", async () => {
  const { started, fail } = await openPool(3, "aaabbc");
  expect(started.join("")).toBe("aab");
  await fail("b");
  expect(started.join("")).toBe("aabb");
  await fail("a");
  expect(started.join("")).toBe("aabba");
});

it("nothing is lent while somebody waits who may have it, and who waits too long goes without", async () => {
  const { connections, fail } = await openPool(3, "ab");
  expect(["a", "b", "c"].map(connections.isFreeFor)).toEqual([true, true, true]);
  void connections.use("a", () => new Promise(() => undefined));
  expect(["a", "b", "c"].map(connections.isFreeFor)).toEqual([false, false, false]);
  expect(await connections.enter("c", async () => "in", 1)).toBeNull();
  const waits = connections.enter("c", async () => "in", LONG_MS);
  await fail("b");
  expect(await waits).toBe("in");
  expect(connections.isFreeFor("c")).toBe(true);
});
