/** What the bench asks of its load generator, and what it hears back. Plain data, sent between two processes. */

export type LoadJob = {
  readonly port: number;
  /** Slugs asked for in turn; or, when `isEachNew`, prefixes of slugs of which none is asked for twice. */
  readonly slugs: readonly string[];
  readonly isEachNew: boolean;
  /** Where the numbering of new slugs begins. */
  readonly firstNumber: number;
  readonly requests: number;
  readonly connections: number;
  readonly expectedStatus: number;
  /** The job ends here even when requests are left. */
  readonly maxMs: number;
};

export type LoadResult = {
  readonly answered: number;
  /** Answers with another status than the expected one. */
  readonly unexpected: number;
  readonly elapsedMs: number;
  /** One for each answer, in milliseconds. */
  readonly latenciesMs: Float64Array;
};
