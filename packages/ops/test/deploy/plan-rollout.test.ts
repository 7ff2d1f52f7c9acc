import { describe, expect, it } from "vitest";

import {
  describeShares,
  describeVersions,
  planRollout,
  requireSettled,
  type Rollout,
  splitTraffic,
} from "../../src/deploy/plan-rollout.ts";

/** Versions 3, 2 and 1; each deployment is described by the shares of its versions. */
function aRollout(...deployments: readonly Readonly<Record<string, number>>[]): Rollout {
  return {
    worker: "hopline-producer",
    deployments: deployments.map((shares) =>
      Object.entries(shares).map(([versionId, percent]) => ({ versionId, percent })),
    ),
    versions: ["third", "second", "first"].map((versionId, index) => ({
      versionId,
      number: 3 - index,
      createdOn: `2026-11-2${3 - index}T08:09:10Z`,
      tag: versionId === "first" ? null : `tag of ${versionId}`,
    })),
  };
}
const settled = aRollout({ second: 100 }, { first: 100 });
const inProgress = aRollout({ second: 90, third: 10 }, { second: 100 });
const nothing = aRollout();
const percent = (value: number) => ({ kind: "percent", percent: value }) as const;

it("a new version takes its share from the one that answers everything", () => {
  expect(describeShares(splitTraffic("third", 10, requireSettled(settled)))).toBe("third@10%, second@90%");
  expect(() => requireSettled(nothing)).toThrow(
    "hopline-producer: no version answers yet. Deploy it without",
  );
  expect(() => requireSettled(inProgress)).toThrow("hopline-producer: a rollout is in progress");
});

describe("a rollout", () => {
  it.each([
    ["gives the newer version its share", inProgress, percent(50), "third@50%, second@50%"],
    ["ends with the newer version alone", inProgress, percent(100), "third@100%"],
    [
      "is complete where one version answers everything, as after a first push",
      settled,
      percent(100),
      "second@100%",
    ],
    ["goes back to the older of two", inProgress, { kind: "back" }, "second@100%"],
    ["goes back to the deployment before", settled, { kind: "back" }, "first@100%"],
    [
      "that has gone back to the deployment before stays there",
      aRollout({ second: 100 }, { third: 100 }, { first: 100 }),
      { kind: "back" },
      "second@100%",
    ],
    [
      "that has taken back a share stays there",
      aRollout({ second: 100 }, { second: 90, third: 10 }, { second: 100 }),
      { kind: "back" },
      "second@100%",
    ],
    ["goes to a version by its id", settled, { kind: "to", versionId: "x" }, "x@100%"],
  ] as const)("%s", (_what, rollout, wish, shares) => {
    expect(describeShares(planRollout(rollout, wish))).toBe(shares);
  });

  it.each([
    ["a share where only one version answers", settled, percent(50), "no rollout is in progress"],
    ["back from the first version", aRollout({ first: 100 }), { kind: "back" }, "Name one with --to"],
    ["anything before the first deployment", nothing, { kind: "back" }, "Deploy it first"],
  ] as const)("refuses %s", (_what, rollout, wish, words) => {
    expect(() => planRollout(rollout, wish)).toThrow(words);
  });

  it("lists versions with day, commit and share of the traffic", () => {
    expect(describeVersions(settled)).toEqual([
      "third  2026-11-23 08:09  tag of third",
      "second  2026-11-22 08:09  tag of second  100 %",
      "first  2026-11-21 08:09",
    ]);
  });
});
