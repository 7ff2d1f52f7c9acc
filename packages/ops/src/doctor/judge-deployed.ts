/** Judges which versions of the Workers answer: beside each other, and beside the checkout. Pure. */
import type { AnsweringVersion, DeployedWorker } from "../deploy/deployed-worker.ts";
import { concern, fault, type Finding, good, unseen } from "./finding.ts";

export type DeployedFacts = {
  /** The environment's name, for what to do. */
  readonly environment: string;
  /** The checkout's commit; null outside of git. */
  readonly commit: string | null;
  /** By deployed name; null where nothing of it is deployed. */
  readonly workers: ReadonlyMap<string, DeployedWorker | null>;
};

export function judgeDeployed(facts: DeployedFacts): readonly Finding[] {
  const { environment, workers } = facts;
  const there = [...workers].filter(([, worker]) => worker !== null);
  if (there.length === 0) {
    return [
      fault("versions", environment, "nothing is deployed", `Run \`pnpm run deploy --env ${environment}\`.`),
    ];
  }
  const each = [...workers].flatMap(([name, worker]) => judgeWorker(name, worker, environment));
  return [...each, ...judgeTogether(facts)];
}

function judgeWorker(name: string, worker: DeployedWorker | null, environment: string): readonly Finding[] {
  if (worker === null) {
    return [fault("versions", name, "not deployed", `Run \`pnpm run deploy --env ${environment}\`.`)];
  }
  const { answering } = worker;
  const untold = answering.filter(({ tag }) => tag === null);
  return [
    ...(answering.length > 1
      ? [
          concern(
            "versions",
            name,
            `a rollout is under way: ${answering.map(describeShare).join(", ")}`,
            `End it: \`pnpm run rollout --env ${environment} --percent 100\`, or --back.`,
          ),
        ]
      : []),
    ...untold.map(({ versionId }) =>
      unseen(
        "versions",
        name,
        `version ${versionId} does not say its commit`,
        "A changed secret makes such a version, or a deployment by hand; the next `pnpm run deploy` marks it again.",
      ),
    ),
  ];
}

/** The Workers are made for each other at one commit; `deploy` brings all three there. */
function judgeTogether({ environment, commit, workers }: DeployedFacts): readonly Finding[] {
  const newest = [...workers].flatMap(([name, worker]) => {
    const tag = worker?.answering.toSorted(byShare)[0]?.tag ?? null;
    return tag === null ? [] : [{ name, tag }];
  });
  const tags = [...new Set(newest.map(({ tag }) => tag))];
  const [tag] = tags;
  if (tag === undefined) {
    return [];
  }
  if (tags.length > 1) {
    const what = newest.map((each) => `${each.name} is at ${each.tag}`).join(", ");
    return [
      concern(
        "versions",
        environment,
        what,
        `Bring them together: \`pnpm run deploy --env ${environment}\`.`,
      ),
    ];
  }
  return [
    commit === null || tag === commit
      ? good(
          "versions",
          environment,
          `the Workers are at ${tag}${commit === null ? "" : ", as this checkout"}`,
        )
      : concern(
          "versions",
          environment,
          `the Workers are at ${tag}, and this checkout is at ${commit}`,
          "Deploy it, or look from a checkout of what is deployed.",
        ),
  ];
}

/** The version that most visitors meet first. */
function byShare(a: AnsweringVersion, b: AnsweringVersion): number {
  return b.percent - a.percent;
}

function describeShare({ percent, tag, versionId }: AnsweringVersion): string {
  return `${percent} % ${tag ?? versionId}`;
}
