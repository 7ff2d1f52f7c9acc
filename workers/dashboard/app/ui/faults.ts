/** What a server found wrong with a form, by the path of the field. Pure. */

export type Fault = { readonly path: string; readonly message: string };

/** A field that shows what is wrong with it: with all that is inside it, or with itself alone. */
export type Claim = { readonly path: string; readonly isWhole: boolean };

/** What a field shows. */
export function faultAt(faults: readonly Fault[], claim: Claim): string | undefined {
  const found = faults.filter(({ path }) => isShownAt(claim, path)).map(({ message }) => message);
  return found.length === 0 ? undefined : [...new Set(found)].join("; ");
}

/** Those that none of these fields shows. */
export function faultsOutside(faults: readonly Fault[], claims: Iterable<Claim>): readonly Fault[] {
  const all = [...claims];
  return faults.filter(({ path }) => !all.some((claim) => isShownAt(claim, path)));
}

/** Without those whose value has been edited since. */
export function faultsStill(faults: readonly Fault[], judged: unknown, now: unknown): readonly Fault[] {
  const textAt = (values: unknown, path: string) => JSON.stringify(valueAt(values, path));
  return faults.filter(({ path }) => textAt(judged, path) === textAt(now, path));
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
