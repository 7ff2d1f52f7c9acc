/**
 * How a new password looks while it is typed. A hint: the API knows which ones are common, and refuses those. It counts what a person
 * who guesses has to find: characters that repeat or follow the one before add little. Pure.
 */

export type Strength = "short" | "weak" | "fair" | "strong";

const FAIR_BITS = 45;
const STRONG_BITS = 65;

export function describeStrength(password: string, minLength: number): Strength {
  if (password.length < minLength) {
    return "short";
  }
  const characters = Array.from(password);
  const telling = characters.filter((character, index) => {
    const step = (character.codePointAt(0) ?? 0) - (characters[index - 1]?.codePointAt(0) ?? -10);
    return Math.abs(step) > 1;
  });
  const different = Math.min(new Set(characters).size, telling.length);
  // Words have some two bits a letter, and what mixes kinds of characters more.
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u].filter((kind) =>
    kind.test(password),
  ).length;
  const bits = telling.length * (1.5 + kinds / 2) + different;
  return bits < FAIR_BITS ? "weak" : bits < STRONG_BITS ? "fair" : "strong";
}

export const STRENGTHS: { readonly [strength in Strength]: string } = {
  short: "Too short yet.",
  weak: "Weak: add a word or two that do not belong together.",
  fair: "Fair. Another word makes it strong.",
  strong: "Strong.",
};
