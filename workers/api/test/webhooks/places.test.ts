import { expect, it } from "vitest";
import { createPlaces } from "../../src/webhooks/places.ts";

it("one workspace alone never has all connections of a run, and what fails gives its own back", async () => {
  const places = createPlaces(3);
  const ends: (() => void)[] = [];
  const take = (group: string) =>
    places.use(
      group,
      () => new Promise<never>((_resolve, end) => ends.push(() => end(new Error("It failed.")))),
    );
  const taken = [take("a"), take("a")].map((one) => one.catch(() => undefined));
  expect([places.free(), places.isFreeFor("a"), places.isFreeFor("b")]).toEqual([1, false, true]);
  taken.push(take("b").catch(() => undefined));
  expect([places.free(), places.isFreeFor("a"), places.isFreeFor("b")]).toEqual([0, false, false]);
  ends.shift()?.();
  await taken.shift();
  expect([places.free(), places.isFreeFor("a"), places.isFreeFor("b")]).toEqual([1, true, true]);
});
