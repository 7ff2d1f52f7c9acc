/**
 * What a new password must not be, after NIST SP 800-63B: among those that are tried first, or made of what is public about its
 * owner. There are no rules about kinds of characters. Pure.
 */

/** Whether it is among the most common ones; lower case. */
type IsCommon = (text: string) => boolean;

/** Digits and signs around a common word are tried with it; more of them than this are a password by themselves. */
const MAX_ADDED = 7;
/** What is left without the owner's own words has to be this long. */
const MIN_REST = 6;
const MIN_OWN_WORD = 3;
const MIN_COMMON = 4;
const MIN_DIFFERENT = 4;

/** Why it is refused, as a field's message; `null` if it is not. @param ownWords names, addresses: any text. */
export function judgePassword(
  password: string,
  ownWords: readonly string[],
  isCommon: IsCommon,
): string | null {
  const text = password.normalize("NFKC").toLowerCase();
  if (new Set(text).size < MIN_DIFFERENT || isSequence(text)) {
    return "repeats or counts up: use several words that do not belong together";
  }
  if (formsOf(text).some(isCommon)) {
    return "is one of the most common passwords, or one with something added: use several words that do not belong together";
  }
  const rest = listWords(ownWords).reduce((left, word) => left.replaceAll(word, ""), text);
  return rest !== text && rest.replaceAll(/[\W_]/gu, "").length < MIN_REST
    ? "is mostly your own name, address or workspace: use several other words"
    : null;
}

const LETTERS: { readonly [sign: string]: string } = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

/** Itself, without what was added around it, and both with letters for the signs that stand for them. */
function formsOf(text: string): readonly string[] {
  const core = text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, "");
  const plain = text.replaceAll(/[013457@$!]/g, (sign) => LETTERS[sign] ?? sign);
  const plainCore = plain.slice(0, plain.length - (/[^\p{L}]*$/u.exec(text)?.[0].length ?? 0));
  return [text, core, plain, plainCore].filter(
    (form) => form.length >= MIN_COMMON && text.length - form.length <= MAX_ADDED,
  );
}

/** `abcdefgh`, `87654321`: each character follows the one before it. */
function isSequence(text: string): boolean {
  const steps = Array.from(
    text.slice(1),
    (_character, index) => text.charCodeAt(index + 1) - text.charCodeAt(index),
  );
  return steps.every((step) => step === 1) || steps.every((step) => step === -1);
}

/** The longest first, so that a name is taken out before a part of it. */
function listWords(texts: readonly string[]): readonly string[] {
  const words = [...texts, "hopline"].flatMap((text) =>
    text
      .normalize("NFKC")
      .toLowerCase()
      .split(/[\W_]+/u),
  );
  return [...new Set(words)]
    .filter((word) => word.length >= MIN_OWN_WORD)
    .toSorted((one, other) => other.length - one.length);
}
