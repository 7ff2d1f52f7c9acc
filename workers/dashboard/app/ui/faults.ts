/** What a server found wrong with a form, by the path of the field. Pure. */

export type Fault = { readonly path: string; readonly message: string };

export class Faults {
  readonly all: readonly Fault[];

  constructor(all: readonly Fault[]) {
    this.all = all;
  }

  /** At a field or anywhere inside it: where one control stands for all of it. */
  get(name: string): string | undefined {
    const { all } = this.within(name);
    return all.length === 0 ? undefined : [...new Set(all.map(({ message }) => message))].join("; ");
  }

  /** At a field itself: where what is inside it has controls of its own. */
  at(name: string): string | undefined {
    return this.all.find(({ path }) => path === name)?.message;
  }

  /** As a part of the form sees them: `rules[0].to.url` is `to.url` within `rules[0]`. */
  within(name: string): Faults {
    return new Faults(
      this.all.flatMap(({ path, message }) => {
        const rest = path.startsWith(name) ? path.slice(name.length) : null;
        return rest === "" || rest?.startsWith(".") === true || rest?.startsWith("[") === true
          ? { path: rest.replace(/^\./, ""), message }
          : [];
      }),
    );
  }

  /** Those that no field of the form can show. */
  outside(names: readonly string[]): readonly Fault[] {
    return this.all.filter(({ path }) => !names.includes(/^\w+/.exec(path)?.[0] ?? ""));
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

function valueAt(values: unknown, path: string): unknown {
  return (path.match(/[^.[\]]+/g) ?? []).reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null
        ? Object.entries(value).find(([key]) => key === name)?.[1]
        : undefined,
    values,
  );
}
