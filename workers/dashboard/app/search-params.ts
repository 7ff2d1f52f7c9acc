/**
 * The address after the question mark, as people can read and write it: `?tag=mail&tag=print&sort=-clicks`. A name that comes
 * more than once is a list.
 */

export type RawSearch = { readonly [name: string]: unknown };

/** A part of a search that changes; `undefined` removes it. */
export type Cleared<Search> = { readonly [Name in keyof Search]?: Search[Name] | undefined };

export function parseSearch(text: string): RawSearch {
  const params = new URLSearchParams(text);
  return Object.fromEntries(
    [...params.keys()].map((name) => {
      const values = params.getAll(name);
      return [name, values.length > 1 ? values : values[0]];
    }),
  );
}

/** Begins with a question mark unless it is empty. */
export function stringifySearch(search: RawSearch): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of [value].flat()) {
      if (typeof one === "string" || typeof one === "number" || typeof one === "boolean") {
        params.append(name, String(one));
      }
    }
  }
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/** The text under a name; `undefined` if there is none, or it is empty. */
export function textIn(search: RawSearch, name: string): string | undefined {
  const [first] = textsIn(search, name) ?? [];
  return first === "" ? undefined : first;
}

/** All texts under a name; `undefined` if there are none. */
export function textsIn(search: RawSearch, name: string): string[] | undefined {
  const all = [search[name]].flat().filter((one) => typeof one === "string");
  return all.length === 0 ? undefined : all;
}

/** One of these, or `undefined`. */
export function choiceIn<Choice extends string>(
  search: RawSearch,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = textIn(search, name);
  return choices.find((choice) => choice === text);
}

type Compact<Search> = {
  [Name in keyof Search as undefined extends Search[Name] ? never : Name]: Search[Name];
} & {
  [Name in keyof Search as undefined extends Search[Name] ? Name : never]?: Exclude<Search[Name], undefined>;
};

/** Without what is `undefined`, so that an address has only what says something. */
export function compact<Search extends object>(search: Search): Compact<Search> {
  const told = Object.entries(search).filter(([, value]) => value !== undefined);
  return Object.fromEntries(told) as Compact<Search>;
}
