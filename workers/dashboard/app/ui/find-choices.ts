/** Those choices of a list that fit what is typed, the best first. Pure. */

export type Choice = {
  readonly value: string;
  readonly label: string;
  /** Shown behind the label, and found by: `DE`. */
  readonly code?: string;
  /** Shown before it: a flag. */
  readonly mark?: string;
};

const MOST = 60;

/** `added`: what is typed, where it is a value, too. */
export function findChoices(choices: readonly Choice[], text: string, added: string): readonly Choice[] {
  const typed = text.trim().toLowerCase();
  const rankOf = ({ value, label }: Choice) => {
    const [code, name] = [value.toLowerCase(), label.toLowerCase()];
    if (code === typed || name === typed) {
      return 0;
    }
    const starts = name.startsWith(typed) || name.includes(` ${typed}`) || code.startsWith(typed);
    return starts ? 1 : name.includes(typed) || code.includes(typed) ? 2 : 3;
  };
  const found = choices
    .map((choice) => ({ choice, rank: rankOf(choice) }))
    .filter(({ rank }) => rank < 3)
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, MOST)
    .map(({ choice }) => choice);
  const own = added.trim();
  const isKnown = own === "" || choices.some(({ value }) => value.toLowerCase() === own.toLowerCase());
  return isKnown ? found : [...found, { value: own, label: own }];
}
