/** /api/v1/domains. */
import type { ApiDeps } from "../api-deps.ts";
import { newEntityId, readEntityId, requireFound } from "../http/entity-id.ts";
import { endpoint } from "../http/endpoint.ts";
import { IdempotencyHeader, freshly, jsonAnswer, needs } from "../http/operation.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import { resource } from "../http/resource.ts";
import { readClicks } from "../removed-clicks.ts";
import { changeDomain } from "./change-domain.ts";
import { checkDomain } from "./check-domain.ts";
import {
  changeableDomain,
  CreateDomainBody,
  DeleteDomainQuery,
  DomainBody,
  DomainParams,
  MOVING,
  toDomain,
  VerificationBody,
} from "./domain-shape.ts";
import { domainsOf, findDomainById, insertDomain } from "./domain-store.ts";
import { lookUpPointing } from "./pointing.ts";
import { deleteDomain } from "./remove-domain.ts";
import { takenHost } from "./taken-host.ts";

const domains = resource<ApiDeps>()({
  path: "/api/v1/domains",
  id: ["domainId", "dom"],
  name: "Domain",
  one: "a short domain",
  many: "short domains",
  tag: "Domains",
  body: DomainBody,
  show: toDomain,
  reads: needs("links:read", { reach: "links" }),
  writes: needs("admin"),
  rows: domainsOf,
});

export const createDomainOperation = domains.create({
  summary: "Add a short domain",
  description:
    "It is `pending` until its owner proves it: add the TXT record in `proof.record`, then call `verify`. Hosts that the operator of the deployment vouches for are `active` at once. Of two workspaces that add the same host, the first to prove it gets it.",
  body: [CreateDomainBody, { host: "go.example.com" }],
  answer: ["The new domain."],
  problems: ["domain_taken"],
  create: async (deps, { workspaceId, newId }, { host }) => {
    const { database, publisher, vouchedSuffixes } = deps;
    const { readHostName } = await import("./host-name.ts");
    const name = readHostName(host, vouchedSuffixes);
    if (!name.ok) {
      throw invalidField("host", name.error);
    }
    const lease = publisher.newLease();
    const insert = (id: string) => insertDomain(database, { id, workspaceId, ...name.value }, lease);
    const first = await insert(newId);
    // What an earlier attempt of this request made, and was deleted since, is made again under another id.
    const inserted = first === "deleted" ? await insert(newEntityId()) : first;
    if (inserted === null || inserted === "deleted") {
      throw await takenHost(deps, name.value.host, "is in use: choose another one");
    }
    await publisher.publish(inserted.changes, lease);
    return toDomain(inserted.stored);
  },
});

export const listDomainsOperation = domains.list({
  searched: "its host or title",
});

export const readDomainOperation = domains.read({ answer: "The domain." });

export const verifyDomainOperation = endpoint({
  method: "post",
  path: "/api/v1/domains/{domainId}/verify",
  operationId: "verifyDomain",
  summary: "Look up a short domain's records now",
  description:
    "Answers what DNS says of the TXT record and of the host itself, and makes the domain `active` if the TXT record is there. DNS remembers for a while that a record is missing, mostly for some minutes: if you have just added it and it is not seen, try again later.",
  tags: ["Domains"],
  ...needs("admin"),
  request: { params: DomainParams, headers: IdempotencyHeader },
  responses: { 200: jsonAnswer("What was seen, and the domain after it.", VerificationBody) },
  problems: ["not_found", "domain_taken"],
}).handle(async (context, deps: ApiDeps) => {
  const domainId = readEntityId("dom", context.req.valid("param").domainId);
  const { workspaceId } = context.get("principal");
  const check = async () =>
    checkDomain(requireFound(await findDomainById(deps.database, workspaceId, domainId)), "request", deps);
  // The second time, the domain is what another check has just made of it.
  const { domain, ...saw } = requireFound((await check()) ?? (await check()));
  const pointing = await lookUpPointing(domain.host, deps.pointing);
  return context.json({ domain: toDomain(domain), ...saw, pointing }, 200);
});

export const updateDomainOperation = domains.update({
  summary: "Change a short domain's settings",
  description: "Takes effect everywhere as fast as a change of a link.",
  body: [
    changeableDomain,
    { rootUrl: "https://example.com/", title: "Example" },
    "Fields that are left out stay as they are; `null` removes a setting. What GET shows can be sent back: read-only fields are accepted as they are.",
  ],
  moving: MOVING,
  problems: ["domain_pending", "busy"],
  update: async (deps, { workspaceId, id, ifMatch }, body) => {
    const isChanged = await changeDomain({ workspaceId, domainId: id, ifMatch }, body, deps);
    return isChanged ? findDomainById(deps.database, workspaceId, id) : null;
  },
});

export const deleteDomainOperation = domains.delete({
  description:
    "With `links=true` its links are deleted with it. Visitors get nothing from it at once. The host is free again two to three minutes after all of its addresses are published as deleted, when no visitor can be led there any more: until then adding it answers `domain_taken` and when. Clicks stay in the analytics, under its name.",
  access: freshly(needs("admin")),
  query: DeleteDomainQuery,
  problems: ["sign_in_again", "domain_in_use"],
  remove: async (deps, { workspaceId, id, ifMatch, context }, { links, clicks }) => {
    const extent = { withLinks: links, withClicks: readClicks(clicks, context.get("principal")) };
    if (await deleteDomain({ workspaceId, domainId: id, ifMatch }, extent, deps)) {
      return true;
    }
    const stored = requireFound(await findDomainById(deps.database, workspaceId, id));
    if (ifMatch?.includes(stored.version) === false) {
      return false;
    }
    throw new ProblemError("domain_in_use");
  },
});
