/**
 * Changes a domain's settings: compiles its record, commits it as the next version, publishes it. The edge reads the settings
 * from that record, the redirect status of links without one of their own among them.
 */
import { encodeDomainRecord } from "@hopline/core/link/domain-record";
import { faultOfFixedUrl } from "@hopline/core/link/placeholders";
import type { AppSchemes } from "../api-deps.ts";
import type { Database } from "../database.ts";
import { type FieldError, invalidField, ProblemError } from "../http/problem.ts";
import { checkDestination } from "../destination.ts";
import type { Turns } from "../in-turn.ts";
import type { EnqueuedChange, Lease } from "../publishing/outbox.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import { readSettings, type UpdateDomain } from "./domain-shape.ts";
import { findDomainById, hasMixedCase, updateDomain } from "./domain-store.ts";
import { pendingDomain } from "./pending-domain.ts";

/** As of links (change-link.ts). */
const MAX_TRIES = 20;

type Target = {
  readonly workspaceId: string;
  readonly domainId: string;
  /** The versions in which it may be; `null`: any. */
  readonly ifMatch: readonly number[] | null;
};

type Deps = {
  readonly database: Database;
  readonly publisher: Publisher;
  readonly appSchemes: AppSchemes;
  readonly turns: Turns;
};

/**
 * False when the workspace has no such domain. Throws `ProblemError` for a domain that is not proved, another version, a URL that is not allowed,
 * `ignoresCase` while a slug has capitals, and too many others who change it.
 */
export async function changeDomain(target: Target, wanted: UpdateDomain, deps: Deps): Promise<boolean> {
  const { publisher, appSchemes } = deps;
  const change = { ...wanted, ...checkUrls(wanted, appSchemes) };
  const lease = publisher.newLease();
  const changes = await deps.turns(`${target.workspaceId} ${target.domainId}`, () =>
    writeChange(target, { change, lease }, deps),
  );
  if (changes === null) {
    return false;
  }
  await publisher.publish(changes, lease);
  return true;
}

/** Reads the settings, and writes them unless they were written since: then once more. */
async function writeChange(
  { workspaceId, domainId, ifMatch }: Target,
  { change, lease }: { readonly change: UpdateDomain; readonly lease: Lease },
  { database }: Deps,
): Promise<readonly EnqueuedChange[] | null> {
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const stored = await findDomainById(database, workspaceId, domainId);
    if (stored === null) {
      return null;
    }
    if (ifMatch?.includes(stored.version) === false) {
      throw new ProblemError("version_mismatch");
    }
    if (stored.proof === "pending") {
      throw pendingDomain(stored, "host");
    }
    if (change.ignoresCase === true && (await hasMixedCase(database, domainId))) {
      throw invalidField(
        "ignoresCase",
        "can't be turned on while a link of this domain has capitals in its slug: rename those links, and release such aliases, first",
      );
    }
    const before = readSettings(stored.settings);
    const settings = readSettings({ ...before, ...withoutUndefined(change) });
    const { ignoresCase, hasPublicQr: _ofTheApi, defaults: _ofNewLinks, ...others } = settings;
    const named = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
    const record = encodeDomainRecord({ ...named, domainId, ignoresCase });
    const { version: fromVersion } = stored;
    const update = {
      id: domainId,
      workspaceId,
      fromVersion,
      settings,
      record,
      isFolding: change.ignoresCase === true,
    };
    const changes = await updateDomain(database, update, lease);
    if (changes !== null) {
      return changes;
    }
  }
  throw new ProblemError("busy");
}

const URL_FIELDS = [
  ...(["rootUrl", "notFoundUrl", "endedUrl", "homeUrl"] as const),
  ...(["imprintUrl", "privacyUrl", "reportUrl"] as const),
];

/** The URLs of the change in the form in which they are published. They may be on this domain or on another of ours. */
function checkUrls(change: UpdateDomain, appSchemes: AppSchemes): Partial<UpdateDomain> {
  const errors: FieldError[] = [];
  const checkedUrls = URL_FIELDS.flatMap((path): [string, string][] => {
    const text = change[path];
    const checked = typeof text === "string" ? checkDestination(text, appSchemes) : null;
    const fault = checked?.isAllowed ? faultOfFixedUrl(checked.url) : checked?.message;
    if (typeof fault === "string") {
      errors.push({ path, message: fault });
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
