/** Whether a new or changed link stays within its caller's bounds. What they leave no choice of is filled in. Pure. */
import type { Bounds, CreateOnly } from "@hopline/db/links/bounds";
import type { FieldError } from "../http/problem.ts";

/** What bounds are about, of a link as it would be. */
export type Place = {
  readonly domainId: string;
  readonly folderId: string | null;
  readonly tags: readonly string[];
  /** All that a new link leads to, and its slug if it names one. */
  readonly urls?: readonly string[];
  readonly slug?: string | undefined;
  readonly reuse?: boolean | undefined;
};

const MESSAGES = {
  domain: "is outside of what this key or member may do: choose one of its domains",
  folder: "is outside of what this key or member may do: choose one of its folders",
  tags: "are outside of what this key or member may do: give the link one of its tags",
  slug: "stands for more than one address, which this key can't take: choose one without *",
  reuse: "would show existing links, which this key may not see: leave it out",
  url: "leads, or a rule does, to a host that this key may not make links to: choose one of its hosts",
};

/** A new link: the only folder and the only tag that it may have are its own if it names none. */
export function fillWithin(bounds: Bounds, place: Place): Place {
  return bounds.reduce((filled, { folderIds, tags }) => {
    const [folderId, ...folders] = folderIds ?? [];
    const [tag, ...others] = tags ?? [];
    const isFolderLeft = filled.folderId === null && folderId !== undefined && folders.length === 0;
    const isTagLeft = filled.tags.length === 0 && tag !== undefined && others.length === 0;
    return {
      ...filled,
      ...(isFolderLeft ? { folderId } : {}),
      ...(isTagLeft ? { tags: [tag] } : {}),
    };
  }, place);
}

/** The fields that lead outside; none if it is within. Who made a link never changes. */
export function findOutside(bounds: Bounds, place: Place): readonly FieldError[] {
  const { domainId, folderId, tags, urls = [], slug = "", reuse = false } = place;
  const isCreateOnly = bounds.some(({ createOnly }) => createOnly !== undefined);
  const isOutside = {
    domain: bounds.some(({ domainIds }) => domainIds?.includes(domainId) === false),
    folder: bounds.some(({ folderIds }) => folderIds?.includes(folderId ?? "") === false),
    tags: bounds.some((bound) => bound.tags?.some((tag) => tags.includes(tag)) === false),
    // Who opens the page that holds the key must not catch a domain's other addresses.
    slug: slug.includes("*") && isCreateOnly,
    reuse: reuse && isCreateOnly,
    url: bounds.some(({ createOnly }) => urls.some((url) => createOnly && !isOn(createOnly, url))),
  };
  return (["domain", "folder", "tags", "slug", "reuse", "url"] as const)
    .filter((path) => isOutside[path])
    .map((path) => ({ path, message: MESSAGES[path] }));
}

/** Of the web alone: an app's address has a host, too. */
function isOn({ destinationHosts }: CreateOnly, text: string): boolean {
  const url = URL.parse(text.trim());
  return url !== null && /^https?:$/.test(url.protocol) && destinationHosts.includes(url.host);
}
