/** What a section of the bench is given and what it hands back. Figures have stable names, which the gates know. */

export type Figure = {
  /** Dotted: `redirect.isolate-hit.cpu-ratio`. */
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  /** One for each round, where `value` is their median. */
  readonly samples?: readonly number[];
};

export type Unit = "µs" | "ms" | "ns" | "x" | "1/s" | "%" | "points" | "per request";

export type Unmeasured = { readonly name: string; readonly why: string };

export type SectionReport = {
  readonly figures: readonly Figure[];
  /** A figure that a gate asks for and that cannot be had, or that says nothing of the code, with the reason. */
  readonly unmeasured: readonly Unmeasured[];
  /** Ready to print. */
  readonly lines: readonly string[];
};

export type SectionOptions = {
  /** Rounds of the interleaved measurement; null for the section's own number. */
  readonly rounds: number | null;
};

export type Section = {
  readonly title: string;
  readonly run: (options: SectionOptions) => Promise<SectionReport>;
};
