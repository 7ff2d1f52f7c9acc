/**
 * Decides which versions of a Worker share its traffic: a new one beside the old, more of it, or back. Pure.
 *
 * A version is code, bindings and secrets as they were uploaded; a deployment says which versions answer, and how much.
 * What is not possible is a `Failure` that names the Worker.
 */
import { Failure } from "@hopline/testkit/console/failure";

export type Share = { readonly versionId: string; readonly percent: number };

export type Version = {
  readonly versionId: string;
  /** Grows with every upload. */
  readonly number: number;
  readonly createdOn: string;
  /** The commit it was deployed from, where that is known. */
  readonly tag: string | null;
};

export type Rollout = {
  readonly worker: string;
  /** Newest first. */
  readonly deployments: readonly (readonly Share[])[];
  /** Newest first. */
  readonly versions: readonly Version[];
};

export type RolloutWish =
  /** This share of the traffic for the newer of the two versions that answer now. */
  | { readonly kind: "percent"; readonly percent: number }
  /** The version that answered before: the older of the two, or the one of the deployment before. Going back twice stays there. */
  | { readonly kind: "back" }
  | { readonly kind: "to"; readonly versionId: string };

/** Id, day, commit and share of the traffic of each version, for a person to choose from; newest first. */
export function describeVersions({ deployments: [current = []], versions }: Rollout): readonly string[] {
  return versions.map(({ versionId, createdOn, tag }) => {
    const share = current.find((candidate) => candidate.versionId === versionId);
    const answers = share === undefined ? "" : `${share.percent} %`;
    const parts = [versionId, createdOn.slice(0, 16).replace("T", " "), tag ?? "", answers];
    return parts.filter((part) => part !== "").join("  ");
  });
}

export function describeShares(shares: readonly Share[]): string {
  return shares.map(({ versionId, percent }) => `${versionId}@${percent}%`).join(", ");
}

/** The one version that answers everything: only beside such a one can a new version be tried. */
export function requireSettled({ worker, deployments: [current = []] }: Rollout): string {
  const [stable, ...others] = current.filter(({ percent }) => percent > 0);
  if (stable === undefined) {
    throw new Failure(`${worker}: no version answers yet. Deploy it without --percent first.`);
  }
  if (others.length > 0) {
    throw new Failure(
      `${worker}: a rollout is in progress: finish it with \`pnpm run rollout --percent 100\`, or go back.`,
    );
  }
  return stable.versionId;
}

export function planRollout(rollout: Rollout, wish: RolloutWish): readonly Share[] {
  const { worker, versions } = rollout;
  const [current = [], before = []] = rollout.deployments;
  const numberOf = ({ versionId }: Share): number =>
    versions.find((version) => version.versionId === versionId)?.number ?? 0;
  const answering = current.filter((share) => share.percent > 0);
  const [newer, older] = answering.toSorted((a, b) => numberOf(b) - numberOf(a));
  if (newer === undefined) {
    throw new Failure(`${worker}: no version answers yet. Deploy it first.`);
  }
  switch (wish.kind) {
    case "to":
      return [{ versionId: wish.versionId, percent: 100 }];
    case "percent":
      if (older === undefined && wish.percent === 100) {
        // The first deployment is never by share, and a run that broke off may have come that far.
        return [{ versionId: newer.versionId, percent: 100 }];
      }
      if (older === undefined) {
        throw new Failure(`${worker}: one version answers everything, so no rollout is in progress.`);
      }
      return splitTraffic(newer.versionId, wish.percent, older.versionId);
    case "back": {
      if (older === undefined && before.some((share) => numberOf(share) > numberOf(newer))) {
        // A run that was interrupted has gone back already: what answered before is the version that failed.
        return [{ versionId: newer.versionId, percent: 100 }];
      }
      const previous = older ?? before.find((share) => share.versionId !== newer.versionId);
      if (previous === undefined) {
        throw new Failure(`${worker}: no other version answered before. Name one with --to.`);
      }
      return [{ versionId: previous.versionId, percent: 100 }];
    }
  }
}

/** `percent` for the newer version, the rest for the older one. */
export function splitTraffic(newer: string, percent: number, older: string): readonly Share[] {
  const rest = { versionId: older, percent: 100 - percent };
  return [{ versionId: newer, percent }, ...(rest.percent === 0 ? [] : [rest])];
}
