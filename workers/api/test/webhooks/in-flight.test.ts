/** Who is let in when more wants to be in flight than may be. */
import { expect, it } from "vitest";
import { limitInFlight } from "../../src/webhooks/in-flight.ts";

/** Each of `groups` asks in turn, in one go; `end` ends what is in flight of a group. */
async function openLimit(limit: number, groups: string) {
  const inFlight = limitInFlight(limit);
  const started: string[] = [];
  const ends: { readonly group: string; readonly end: () => void }[] = [];
  const start = (group: string) =>
    inFlight(group, () => {
      started.push(group);
      return new Promise<void>((end) => ends.push({ group, end }));
    });
  void Promise.all(Array.from(groups, start));
  const settle = () => new Promise((resolve) => setTimeout(resolve));
  await settle();
  return {
    started,
    async end(group: string): Promise<void> {
      ends
        .splice(
          ends.findIndex((one) => one.group === group),
          1,
        )[0]
        ?.end();
      await settle();
    },
  };
}

it("one group alone never has all places", async () => {
  const { started } = await openLimit(5, "aaaaaaaab");
  expect(started.join("")).toBe("aaaab");
});

it("a place goes to the group that has the fewest, and there to the oldest", async () => {
  const limit = await openLimit(3, "aaaabbbc");
  expect(limit.started.join("")).toBe("aab");
  await limit.end("a");
  expect(limit.started.join("")).toBe("aabc");
  await limit.end("a");
  expect(limit.started.join("")).toBe("aabca");
});

it("with one place everybody gets it in turn, and what fails gives it back", async () => {
  const inFlight = limitInFlight(1);
  const order: string[] = [];
  const run = (group: string) =>
    inFlight(group, async () => {
      order.push(group);
      throw new Error("It failed.");
    }).catch(() => undefined);
  await Promise.all(Array.from("aab", run));
  expect(order.join("")).toBe("aab");
});
