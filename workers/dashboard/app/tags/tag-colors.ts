/** The colours of tags by name, of those that have one. */
import { useQuery } from "@tanstack/react-query";
import { tagsQuery } from "../queries.ts";

export type TagColors = ReadonlyMap<string, string>;

const NONE: TagColors = new Map();

export function useTagColors(): TagColors {
  const { data = NONE } = useQuery({ ...tagsQuery, select: toColors });
  return data;
}

/** Outside of the component, so that it runs once for each answer. */
function toColors(tags: readonly { readonly name: string; readonly color: string | null }[]): TagColors {
  return new Map(tags.flatMap(({ name, color }) => (color === null ? [] : [[name, color] as const])));
}
