/** In words, what a key or a member may do: before it is so, and in lists. Pure. */
import type { Key, Member } from "@hopline/client/openapi";

export type Scope = Key["scopes"][number];
export type KeyBounds = NonNullable<Key["bounds"]>;

const KEY = { who: "This key", own: "made by this key", whom: "it" };
const MEMBER = { who: "They", own: "made by them or their keys", whom: "them" };
const READER = { who: "You", own: "made by you or your keys", whom: "you" };

/** `on go.example.com, in the folder Spring, with the tag newsletter, and made by this key`. */
function describeBounds({ domains, folders, tags, ownLinks, createOnly }: KeyBounds, own: string): string {
  return ALL.format([
    ...(domains === undefined ? [] : [`on ${ANY.format(domains)}`]),
    ...(folders === undefined ? [] : [`in the folder ${ANY.format(folders)}`]),
    ...(tags === undefined ? [] : [`with the tag ${ANY.format(tags)}`]),
    ...(ownLinks === undefined ? [] : [own]),
    ...(createOnly === undefined
      ? []
      : [`to ${ANY.format(createOnly.destinationHosts)}`, `from pages of ${ANY.format(createOnly.origins)}`]),
  ]);
}

const ANY = new Intl.ListFormat("en", { type: "disjunction" });
const ALL = new Intl.ListFormat("en", { type: "conjunction" });
const PARTS = ["domains", "folders", "tags"] as const;

/** Why bounds let nothing through: of a part that was chosen nothing is left. */
function describeGone(bounds: KeyBounds, whom: string): string | null {
  const gone = PARTS.flatMap((part) => (bounds[part]?.length === 0 ? part.slice(0, -1) : []));
  return gone.length === 0
    ? null
    : `now: the ${ALL.format(gone)} chosen for ${whom} ${gone.length === 1 ? "was" : "were"} deleted.`;
}

const VERBS: readonly (readonly [Scope, string])[] = [
  ["links:read", "read links"],
  ["links:write", "create, change and delete links"],
  ["analytics:read", "read clicks"],
];

/** A sentence or two. */
export function describeKey(scopes: readonly Scope[], bounds: KeyBounds | null): string {
  if (scopes.length === 0) {
    return "This key may do nothing yet.";
  }
  if (scopes.includes("admin")) {
    return `This key ${LIKE_ADMINS}`;
  }
  if (bounds?.createOnly !== undefined) {
    const { linksPerMinute } = bounds.createOnly;
    const gone = describeGone(bounds, KEY.whom);
    if (gone !== null) {
      return `This key may create links, but none ${gone}`;
    }
    return `This key may create links ${describeBounds(bounds, KEY.own)}: ${linksPerMinute} a minute at most. It lists, reads and changes nothing, so a web page may hold it.`;
  }
  return describeScopes(KEY, scopes, bounds);
}

/** The same of a member, or of a person who is invited; `isReader`: to themselves. */
export function describeMember(role: Member["role"], bounds: KeyBounds | null, isReader = false): string {
  const member = isReader ? READER : MEMBER;
  switch (role) {
    case "owner":
    case "admin":
      return `${member.who} ${LIKE_ADMINS}`;
    case "editor":
      return describeScopes(member, ["links:read", "links:write", "analytics:read"], bounds);
    case "viewer":
      return describeScopes(member, ["links:read", "analytics:read"], bounds);
  }
}

const LIKE_ADMINS = "may do everything in this workspace that an admin may, keys and domains included.";

function describeScopes({ who, own, whom }: typeof KEY, scopes: readonly Scope[], bounds: KeyBounds | null) {
  const verbs = VERBS.flatMap(([scope, verb]) => (scopes.includes(scope) ? verb : []));
  const may = `${who} may ${ALL.format(verbs)}`;
  if (bounds === null) {
    return `${may}: all of this workspace.`;
  }
  const gone = describeGone(bounds, whom);
  return gone !== null
    ? `${may}, but of no link ${gone}`
    : `${may}: only of links ${describeBounds(bounds, own)}. Nothing else of this workspace exists for ${whom}.`;
}
