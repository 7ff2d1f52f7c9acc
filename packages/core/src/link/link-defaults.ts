/**
 * What a workspace, a domain and a folder say of new links: of each field, the nearest that says anything decides. Pure. The API
 * fills links with it (workers/api/src/links/fill-defaults.ts), and the dashboard shows beforehand what that will be.
 */

/** From far to near. */
export const DEFAULT_LEVELS = ["workspace", "domain", "folder"] as const;
export type DefaultLevel = (typeof DEFAULT_LEVELS)[number];

/** A field of a link that a default filled. */
export type Filled = { readonly field: string; readonly from: DefaultLevel };

export type Levels<Defaults> = { readonly [Level in DefaultLevel]: Defaults | null };

/** These two have fields of their own, each with its own nearest. */
type InParts = { readonly utm?: object | undefined; readonly slug?: object | undefined };

/** Each field as the nearest says it: `null` is said, too, and means none. */
export function nearestOf<Defaults extends InParts>(levels: Levels<Defaults>): Partial<Defaults> {
  return DEFAULT_LEVELS.reduce<Partial<Defaults>>((far, level) => {
    const near = levels[level];
    return {
      ...far,
      ...near,
      utm: { ...far.utm, ...near?.utm },
      slug: { ...far.slug, ...near?.slug },
    };
  }, {});
}

/** Who says a field: `tags`, `utm.source`. */
export function levelOf(levels: Levels<object>, path: string): DefaultLevel | undefined {
  return DEFAULT_LEVELS.findLast(
    (level) =>
      path.split(".").reduce<unknown>((value, name) => memberOf(value, name), levels[level]) !== undefined,
  );
}

function memberOf(value: unknown, name: string): unknown {
  return Object.entries(Object(value) as object).find(([key]) => key === name)?.[1];
}
