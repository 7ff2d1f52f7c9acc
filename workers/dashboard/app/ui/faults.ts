/** What a server found wrong with a form, by the path of the field. Pure. */

export type Fault = { readonly path: string; readonly message: string };

/** A field that shows what is wrong with it: with all that is inside it, or with itself alone. */
export type Claim = { readonly path: string; readonly isWhole: boolean };

export class Faults {
  readonly all: readonly Fault[];

  constructor(all: readonly Fault[]) {
    this.all = all;
  }

  /** What a field shows. */
  of(claim: Claim): string | undefined {
    const found = this.all.filter(({ path }) => isShownAt(claim, path)).map(({ message }) => message);
    return found.length === 0 ? undefined : [...new Set(found)].join("; ");
  }

  /** Those that none of these fields shows. */
  outside(claims: Iterable<Claim>): readonly Fault[] {
    const all = [...claims];
    return this.all.filter(({ path }) => !all.some((claim) => isShownAt(claim, path)));
  }

  /** Without those whose value has been edited since. */
  still(judged: unknown, now: unknown): Faults {
    return new Faults(
      this.all.filter(
        ({ path }) => JSON.stringify(valueAt(judged, path)) === JSON.stringify(valueAt(now, path)),
      ),
    );
  }
}

/** The path of a part: `to.url` within `rules[0]` is `rules[0].to.url`. */
export function joinPath(outer: string, inner: string): string {
  return outer === "" || inner === "" || inner.startsWith("[") ? outer + inner : `${outer}.${inner}`;
}

function isShownAt({ path: field, isWhole }: Claim, path: string): boolean {
  const rest = path.startsWith(field) ? path.slice(field.length) : null;
  return rest === "" || (isWhole && (rest?.startsWith(".") === true || rest?.startsWith("[") === true));
}

function valueAt(values: unknown, path: string): unknown {
  return (path.match(/[^.[\]]+/g) ?? []).reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null
        ? Object.entries(value).find(([key]) => key === name)?.[1]
        : undefined,
    values,
  );
}
