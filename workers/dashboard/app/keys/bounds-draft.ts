/** Bounds of a key or a member while they are chosen. Pure. */
import type { KeyBounds } from "./describe-key.ts";

export const PARTS = ["domains", "folders", "tags"] as const;

const NOTHING: readonly string[] = [];

export const NO_BOUNDS = {
  domains: NOTHING,
  folders: NOTHING,
  tags: NOTHING,
  /** What bounds by things of which none is left: it lets nothing through, until it is taken away on purpose. */
  gone: [] as readonly (typeof PARTS)[number][],
  ownLinks: false,
  isCreateOnly: false,
  origins: NOTHING,
  destinationHosts: NOTHING,
  linksPerMinute: "30",
};
export type BoundsDraft = Readonly<typeof NO_BOUNDS>;

/** `null`: all links. */
export function toBounds(draft: BoundsDraft): KeyBounds | null {
  const { ownLinks, isCreateOnly, origins, destinationHosts, linksPerMinute } = draft;
  const isBound = (part: (typeof PARTS)[number]) => draft[part].length > 0 || draft.gone.includes(part);
  const bounds: KeyBounds = {
    ...Object.fromEntries(PARTS.filter(isBound).map((part) => [part, [...draft[part]]])),
    ...(ownLinks && !isCreateOnly ? { ownLinks } : {}),
    ...(isCreateOnly
      ? {
          createOnly: {
            origins: [...origins],
            destinationHosts: [...destinationHosts],
            linksPerMinute: Number(linksPerMinute),
          },
        }
      : {}),
  };
  return Object.keys(bounds).length === 0 ? null : bounds;
}

/** To change it. A create-only one is not changed. */
export function toDraft(bounds: KeyBounds): BoundsDraft {
  const { domains = [], folders = [], tags = [], ownLinks = false } = bounds;
  const gone = PARTS.filter((part) => bounds[part]?.length === 0);
  return { ...NO_BOUNDS, domains, folders, tags, gone, ownLinks };
}
