/** The versions of a deployed Worker: which of them answer, what they offer to other Workers, and who gets which. */
import { attempt, type Account, orNoWorker } from "./account.ts";
import { type JsonObject, objectAt, objectsAt, textAt, toJsonObject } from "./json-object.ts";
import type { Rollout, Share } from "./plan-rollout.ts";
import type { WorkerConfig } from "./worker-config.ts";

/** A version that answers some of the requests. */
export type AnsweringVersion = Share & {
  /** The commit it was deployed from; null where `pnpm run deploy` did not make it, or not in a git checkout. */
  readonly tag: string | null;
};

export type DeployedWorker = {
  readonly answering: readonly AnsweringVersion[];
  /** Names of its entrypoints and Durable Object classes, as every answering version has them. */
  readonly offers: ReadonlySet<string>;
};

/** Null where there is no such Worker, or only the draft that setting its secrets makes. */
export function readDeployedWorker(account: Account, worker: string): Promise<DeployedWorker | null> {
  const { client, id } = account;
  return attempt(`Reading the versions of ${worker}`, "Workers Scripts", async () => {
    const [current = []] = (await orNoWorker(() => listDeployments(account, worker))) ?? [];
    const answering = current.filter(({ percent }) => percent > 0);
    const versions = await Promise.all(
      answering.map(async ({ versionId }) => {
        const params = { account_id: id, script_name: worker };
        return toJsonObject(await client.workers.scripts.versions.get(versionId, params));
      }),
    );
    const offers = versions.flatMap(offersOf);
    return versions.every(isDraft)
      ? null
      : {
          answering: answering.map((share, index) => ({ ...share, tag: tagOf(versions[index] ?? {}) })),
          offers: new Set(
            offers.filter((name) => versions.every((version) => offersOf(version).includes(name))),
          ),
        };
  });
}

/** Rejects with a `Failure` where there is no such Worker. */
export function readRollout(account: Account, worker: string): Promise<Rollout> {
  return attempt(`Reading the versions of ${worker}`, "Workers Scripts", async () => {
    const { client, id } = account;
    const deployments = await listDeployments(account, worker);
    // The newest page is enough. The SDK 7.3 has no type for the annotations of a version.
    const { result } = await client.workers.scripts.versions.list(worker, { account_id: id });
    const versions = objectsAt(toJsonObject(result), "items").map((version) => ({
      versionId: textAt(version, "id") ?? "",
      number: Number(version["number"] ?? 0),
      createdOn: textAt(objectAt(version, "metadata"), "created_on") ?? "",
      tag: tagOf(version),
    }));
    return { worker, deployments, versions: versions.toSorted((a, b) => b.number - a.number) };
  });
}

/** Shares the requests out among these versions, at once. */
export async function shareTraffic(
  { client, id }: Account,
  worker: string,
  shares: readonly Share[],
): Promise<void> {
  const versions = shares.map(({ versionId, percent }) => ({ version_id: versionId, percentage: percent }));
  await attempt(`Changing the versions of ${worker} that answer`, "Workers Scripts", () =>
    client.workers.scripts.deployments.create(worker, { account_id: id, strategy: "percentage", versions }),
  );
}

/** Applies the settings that no version contains and that `wrangler versions upload` leaves as they are. */
export async function patchSettings(
  { client, id }: Account,
  worker: string,
  { raw }: WorkerConfig,
): Promise<void> {
  await attempt(`Changing the settings of ${worker}`, "Workers Scripts", () =>
    client.patch(`/accounts/${id}/workers/scripts/${worker}/script-settings`, {
      body: { observability: raw["observability"] },
    }),
  );
}

/** Newest first. */
async function listDeployments({ client, id }: Account, worker: string): Promise<Rollout["deployments"]> {
  // The SDK 7.3 looks for `items` in this answer; the API calls them `deployments`.
  const { result } = await client.workers.scripts.deployments.list(worker, { account_id: id });
  return objectsAt(toJsonObject(result), "deployments")
    .toSorted((a, b) => (textAt(b, "created_on") ?? "").localeCompare(textAt(a, "created_on") ?? ""))
    .map((deployment) =>
      objectsAt(deployment, "versions").map((version) => ({
        versionId: textAt(version, "version_id") ?? "",
        percent: Number(version["percentage"] ?? 0),
      })),
    );
}

/** A draft binds its secrets and nothing else. Each Worker of ours binds more. */
function isDraft(version: JsonObject): boolean {
  return objectsAt(objectAt(version, "resources"), "bindings").every(
    (binding) => textAt(binding, "type") === "secret_text",
  );
}

function tagOf(version: JsonObject): string | null {
  return textAt(objectAt(version, "annotations"), "workers/tag");
}

function offersOf(version: JsonObject): readonly string[] {
  const script = objectAt(objectAt(version, "resources"), "script");
  return objectsAt(script, "named_handlers").flatMap((handler) => textAt(handler, "name") ?? []);
}
