/** What a section of the bench is given and what it returns. Figures have stable names, which the gates know. */
import type { Gate, Unit } from "./gates.ts";

export type Figure = {
  /** Dotted: `redirect.isolate-hit.cpu-ratio`. */
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  /** One for each round, where `value` is their median. */
  readonly samples?: readonly number[];
};

export type SectionReport = {
  readonly figures: readonly Figure[];
  /** Beside those of gates.ts: one for each question that the section asked. */
  readonly gates?: readonly Gate[];
  /** Ready to print. */
  readonly lines: readonly string[];
};

export type SectionOptions = {
  /** Rounds of the measurement; null for the section's own number. */
  readonly rounds: number | null;
  /** Leaves out what no gate judges: CI needs no other figures. */
  readonly isOnlyJudged: boolean;
  /** Where the section is: shown on a terminal, and printed every ten seconds without one, if timers can run. */
  readonly say: (status: string) => void;
};

export type Section = {
  readonly title: string;
  readonly run: (options: SectionOptions) => Promise<SectionReport>;
};
