import type { LinkKey } from "@hopline/core/link/link-address";
import { expect, it } from "vitest";
import type { ChangeFeed } from "../../../src/change-feed.ts";
import { createDurableChangeFeed } from "../../../src/publishing/durable-change-feed.ts";

it.each([
  ["weur", { locationHint: "weur" }],
  ["nowhere", {}],
])(
  "the API makes the change feed's object where CHANGE_FEED_LOCATION says: %s",
  async (location, options) => {
    const opened: unknown[] = [];
    const feed = createDurableChangeFeed(
      {
        getByName: (...given) => {
          opened.push(given);
          const stub = { append: async () => undefined, find: async () => null };
          return stub as unknown as DurableObjectStub<ChangeFeed>;
        },
      },
      location,
    );
    await feed.append([]);
    await feed.find("go.example.com/spring" as LinkKey);
    expect(opened).toEqual([
      ["links", options],
      ["links", options],
    ]);
  },
);
