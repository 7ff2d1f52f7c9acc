/** Changes a domain's settings: compiles its record, commits it in the next version, publishes it. */
import { encodeDomainRecord } from "@hopline/core/domain-record";
import { readSettings, type UpdateDomain } from "./domain-shape.ts";
import { ProblemError } from "./problem.ts";
import type { Publisher } from "./publishing/publish-changes.ts";
import type { Database } from "./store/database.ts";
import { findDomainById } from "./store/domain-store.ts";
import { hasMixedCase, updateDomain } from "./store/update-domain.ts";

/** Two people who edit one domain at the same moment both succeed, one after the other. */
const MAX_TRIES = 5;

type Target = { readonly workspaceId: string; readonly domainId: string };

/** False when the workspace has no such domain. Throws `ProblemError` for a case rule that its links contradict. */
export async function changeDomain(
  { workspaceId, domainId }: Target,
  change: UpdateDomain,
  deps: { readonly database: Database; readonly publisher: Publisher },
): Promise<boolean> {
  const { database, publisher } = deps;
  if (change.ignoresCase === true && (await hasMixedCase(database, domainId))) {
    throw new ProblemError("invalid", [
      { path: "ignoresCase", message: "a link of this domain has a slug that is not in lower case" },
    ]);
  }
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const stored = await findDomainById(database, workspaceId, domainId);
    if (stored === null) {
      return false;
    }
    const settings = readSettings({ ...readSettings(stored.settings), ...withoutUndefined(change) });
    const { rootUrl, notFoundUrl, endedUrl, title, homeUrl } = settings;
    const record = encodeDomainRecord({
      domainId,
      version: stored.version + 1,
      rootUrl: rootUrl ?? undefined,
      notFoundUrl: notFoundUrl ?? undefined,
      endedUrl: endedUrl ?? undefined,
      ignoresCase: settings.ignoresCase,
      title: title ?? undefined,
      homeUrl: homeUrl ?? undefined,
    });
    const lease = publisher.newLease();
    const update = {
      id: domainId,
      workspaceId,
      host: stored.host,
      fromVersion: stored.version,
      settings,
      record,
    };
    const changes = await updateDomain(database, update, lease);
    if (changes !== null) {
      await publisher.publish(changes, lease);
      return true;
    }
  }
  throw new Error("invariant: of five writers of one domain, one gets through each time");
}

function withoutUndefined(change: UpdateDomain): object {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
