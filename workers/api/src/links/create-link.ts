/** Creates a link: finds it a free address, commits it, publishes it. */
import { foldSlug } from "@hopline/core/link/link-address";
import { compileRecord } from "./compile-record.ts";
import { defaultStatusOf } from "./default-status.ts";
import {
  type AppSchemes,
  type CheckedUrl,
  hostOfDestination,
  LOOP_ERROR,
  requireDestination,
} from "./destination.ts";
import { newEntityId } from "../http/entity-id.ts";
import type { CreateLink } from "./link-shape.ts";
import { compileSmartChange, type SmartChange } from "./smart-change.ts";
import { readSmart } from "./smart-shape.ts";
import { newSlug } from "./new-slug.ts";
import { ProblemError } from "../http/problem.ts";
import type { EnqueuedChange, Lease } from "../publishing/outbox.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import type { Database } from "../database.ts";
import { type Domain, findDomain, findLinkIdByExternalId, insertLink } from "./store/link-store.ts";

export type CreateLinkDeps = {
  readonly database: Database;
  readonly publisher: Publisher;
  readonly appSchemes: AppSchemes;
  readonly randomBytes: (count: number) => Uint8Array;
};

/** Each time somebody else has to give the same address up between two statements of ours. */
const MAX_ADDRESS_TRIES = 5;

/** A collision is one in a billion links' worth of luck; five in a row is a fault. */
export const MAX_SLUG_TRIES = 5;

/**
 * Returns the id of the new link. Throws `ProblemError` for an unknown domain, a destination that is not
 * allowed, a taken slug or external id.
 */
export async function createLink(
  workspaceId: string,
  body: CreateLink,
  deps: CreateLinkDeps,
): Promise<string> {
  const url = requireDestination(body.url, "url", deps.appSchemes);
  let smart: SmartChange | undefined;
  for (let attempt = 1; attempt <= MAX_ADDRESS_TRIES; attempt += 1) {
    const domain = await requireDomain(workspaceId, { ...body, url }, deps.database);
    smart ??= await compileSmart(body, url, deps);
    const lease = deps.publisher.newLease();
    const made = await insertWithFreeSlug({ workspaceId, domain, body, url, smart, lease }, deps);
    if (made !== null) {
      // Committed: from here on the request has succeeded, whatever becomes of the publishing.
      await deps.publisher.publish(made.changes, lease);
      return made.linkId;
    }
  }
  throw new Error("invariant: an address does not change hands as often as this in one request");
}

type Wanted = Pick<CreateLink, "domain" | "slug"> & { readonly url: CheckedUrl };

async function requireDomain(
  workspaceId: string,
  { domain: host, slug, url }: Wanted,
  database: Database,
): Promise<Domain> {
  const destinationHost = hostOfDestination(url);
  const domain = await findDomain(database, { workspaceId, host, slug, destinationHost });
  if (domain === null) {
    throw new ProblemError("no_domain", [
      { path: "domain", message: "Create the domain first, or leave this out." },
    ]);
  }
  if (domain.isLoop) {
    throw new ProblemError("invalid", [LOOP_ERROR]);
  }
  return domain;
}

function compileSmart(
  body: CreateLink,
  url: CheckedUrl,
  deps: CreateLinkDeps,
): Promise<SmartChange> | undefined {
  const input = readSmart(body);
  return input === undefined ? undefined : compileSmartChange(input, { url, used: 0 }, deps);
}

type Insertion = {
  readonly workspaceId: string;
  readonly domain: Domain;
  readonly body: CreateLink;
  readonly url: CheckedUrl;
  readonly smart: SmartChange | undefined;
  readonly lease: Lease;
};

type Made = { readonly linkId: string; readonly changes: readonly EnqueuedChange[] };

/** `null`: the address has had another link since the domain was read, and `firstVersion` is no longer true. */
async function insertWithFreeSlug(
  { workspaceId, domain, body, url, smart, lease }: Insertion,
  deps: CreateLinkDeps,
): Promise<Made | null> {
  const id = newEntityId();
  const version = domain.firstVersion;
  const { title, tags, externalId } = body;
  const redirectStatus = body.redirectStatus ?? defaultStatusOf(domain);
  const record = compileRecord({ ...smart?.extras, linkId: id, version, state: "live", url, redirectStatus });
  const followsDomainStatus = body.redirectStatus === undefined;
  const link = {
    id,
    workspaceId,
    domainId: domain.id,
    url,
    redirectStatus,
    followsDomainStatus,
    title,
    tags,
    externalId,
  };
  const tries = body.slug === undefined ? MAX_SLUG_TRIES : 1;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const wanted = body.slug ?? newSlug(deps.randomBytes);
    const slug = domain.ignoresCase ? foldSlug(wanted) : wanted;
    const changes = await insertLink(deps.database, { ...link, slug, version, record, smart }, lease);
    if (changes === "behind") {
      return null;
    }
    if (changes !== "taken") {
      return { linkId: id, changes };
    }
    if (
      externalId !== null &&
      (await findLinkIdByExternalId(deps.database, workspaceId, externalId)) !== null
    ) {
      throw new ProblemError("external_id_taken", [{ path: "externalId", message: "Choose another one." }]);
    }
  }
  throw new ProblemError("slug_taken", [{ path: "slug", message: "Choose another one." }]);
}
