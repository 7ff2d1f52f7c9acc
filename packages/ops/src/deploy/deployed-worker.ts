/**
 * What of a Worker answers in the account now: its versions, the commits they were made from, and what other Workers can
 * bind of it. Read through wrangler; changes nothing.
 */
import { summariseWranglerError } from "@hopline/testkit/workspace/build-workers";
import { Failure } from "@hopline/testkit/console/failure";
import { NO_WORKER, readJsonList, type RunWrangler } from "./account.ts";
import { type JsonObject, objectAt, objectsAt, parseJsonObject, textAt } from "./json-object.ts";
import { toRollout } from "./plan-rollout.ts";

/** A version that answers some of the requests. */
export type AnsweringVersion = {
  readonly versionId: string;
  readonly percent: number;
  /** The commit it was deployed from; null where it was not `pnpm run deploy` that made it, or not in a git checkout. */
  readonly tag: string | null;
};

export type DeployedWorker = {
  readonly answering: readonly AnsweringVersion[];
  /** Names of its entrypoints and Durable Object classes, as every answering version has them. */
  readonly offers: ReadonlySet<string>;
};

/** Null where there is no such Worker, or only the draft that setting its secrets makes. */
export async function readDeployedWorker(
  worker: string,
  runWrangler: RunWrangler,
): Promise<DeployedWorker | null> {
  const ask = async (wranglerArguments: readonly string[]): Promise<string | null> => {
    const { exitCode, output } = await runWrangler([...wranglerArguments, "--json", "--name", worker]);
    if (exitCode === 0) {
      return output;
    }
    if (NO_WORKER.test(output)) {
      return null;
    }
    throw new Failure(`Looking at ${worker} failed: ${summariseWranglerError(output)}`);
  };
  const deployments = await ask(["deployments", "list"]);
  const [current = []] = toRollout(readJsonList(deployments ?? ""), []).deployments;
  const answering = current.filter(({ percent }) => percent > 0);
  const versions = await Promise.all(
    answering.map(async ({ versionId }) => readVersion((await ask(["versions", "view", versionId])) ?? "{}")),
  );
  return versions.every(isDraft)
    ? null
    : {
        answering: answering.map((share, index) => ({ ...share, tag: tagOf(versions[index] ?? {}) })),
        offers: intersect(versions.map(offersOf)),
      };
}

/** The object that `wrangler versions view --json` prints, perhaps among notices. */
function readVersion(output: string): JsonObject {
  return parseJsonObject(/^\{[\s\S]*?^\}$/m.exec(output)?.[0] ?? "{}", "The output of wrangler");
}

/** `wrangler secret bulk` makes a Worker that binds its secrets and nothing else. Each of ours binds more. */
function isDraft(version: JsonObject): boolean {
  return objectsAt(objectAt(version, "resources"), "bindings").every(
    (binding) => textAt(binding, "type") === "secret_text",
  );
}

function tagOf(version: JsonObject): string | null {
  return textAt(objectAt(version, "annotations"), "workers/tag");
}

function offersOf(version: JsonObject): ReadonlySet<string> {
  const script = objectAt(objectAt(version, "resources"), "script");
  return new Set(objectsAt(script, "named_handlers").flatMap((handler) => textAt(handler, "name") ?? []));
}

function intersect(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  const [first = new Set<string>(), ...others] = sets;
  return new Set([...first].filter((name) => others.every((set) => set.has(name))));
}
