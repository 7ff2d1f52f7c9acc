import { describe, expect, it } from "vitest";

import type { AnsweringVersion } from "../../src/deploy/deployed-worker.ts";
import { describeFinding } from "../../src/doctor/finding.ts";
import { judgeDeployed } from "../../src/doctor/judge-deployed.ts";

type Versions = readonly Partial<AnsweringVersion>[];

/** Lines about these Workers; a Worker without versions is not deployed. */
function linesOf(
  workers: Readonly<Record<string, Versions>>,
  commit: string | null = "abc",
): readonly string[] {
  const deployed = Object.entries(workers).map(([name, versions]) => {
    const answering = versions.map((version) => ({ versionId: "v", percent: 100, tag: "abc", ...version }));
    return [name, versions.length === 0 ? null : { answering, offers: new Set<string>() }] as const;
  });
  return judgeDeployed({ environment: "staging", commit, workers: new Map(deployed) }).map(describeFinding);
}

describe("of what is deployed, the doctor", () => {
  it("is content where every Worker is at the checkout's commit", () => {
    expect(linesOf({ api: [{}], producer: [{}] })).toEqual([
      "✓ versions      staging: the Workers are at abc, as this checkout.",
    ]);
  });

  it("says that the checkout is another commit", () => {
    expect(linesOf({ api: [{}], producer: [{}] }, "def-dirty")).toEqual([
      expect.stringMatching(
        /^! versions +staging: the Workers are at abc, and this checkout is at def-dirty\. Deploy/,
      ),
    ]);
  });

  it("does not compare with a checkout that has no commit", () => {
    expect(linesOf({ api: [{}] }, null)).toEqual(["✓ versions      staging: the Workers are at abc."]);
  });

  it("names the Workers that are at different commits", () => {
    expect(linesOf({ api: [{ tag: "old" }], producer: [{}] })).toEqual([
      expect.stringMatching(/^! .*api is at old, producer is at abc\. .*pnpm run deploy --env staging/),
    ]);
  });

  it("names a rollout that is under way, and judges by the version most visitors meet", () => {
    const shares = [
      { versionId: "new", percent: 10, tag: "def" },
      { versionId: "old", percent: 90 },
    ];
    expect(linesOf({ api: [{}], producer: shares })).toEqual([
      expect.stringMatching(/^! .*producer: a rollout is under way: 10 % def, 90 % abc\. .*--percent 100/),
      "✓ versions      staging: the Workers are at abc, as this checkout.",
    ]);
  });

  it("calls it an error where a Worker is missing, or all", () => {
    expect(linesOf({ api: [{}], producer: [] })[0]).toMatch(/^✗ versions +producer: not deployed/);
    expect(linesOf({ api: [], producer: [] })).toEqual([
      expect.stringMatching(
        /^✗ versions +staging: nothing is deployed\. Run `pnpm run deploy --env staging`/,
      ),
    ]);
  });

  it("cannot say the commit of a version that a changed secret made", () => {
    expect(linesOf({ api: [{ tag: null }], producer: [{}] })).toEqual([
      expect.stringMatching(/^\? versions +api: version v does not say its commit/),
      "✓ versions      staging: the Workers are at abc, as this checkout.",
    ]);
  });
});
