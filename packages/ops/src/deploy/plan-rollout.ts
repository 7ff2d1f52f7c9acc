/**
 * Decides which versions of a Worker share its traffic: a new one beside the old, more of it, or back. Pure.
 *
 * A version is code, bindings and secrets as they were uploaded; a deployment says which versions answer, and how much.
 */
import { fail, ok, type Result } from "@hopline/core/decode/result";

import { type JsonObject, objectAt, objectsAt, textAt } from "./json-object.ts";

export type Share = { readonly versionId: string; readonly percent: number };

export type Rollout = {
  /** Newest first. */
  readonly deployments: readonly (readonly Share[])[];
  /** Version to its number, which grows with every upload. */
  readonly numbers: ReadonlyMap<string, number>;
};

export type RolloutWish =
  /** This share of the traffic for the newer of the two versions that answer now. */
  | { readonly kind: "percent"; readonly percent: number }
  /** The version that answered before: the older of the two, or the one of the deployment before. */
  | { readonly kind: "back" }
  | { readonly kind: "to"; readonly versionId: string };

/** What stands in the way, in words for a person. */
export type RolloutFault = { readonly reason: "not_possible"; readonly detail: string };

/** Reads `wrangler deployments list --json` and `wrangler versions list --json`. */
export function toRollout(deployments: readonly JsonObject[], versions: readonly JsonObject[]): Rollout {
  const newestFirst = deployments.toSorted((a, b) =>
    (textAt(b, "created_on") ?? "").localeCompare(textAt(a, "created_on") ?? ""),
  );
  return {
    deployments: newestFirst.map((deployment) =>
      objectsAt(deployment, "versions").map((version) => ({
        versionId: textAt(version, "version_id") ?? "",
        percent: Number(version["percentage"] ?? 0),
      })),
    ),
    numbers: new Map(
      versions.map((version) => [textAt(version, "id") ?? "", Number(version["number"] ?? 0)]),
    ),
  };
}

/** The tag and the day of each version, for a person to choose from; newest first. */
export function describeVersions(versions: readonly JsonObject[], rollout: Rollout): readonly string[] {
  const [current = []] = rollout.deployments;
  return versions
    .toSorted((a, b) => Number(b["number"]) - Number(a["number"]))
    .map((version) => {
      const id = textAt(version, "id") ?? "";
      const share = current.find(({ versionId }) => versionId === id);
      const tag = textAt(objectAt(version, "annotations"), "workers/tag") ?? "";
      const createdOn = textAt(objectAt(version, "metadata"), "created_on") ?? "";
      return [
        id,
        createdOn.slice(0, 16).replace("T", " "),
        tag,
        share === undefined ? "" : `${share.percent} %`,
      ]
        .filter((part) => part !== "")
        .join("  ");
    });
}

/** A version that was just uploaded takes `percent` from the one that answers everything now. */
export function planCanary(
  rollout: Rollout,
  versionId: string,
  percent: number,
): Result<readonly Share[], RolloutFault> {
  const [current = []] = rollout.deployments;
  const [stable, ...others] = current.filter((share) => share.percent > 0);
  if (stable === undefined) {
    return impossible("nothing answers yet, so there is nothing to roll out beside: deploy it whole first");
  }
  if (others.length > 0) {
    return impossible("a rollout is under way: take it to 100 % or back first");
  }
  return ok(toShares(versionId, percent, stable.versionId));
}

export function planRollout(rollout: Rollout, wish: RolloutWish): Result<readonly Share[], RolloutFault> {
  const [current = [], before = []] = rollout.deployments;
  const answering = current.filter((share) => share.percent > 0);
  const [newer, older] = answering.toSorted((a, b) => numberOf(rollout, b) - numberOf(rollout, a));
  if (newer === undefined) {
    return impossible("nothing answers yet: deploy it first");
  }
  switch (wish.kind) {
    case "to":
      return ok([{ versionId: wish.versionId, percent: 100 }]);
    case "percent":
      return older === undefined
        ? impossible("one version answers everything: there is no rollout under way")
        : ok(toShares(newer.versionId, wish.percent, older.versionId));
    case "back": {
      const previous = older ?? before.find((share) => share.versionId !== newer.versionId);
      return previous === undefined
        ? impossible("there was no other version before: name one with --to")
        : ok([{ versionId: previous.versionId, percent: 100 }]);
    }
  }
}

/** `wrangler versions deploy` takes shares in this form. */
export function toVersionSpecs(shares: readonly Share[]): readonly string[] {
  return shares.map(({ versionId, percent }) => `${versionId}@${percent}%`);
}

function toShares(newer: string, percent: number, older: string): readonly Share[] {
  return percent === 100
    ? [{ versionId: newer, percent }]
    : [
        { versionId: newer, percent },
        { versionId: older, percent: 100 - percent },
      ];
}

function numberOf({ numbers }: Rollout, { versionId }: Share): number {
  return numbers.get(versionId) ?? 0;
}

function impossible(detail: string): { readonly ok: false; readonly error: RolloutFault } {
  return fail({ reason: "not_possible", detail });
}
