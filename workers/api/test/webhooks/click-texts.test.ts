/** Clicks that many endpoints are told are read once. */
import { expect, it } from "vitest";
import { toPublicClickId } from "../../src/analytics/click-shape.ts";
import { createClickTexts } from "../../src/webhooks/click-texts.ts";
import type { Delivery } from "../../src/webhooks/delivery.ts";

const ids = [1, 2, 3].map((number) => `00000000-0000-7000-8000-00000000000${number}`);
const [first = "", second = "", deleted = ""] = ids;

function rowOf(eventIds: readonly string[]): Delivery {
  return {
    id: "",
    type: "click.batch",
    createdAtMs: 0,
    eventIds,
    clickedFromMs: 0,
    clickedToMs: 0,
    data: null,
    sent: 0,
    attempts: 0,
  };
}

function open(fail: () => boolean = () => false) {
  const read: (readonly string[])[] = [];
  const texts = createClickTexts(async (_workspaceId, { eventIds }) => {
    read.push(eventIds);
    if (fail()) {
      throw new Error("the database is away");
    }
    return eventIds
      .filter((eventId) => eventId !== deleted)
      .map((eventId) => ({ eventId, atUs: "0", values: new Map([["country", "CH"]] as const) }));
  });
  return {
    read,
    idsOf: async (eventIds: readonly string[]) => [...(await texts("", [rowOf(eventIds)])).keys()],
  };
}

it("a click is read once, also by endpoints that ask at the same time, and one that was deleted is missing", async () => {
  const { read, idsOf } = open();
  const [one, other] = await Promise.all([idsOf([first, deleted]), idsOf([first, second])]);
  expect([one, other.toSorted(), await idsOf([second])]).toEqual([[first], [first, second], [second]]);
  expect(read).toEqual([[first, deleted], [second]]);
});

it("what could not be read is read again", async () => {
  let isAway = true;
  const { idsOf } = open(() => isAway);
  await expect(idsOf([first])).rejects.toThrow("away");
  isAway = false;
  expect(await idsOf([first])).toEqual([first]);
});

it("its text is the click as the API shows it", async () => {
  const texts = createClickTexts(async () => [
    { eventId: first, atUs: "1000", values: new Map([["country", "CH"]]) },
  ]);
  const text = (await texts("", [rowOf([first])])).get(first);
  expect(text).toMatchObject({ id: toPublicClickId(first), at: "1970-01-01T00:00:00.001Z" });
  expect(JSON.parse(text?.json ?? "")).toMatchObject({
    id: text?.id,
    at: text?.at,
    country: "CH",
    city: null,
  });
});
