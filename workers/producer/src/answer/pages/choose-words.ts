/** Which of our languages a visitor reads best, by Accept-Language (RFC 9110, 12.5.4). */
import { de } from "./words/de.ts";
import { en } from "./words/en.ts";
import { es } from "./words/es.ts";
import { fr } from "./words/fr.ts";
import { it } from "./words/it.ts";
import { ja } from "./words/ja.ts";
import { nl } from "./words/nl.ts";
import { pl } from "./words/pl.ts";
import { pt } from "./words/pt.ts";
import { zh } from "./words/zh.ts";
import type { Words } from "./words.ts";

export const LANGUAGES: ReadonlyMap<string, Words> = new Map(
  Object.entries({ de, en, es, fr, it, ja, nl, pl, pt, zh }),
);

/** A header longer than this is no browser's; what stands after it is not read. */
const MAX_HEADER_LENGTH = 512;

/** The first language of theirs that we have, the most wanted first; English without one. */
export function chooseWords(acceptLanguage: string | null): Words {
  const wanted = (acceptLanguage ?? "")
    .slice(0, MAX_HEADER_LENGTH)
    .split(",")
    .map((range) => {
      const [tag = "", quality = "1"] = range.split(/;\s*q=/i);
      return { language: tag.trim().toLowerCase().split(/[-_]/)[0] ?? "", quality: Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality);
  for (const { language } of wanted) {
    const words = LANGUAGES.get(language);
    if (words !== undefined) {
      return words;
    }
  }
  return en;
}
