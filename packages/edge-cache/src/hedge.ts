/** From 50 to 150 ms, in steps; the last count is of what was slower still. */
const FIRST_MS = 50;
const STEP_MS = 10;
const STEPS = 11;

const MIN_READS = 100;
/** From then on older reads count half. */
const REMEMBERED_READS = 1_000;
const SHARE = 0.02;
/** Saved up by reads that were fast. */
const MAX_SAVED = 10;

/**
 * When the database is asked although KV has not answered yet: after what 99 of 100 of the last reads took, at most for one read in
 * fifty.
 */
export class Hedge {
  readonly #counts = new Uint32Array(STEPS + 1);
  #reads = 0;
  #unlearnt = 0;
  #saved = 0;
  #afterMs = Number.POSITIVE_INFINITY;

  /** A read took so long, or has not come back for so long. */
  note(tookMs: number): void {
    const step = Math.min(STEPS, Math.max(0, Math.ceil((tookMs - FIRST_MS) / STEP_MS)));
    this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    this.#reads += 1;
    this.#saved = Math.min(MAX_SAVED, this.#saved + SHARE);
    this.#unlearnt += 1;
    if (this.#unlearnt === MIN_READS) {
      this.#unlearnt = 0;
      this.#learn();
    }
  }

  /** Infinite while too little is known. */
  get afterMs(): number {
    return this.#afterMs;
  }

  /** Whether the budget allows one more. */
  take(): boolean {
    const isAllowed = this.#saved >= 1;
    this.#saved -= isAllowed ? 1 : 0;
    return isAllowed;
  }

  #learn(): void {
    let slower = this.#reads * 0.01;
    let step = STEPS;
    for (; step > 0 && (this.#counts[step] ?? 0) <= slower; step -= 1) {
      slower -= this.#counts[step] ?? 0;
    }
    this.#afterMs = FIRST_MS + Math.min(step, STEPS - 1) * STEP_MS;
    if (this.#reads >= REMEMBERED_READS) {
      this.#counts.forEach((count, index) => (this.#counts[index] = count >> 1));
      this.#reads = this.#counts.reduce((sum, count) => sum + count);
    }
  }
}
