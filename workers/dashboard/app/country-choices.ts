/** All countries, to be chosen by name or code. */
import { COUNTRY_CODES } from "@hopline/core/rules/compile/country-codes";
import { countryName } from "./format.ts";
import type { Choice } from "./ui/find-choices.ts";
import { shared } from "./words.ts";

/** Of the regional indicators, which fonts draw as flags. */
const FIRST_INDICATOR = 0x1f1e6 - "A".charCodeAt(0);

export const COUNTRIES: readonly Choice[] = COUNTRY_CODES.map((value) =>
  value === "T1"
    ? { value, label: shared.torNetwork, code: value }
    : {
        value,
        label: countryName(value),
        code: value,
        mark: String.fromCodePoint(...Array.from(value, (letter) => FIRST_INDICATOR + letter.charCodeAt(0))),
      },
).toSorted((one, other) => one.label.localeCompare(other.label));
