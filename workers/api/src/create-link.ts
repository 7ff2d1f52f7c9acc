/** Creates a link: finds it a free address, commits it, publishes it. */
import { linkKeyOf } from "@hopline/core/link-address";
import { encodeLinkRecord } from "@hopline/core/link-record";
import { newEntityId } from "./entity-id.ts";
import type { CreateLink } from "./link-shape.ts";
import { type Log, nameOfError } from "./log.ts";
import { newSlug } from "./new-slug.ts";
import { ProblemError } from "./problem.ts";
import type { PublishLink } from "./publish-link.ts";
import type { Database } from "./store/database.ts";
import { findDomain, insertLink, type NewLink } from "./store/link-store.ts";

export type CreateLinkDeps = {
  readonly database: Database;
  readonly publish: PublishLink;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly log: Log;
};

/** A collision is one in a billion links' worth of luck; five in a row is a fault. */
const MAX_SLUG_TRIES = 5;

/** Returns the id of the new link. Throws `ProblemError` for an unknown domain or a taken slug. */
export async function createLink(
  workspaceId: string,
  body: CreateLink,
  deps: CreateLinkDeps,
): Promise<string> {
  const domain = await findDomain(deps.database, workspaceId, body.domain);
  if (domain === null) {
    throw new ProblemError("no_domain", [
      { path: "domain", message: "Create the domain first, or leave this out." },
    ]);
  }
  const link = await insertWithFreeSlug(workspaceId, domain.id, body, deps);
  try {
    await deps.publish(linkKeyOf(domain.host, link.slug), link.record);
  } catch (error) {
    // The link is committed and the edge finds it in Postgres: the request has succeeded.
    deps.log({ event: "link.publish_failed", linkId: link.id, version: 1, reason: nameOfError(error) });
  }
  return link.id;
}

async function insertWithFreeSlug(
  workspaceId: string,
  domainId: string,
  body: CreateLink,
  deps: CreateLinkDeps,
): Promise<NewLink> {
  const id = newEntityId();
  const { url, redirectStatus, title } = body;
  const record = encodeLinkRecord({ linkId: id, version: 1, state: "live", url, redirectStatus });
  const tries = body.slug === undefined ? MAX_SLUG_TRIES : 1;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const slug = body.slug ?? newSlug(deps.randomBytes);
    const link: NewLink = { id, workspaceId, domainId, slug, url, redirectStatus, title, record };
    if (await insertLink(deps.database, link)) {
      return link;
    }
  }
  throw new ProblemError("slug_taken", [{ path: "slug", message: "Choose another one." }]);
}
