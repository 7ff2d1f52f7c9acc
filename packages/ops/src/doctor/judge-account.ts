/** Judges what an account has of what an environment needs, and which versions of the Workers answer there. Pure. */
import type { AttachedHost } from "../deploy/hosts.ts";
import { describePlan, type ProvisionPlan } from "../deploy/plan-provision.ts";
import type { AnsweringVersion, DeployedWorker } from "../deploy/versions.ts";
import { about, type Finding } from "./finding.ts";

export type DeployedFacts = {
  /** The environment's name, for what to do. */
  readonly environment: string;
  /** The checkout's commit; null outside of git. */
  readonly commit: string | null;
  /** By deployed name; null where nothing of it is deployed. */
  readonly workers: ReadonlyMap<string, DeployedWorker | null>;
};

export function judgeAccount(plan: ProvisionPlan, environment: string): readonly Finding[] {
  const account = about("account", environment);
  const missing = describePlan(plan).map((what) =>
    account.fault(`${what} missing`, `Run \`pnpm run provision --env ${environment}\`.`),
  );
  const leftOver = plan.leftOverQueues.map((queue) =>
    account.concern(
      `${queue} is no longer in wrangler.jsonc`,
      `Once it is empty: \`pnpm exec wrangler queues delete ${queue}\`.`,
    ),
  );
  const complete = [account.good("namespaces, queues and secrets are there")];
  return [...(missing.length > 0 ? missing : complete), ...leftOver];
}

/** @param wanted deployed name of each of our Workers to its hosts. */
export function judgeHosts(
  wanted: ReadonlyMap<string, readonly string[]>,
  attached: readonly AttachedHost[],
  environment: string,
): readonly Finding[] {
  const hosts = about("account", environment);
  const missing = [...wanted].flatMap(([worker, names]) =>
    names
      .filter((name) => !attached.some(({ host, worker: owner }) => host === name && owner === worker))
      .map((name) => {
        const owner = attached.find(({ host }) => host === name)?.worker;
        const what = owner === undefined ? "is not attached" : `leads to the Worker ${owner}, not`;
        const todo =
          owner === undefined
            ? `Run \`pnpm run deploy --env ${environment}\`.`
            : "Free it there, or deploy with --take-over.";
        return hosts.fault(`${name} ${what} to ${worker}`, todo);
      }),
  );
  const left = attached.flatMap(({ host, worker }) =>
    wanted.get(worker)?.includes(host) === false
      ? [
          hosts.concern(
            `${worker} answers on ${host}, which is not in environments.jsonc`,
            "Add it there, or deploy: that detaches it.",
          ),
        ]
      : [],
  );
  return [...missing, ...left];
}

export type CustomHostnameFacts = {
  readonly hasZone: boolean;
  readonly hasToken: boolean;
  /** The zone of custom hostnames, and where people sign in; null where it is not known. */
  readonly zone: string | null;
  readonly appHost: string | null;
};

/** Hosts in other people's zones: half a configuration is off, and the route of a whole one takes every host of the zone. */
export function judgeCustomHostnames(facts: CustomHostnameFacts, environment: string): readonly Finding[] {
  const { hasZone, hasToken, zone, appHost } = facts;
  const hosts = about("account", environment);
  if (hasZone !== hasToken) {
    const missing = hasZone ? "the secret CUSTOM_HOSTNAMES_TOKEN" : "the variable CUSTOM_HOSTNAMES_ZONE_ID";
    return [
      hosts.fault(`custom hostnames are off, because ${missing} is not set`, "Set it: docs/domains.md."),
    ];
  }
  const isInZone = zone !== null && appHost !== null && (appHost === zone || appHost.endsWith(`.${zone}`));
  return isInZone
    ? [
        hosts.concern(
          `${appHost} is in ${zone}, whose route */* leads all its hosts to the producer`,
          `Add the route ${appHost}/* without a Worker: docs/domains.md.`,
        ),
      ]
    : [];
}

export function judgeDeployed(facts: DeployedFacts): readonly Finding[] {
  const { environment, workers } = facts;
  const deployIt = `Run \`pnpm run deploy --env ${environment}\`.`;
  if ([...workers.values()].every((worker) => worker === null)) {
    return [about("versions", environment).fault("nothing is deployed", deployIt)];
  }
  const each = [...workers].flatMap(([name, worker]) =>
    worker === null
      ? [about("versions", name).fault("not deployed", deployIt)]
      : judgeAnswering(name, worker.answering, environment),
  );
  return [...each, ...judgeTogether(facts)];
}

function judgeAnswering(
  name: string,
  answering: readonly AnsweringVersion[],
  environment: string,
): readonly Finding[] {
  const versions = about("versions", name);
  const shares = answering.map(({ percent, tag, versionId }) => `${percent} % ${tag ?? versionId}`);
  const rollout = versions.concern(
    `a rollout is in progress: ${shares.join(", ")}`,
    `Finish it with \`pnpm run rollout --env ${environment} --percent 100\`, or go back with --back.`,
  );
  const untagged = answering.filter(({ tag }) => tag === null);
  return [
    ...(answering.length > 1 ? [rollout] : []),
    ...untagged.map(({ versionId }) =>
      versions.unseen(
        `version ${versionId} does not say its commit`,
        "It was made by a changed secret, or deployed by hand; the next `pnpm run deploy` says it again.",
      ),
    ),
  ];
}

/** The Workers of one commit fit together; `deploy` brings all of them there. */
function judgeTogether({ environment, commit, workers }: DeployedFacts): readonly Finding[] {
  const versions = about("versions", environment);
  const newest = [...workers].flatMap(([name, worker]) => {
    // The version that most visitors meet.
    const tag = worker?.answering.toSorted((a, b) => b.percent - a.percent)[0]?.tag ?? null;
    return tag === null ? [] : [{ name, tag }];
  });
  const [tag, ...others] = new Set(newest.map((worker) => worker.tag));
  if (tag === undefined) {
    return [];
  }
  if (others.length > 0) {
    const what = newest.map((worker) => `${worker.name} is at ${worker.tag}`).join(", ");
    return [versions.concern(what, `Bring them together: \`pnpm run deploy --env ${environment}\`.`)];
  }
  if (commit !== null && tag !== commit) {
    const what = `the Workers are at ${tag}, and this checkout is at ${commit}`;
    return [versions.concern(what, "Deploy it, or run the doctor from a checkout of what is deployed.")];
  }
  return [versions.good(`the Workers are at ${tag}${commit === null ? "" : ", as this checkout"}`)];
}
