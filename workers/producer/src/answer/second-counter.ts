/** About how many things happened in the last second: this second's, and the part of the one before that is not over yet. */
export class SecondCounter {
  #startedAtMs: number;
  #before = 0;
  #count = 0;

  constructor(nowMs: number) {
    this.#startedAtMs = nowMs;
  }

  add(nowMs: number): void {
    this.#turn(nowMs);
    this.#count += 1;
  }

  count(nowMs: number): number {
    this.#turn(nowMs);
    return this.#count + this.#before * (1 - (nowMs - this.#startedAtMs) / 1_000);
  }

  #turn(nowMs: number): void {
    const seconds = Math.floor((nowMs - this.#startedAtMs) / 1_000);
    if (seconds > 0) {
      this.#before = seconds === 1 ? this.#count : 0;
      this.#count = 0;
      this.#startedAtMs += seconds * 1_000;
    }
  }
}
