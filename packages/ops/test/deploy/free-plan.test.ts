import { expect, it } from "vitest";

import { describeFreePlan } from "../../src/deploy/free-plan.ts";

it("says in one line what is off on Workers Free, and which variable is missing", () => {
  const describe = (api: object, consumer: object = {}) => describeFreePlan({ vars: { api, consumer } });
  const describeOne = (api: object, consumer?: object) => describe(api, consumer).join("\n");
  expect(describe({})).toEqual([]);
  expect(describe({ KV_WRITES_PER_DAY: "0" })).toEqual([]);
  const free = { KV_WRITES_PER_DAY: "1000" };
  expect(describeOne(free)).toMatch(/^Workers Free: .* Set "SUBREQUESTS": "50" for api and consumer\.$/);
  expect(describeOne({ ...free, SUBREQUESTS: "50" })).toMatch(/for consumer\.$/);
  expect(describeOne({ ...free, SUBREQUESTS: "50" }, { SUBREQUESTS: "50" })).toMatch(/The free plans\.$/);
});
