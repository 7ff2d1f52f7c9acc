/** How people call a value of a dimension. Pure. */
import { countryName, formatUrl, languageName } from "../format.ts";
import type { Dimension } from "./analytics-search.ts";
import { CONTINENTS, t } from "./words.ts";
import { CLASS_NAMES } from "../words.ts";

const CLASSES: { readonly [name: string]: string } = { ...CLASS_NAMES, all: t.peopleAndBots };

/** `value` is `null` or empty where it is unknown; `label` is the API's own name for it, if it has one. */
export function valueName(dimension: Dimension, value: string | null, label: string | null = null): string {
  if (value === null || value === "") {
    return dimension === "referrer" ? t.directOrHidden : t.unknownText;
  }
  if (label !== null) {
    return formatUrl(label);
  }
  return NAMERS[dimension]?.(value) ?? value;
}

/** Dimensions whose values people call otherwise than the database does. */
const NAMERS: { readonly [dimension in Dimension]?: (value: string) => string } = {
  country: countryName,
  language: languageName,
  continent: (value) => CONTINENTS[value] ?? value,
  class: (value) => CLASSES[value] ?? value,
  city: (value) => value.slice(value.indexOf("/") + 1),
  destination: formatUrl,
};
