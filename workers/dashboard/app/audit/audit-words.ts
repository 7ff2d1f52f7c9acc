/** Who and what of the audit log, in words; and its filters, as the address holds them. Pure. */
import type { Actor, AuditEntry } from "@hopline/client/openapi";
import { fromWallTime } from "../links/wall-time.ts";
import { compact, type RawSearch, textIn } from "../search-params.ts";

/** By the first word of an action. */
export const RESOURCES = {
  link: { label: "Links", name: "link" },
  domain: { label: "Domains", name: "domain" },
  tag: { label: "Tags", name: "tag" },
  folder: { label: "Folders", name: "folder" },
  key: { label: "API keys", name: "key" },
  webhook: { label: "Webhooks", name: "webhook" },
  member: { label: "Members", name: "member" },
  invitation: { label: "Invitations", name: "invitation" },
  workspace: { label: "Workspace", name: "workspace" },
} as const;
type Resource = keyof typeof RESOURCES;

const VERBS: { readonly [verb: string]: string } = {
  created: "created",
  updated: "changed",
  deleted: "deleted",
  restored: "restored",
  imported: "imported",
  replaced: "replaced",
  alias_released: "released the former address of",
  clicks_deleted: "deleted the clicks of",
  logo_set: "set the logo of",
  logo_removed: "removed the logo of",
  exported: "exported",
  clicks_exported: "exported the clicks of",
  log_exported: "downloaded the audit log of",
  looked_up: "looked, as the operator, at",
  limits_set: "set, as the operator, the limits of",
  replayed: "sent deliveries again to",
};

/** Where a verb would be odd for a resource. */
const OWN_WORDS: { readonly [action: string]: string } = {
  "link.imported": "imported links",
  "link.exported": "exported links",
  "link.clicks_deleted": "destroyed the link",
  "key.capped": "reduced, with its maker's role, the scopes of the key",
  "member.created": "added the member",
  "member.deleted": "removed the member",
  "invitation.created": "invited",
  "invitation.deleted": "withdrew the invitation of",
};

/** Those that a resource has besides being made, changed and deleted. */
const OWN_VERBS: { readonly [resource in Resource]?: readonly string[] } = {
  link: ["restored", "imported", "exported", "looked_up", "alias_released", "clicks_deleted"],
  domain: ["looked_up", "clicks_deleted", "logo_set", "logo_removed"],
  tag: ["replaced"],
  key: ["capped"],
  webhook: ["replayed"],
  workspace: ["limits_set", "clicks_exported", "log_exported"],
};

export function actionsOf(resource: Resource): readonly string[] {
  return ["created", "updated", "deleted", ...(OWN_VERBS[resource] ?? [])].map(
    (verb) => `${resource}.${verb}`,
  );
}

/** `changed the link`, to be followed by its name. */
export function describeAction(action: string): string {
  const [resource = "", verb = ""] = action.split(".");
  const name = RESOURCES[resource as Resource]?.name ?? resource;
  return OWN_WORDS[action] ?? `${VERBS[verb] ?? verb.replaceAll("_", " ")} the ${name}`;
}

export function describeActor(actor: Actor): string {
  switch (actor.type) {
    case "person":
      return actor.name ?? "A former member";
    case "key":
      return `Key ${actor.name ?? "that is gone"}`;
    case "token":
      return `Token of ${actor.id ?? "a former member"}`;
    case "job":
      return "Hopline";
    case "operator":
      return actor.id === null ? "Database (migration or CLI)" : `Command line: ${actor.id}`;
    case "anonymous":
      return "A visitor who was not signed in";
  }
}

/** Days are those of the zone, both included. */
export type AuditSearch = {
  readonly actor?: string;
  readonly what?: string;
  readonly resource?: string;
  readonly from?: string;
  readonly to?: string;
};

const DAY = /^\d{4}-\d\d-\d\d$/;

export function toAuditSearch(search: RawSearch): AuditSearch {
  const dayIn = (name: string) => {
    const text = textIn(search, name);
    return text !== undefined && DAY.test(text) ? text : undefined;
  };
  return compact({
    actor: textIn(search, "actor"),
    what: textIn(search, "what"),
    resource: textIn(search, "resource"),
    from: dayIn("from"),
    to: dayIn("to"),
  });
}

/** As the API takes it. `what` is a resource, or one action. */
export function toAuditFilter({ actor, what, resource, from, to }: AuditSearch, timeZone: string) {
  const actions = what === undefined ? undefined : what in RESOURCES ? actionsOf(what as Resource) : [what];
  return compact({
    actor: actor === undefined ? undefined : [actor],
    resource: resource === undefined ? undefined : [resource],
    action: actions === undefined ? undefined : [...actions],
    from: from === undefined ? undefined : (fromWallTime(`${from}T00:00`, timeZone) ?? undefined),
    to: to === undefined ? undefined : (fromWallTime(`${dayAfter(to)}T00:00`, timeZone) ?? undefined),
  });
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

/** Where a resource has a page of its own. */
export function linkIdOf({ action, resource }: Pick<AuditEntry, "action" | "resource">): string | null {
  return action.startsWith("link.") && action !== "link.deleted" ? resource.id : null;
}

/** Its name at the time. A webhook's address may be a secret, so it goes by its description, or by its id. */
export function describeResource({ resource, before, after }: AuditEntry): string {
  const description = after?.["description"] ?? before?.["description"];
  return resource.label ?? (typeof description === "string" ? description : (resource.id ?? ""));
}
