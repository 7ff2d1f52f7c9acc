import { describe, expect, it } from "vitest";

import {
  describeVersions,
  planCanary,
  planRollout,
  type Rollout,
  toRollout,
  toVersionSpecs,
} from "../../src/deploy/plan-rollout.ts";

const numbers = new Map([
  ["first", 1],
  ["second", 2],
  ["third", 3],
]);
const whole = (versionId: string) => [{ versionId, percent: 100 }];
const settled: Rollout = { deployments: [whole("second"), whole("first")], numbers };
const underWay: Rollout = {
  deployments: [
    [
      { versionId: "second", percent: 90 },
      { versionId: "third", percent: 10 },
    ],
    whole("second"),
  ],
  numbers,
};
const nothing: Rollout = { deployments: [], numbers: new Map() };

describe("a new version beside the old one", () => {
  it("takes its share from the version that answers everything", () => {
    const planned = planCanary(settled, "third", 10);
    expect(planned.ok && toVersionSpecs(planned.value)).toEqual(["third@10%", "second@90%"]);
  });

  it.each([
    ["before anything answers", nothing, "deploy it whole first"],
    ["while another rollout is under way", underWay, "a rollout is under way"],
  ])("is refused %s", (_when, rollout, words) => {
    expect(planCanary(rollout, "third", 10)).toMatchObject({
      ok: false,
      error: { detail: expect.stringContaining(words) },
    });
  });
});

describe("a rollout", () => {
  it.each([
    [
      "gives the newer version its share",
      underWay,
      { kind: "percent", percent: 50 },
      ["third@50%", "second@50%"],
    ],
    ["ends with the newer version alone", underWay, { kind: "percent", percent: 100 }, ["third@100%"]],
    ["goes back to the older of two", underWay, { kind: "back" }, ["second@100%"]],
    ["goes back to the deployment before", settled, { kind: "back" }, ["first@100%"]],
    ["goes to a version by its id", settled, { kind: "to", versionId: "x" }, ["x@100%"]],
  ] as const)("%s", (_what, rollout, wish, specs) => {
    const planned = planRollout(rollout, wish);
    expect(planned.ok && toVersionSpecs(planned.value)).toEqual(specs);
  });

  it.each([
    [
      "a share where only one version answers",
      settled,
      { kind: "percent", percent: 50 },
      "no rollout under way",
    ],
    ["back from the first version", { ...settled, deployments: [whole("first")] }, { kind: "back" }, "--to"],
    ["anything before the first deployment", nothing, { kind: "back" }, "deploy it first"],
  ] as const)("refuses %s", (_what, rollout, wish, words) => {
    expect(planRollout(rollout, wish)).toMatchObject({
      ok: false,
      error: { detail: expect.stringContaining(words) },
    });
  });
});

describe("what wrangler lists", () => {
  const deployments = [
    { created_on: "2026-11-20T00:00:00Z", versions: [{ version_id: "first", percentage: 100 }] },
    { created_on: "2026-11-21T00:00:00Z", versions: [{ version_id: "second", percentage: 100 }] },
  ];
  const versions = [
    { id: "first", number: 1, metadata: { created_on: "2026-11-20T00:00:00Z" } },
    {
      id: "second",
      number: 2,
      metadata: { created_on: "2026-11-21T08:09:10Z" },
      annotations: { "workers/tag": "abc1234" },
    },
  ];

  it("is read with the newest deployment first, in whatever order it comes", () => {
    for (const order of [deployments, deployments.toReversed()]) {
      expect(toRollout(order, versions).deployments).toEqual([whole("second"), whole("first")]);
    }
  });

  it("is told newest first, with the commit and the share of the traffic", () => {
    expect(describeVersions(versions, toRollout(deployments, versions))).toEqual([
      "second  2026-11-21 08:09  abc1234  100 %",
      "first  2026-11-20 00:00",
    ]);
  });
});
