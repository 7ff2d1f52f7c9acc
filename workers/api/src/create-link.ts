/** Creates a link: finds it a free address, commits it, publishes it. */
import { foldSlug } from "@hopline/core/link-address";
import { compileRecord } from "./compile-record.ts";
import { defaultStatusOf } from "./default-status.ts";
import {
  type AppSchemes,
  type CheckedUrl,
  hostOfDestination,
  LOOP_ERROR,
  requireDestination,
} from "./destination.ts";
import { newEntityId } from "./entity-id.ts";
import type { CreateLink } from "./link-shape.ts";
import { compileSmartChange, type SmartChange } from "./smart-change.ts";
import { readSmart } from "./smart-shape.ts";
import { newSlug } from "./new-slug.ts";
import { ProblemError } from "./problem.ts";
import type { EnqueuedChange, Lease } from "./publishing/outbox.ts";
import type { Publisher } from "./publishing/publish-changes.ts";
import type { Database } from "./store/database.ts";
import { type Domain, findDomain, findLinkIdByExternalId, insertLink } from "./store/link-store.ts";

export type CreateLinkDeps = {
  readonly database: Database;
  readonly publisher: Publisher;
  readonly appSchemes: AppSchemes;
  readonly randomBytes: (count: number) => Uint8Array;
};

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
  const domain = await findDomain(deps.database, {
    workspaceId,
    host: body.domain,
    slug: body.slug,
    destinationHost: hostOfDestination(url),
  });
  if (domain === null) {
    throw new ProblemError("no_domain", [
      { path: "domain", message: "Create the domain first, or leave this out." },
    ]);
  }
  if (domain.isLoop) {
    throw new ProblemError("invalid", [LOOP_ERROR]);
  }
  const input = readSmart(body);
  const smart = input === undefined ? undefined : await compileSmartChange(input, { url, used: 0 }, deps);
  const lease = deps.publisher.newLease();
  const { linkId, changes } = await insertWithFreeSlug(
    { workspaceId, domain, body, url, smart, lease },
    deps,
  );
  // Committed: from here on the request has succeeded, whatever becomes of the publishing.
  await deps.publisher.publish(changes, lease);
  return linkId;
}

type Insertion = {
  readonly workspaceId: string;
  readonly domain: Domain;
  readonly body: CreateLink;
  readonly url: CheckedUrl;
  readonly smart: SmartChange | undefined;
  readonly lease: Lease;
};

async function insertWithFreeSlug(
  { workspaceId, domain, body, url, smart, lease }: Insertion,
  deps: CreateLinkDeps,
): Promise<{ readonly linkId: string; readonly changes: readonly EnqueuedChange[] }> {
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
    if (changes !== null) {
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
