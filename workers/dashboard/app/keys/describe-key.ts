/** In words, what a key may do: before it is made, and in the list. Pure. */
import type { Key } from "@hopline/client/openapi";

export type Scope = Key["scopes"][number];
export type KeyBounds = NonNullable<Key["bounds"]>;

/** `on go.example.com, in the folder Spring, with the tag newsletter, and made by this key`. */
export function describeBounds({ domains, folders, tags, ownLinks, createOnly }: KeyBounds): string {
  const parts = [
    ...(domains === undefined ? [] : [`on ${anyOf(domains, "no domain")}`]),
    ...(folders === undefined
      ? []
      : [folders.length === 0 ? "in no folder that is left" : `in the folder ${anyOf(folders)}`]),
    ...(tags === undefined
      ? []
      : [tags.length === 0 ? "with no tag that is left" : `with the tag ${anyOf(tags)}`]),
    ...(ownLinks === undefined ? [] : ["made by this key"]),
    ...(createOnly === undefined
      ? []
      : [`to ${anyOf(createOnly.destinationHosts)}`, `from pages of ${anyOf(createOnly.origins)}`]),
  ];
  return new Intl.ListFormat("en", { type: "conjunction" }).format(parts);
}

function anyOf(names: readonly string[], none = ""): string {
  return names.length === 0 ? none : new Intl.ListFormat("en", { type: "disjunction" }).format(names);
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
    return "This key may do everything in this workspace that an admin may, keys and domains included.";
  }
  if (bounds?.createOnly !== undefined) {
    const { linksPerMinute } = bounds.createOnly;
    return `This key may create links ${describeBounds(bounds)}: ${linksPerMinute} a minute at most. It lists, reads and changes nothing, so a web page may hold it.`;
  }
  const verbs = VERBS.flatMap(([scope, verb]) => (scopes.includes(scope) ? verb : []));
  const may = `This key may ${new Intl.ListFormat("en", { type: "conjunction" }).format(verbs)}`;
  return bounds === null
    ? `${may}: all of this workspace.`
    : `${may}: only of links ${describeBounds(bounds)}. Nothing else of this workspace exists for it.`;
}
