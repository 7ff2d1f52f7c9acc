/**
 * Changes a domain's settings: compiles its record, commits it in the next version, publishes it. What visitors meet
 * of them is read from that record at the edge; a new default status is brought to the links themselves.
 */
import { encodeDomainRecord } from "@hopline/core/link/domain-record";
import { type AppSchemes, checkDestination } from "../links/destination.ts";
import { FOLLOW_AT_ONCE, followDomainStatus } from "../links/follow-domain-status.ts";
import { readSettings, type UpdateDomain } from "./domain-shape.ts";
import { type FieldError, ProblemError } from "../http/problem.ts";
import { type Log, nameOfError } from "../log.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import type { Database } from "../database.ts";
import { findDomainById } from "./domain-store.ts";
import { hasMixedCase, updateDomain } from "./update-domain.ts";

/** Two people who edit one domain at the same moment both succeed, one after the other. */
const MAX_TRIES = 5;

type Target = { readonly workspaceId: string; readonly domainId: string };

type Deps = {
  readonly database: Database;
  readonly publisher: Publisher;
  readonly appSchemes: AppSchemes;
  readonly log: Log;
};

/**
 * False when the workspace has no such domain. Throws `ProblemError` for an address that is not allowed and for a case
 * rule that its links contradict.
 */
export async function changeDomain(
  { workspaceId, domainId }: Target,
  wanted: UpdateDomain,
  deps: Deps,
): Promise<boolean> {
  const { database, publisher, appSchemes } = deps;
  const change = { ...wanted, ...checkUrls(wanted, appSchemes) };
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
    const before = readSettings(stored.settings);
    const settings = readSettings({ ...before, ...withoutUndefined(change) });
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
      hasNewStatus: settings.redirectStatus !== before.redirectStatus,
    };
    const changes = await updateDomain(database, update, lease);
    if (changes !== null) {
      await publisher.publish(changes, lease);
      if (update.hasNewStatus) {
        await bringToLinks(domainId, deps);
      }
      return true;
    }
  }
  throw new Error("invariant: of five writers of one domain, one gets through each time");
}

/** A domain of few links is done here. The rest of a larger one, and what fails, is left to the scheduled job. */
async function bringToLinks(domainId: string, deps: Deps): Promise<void> {
  try {
    await followDomainStatus({ domainId, maxLinks: FOLLOW_AT_ONCE }, deps);
  } catch (error) {
    // The setting is committed: from here on the request has succeeded.
    deps.log({ event: "links.follow_failed", reason: nameOfError(error) });
  }
}

const URL_FIELDS = ["rootUrl", "notFoundUrl", "endedUrl", "homeUrl"] as const;

/** Those that are named, as they are published. They may be on this domain or another of ours. */
function checkUrls(change: UpdateDomain, appSchemes: AppSchemes): Partial<UpdateDomain> {
  const errors: FieldError[] = [];
  const checkedUrls = URL_FIELDS.flatMap((path): [string, string][] => {
    const text = change[path];
    const checked = typeof text === "string" ? checkDestination(text, appSchemes) : null;
    if (checked?.isAllowed === false) {
      errors.push({ path, message: checked.message });
    }
    return checked?.isAllowed ? [[path, checked.url]] : [];
  });
  if (errors.length > 0) {
    throw new ProblemError("invalid", errors);
  }
  return Object.fromEntries(checkedUrls);
}

function withoutUndefined(change: UpdateDomain): object {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}
