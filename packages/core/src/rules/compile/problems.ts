/** Collects what is wrong with an input, each with the path of its field, so that a client can fix all of it at once. */

export type Problem = {
  /** As the client would write it: `rules[3].when.time.zone`. */
  readonly path: string;
  /** For people; says the offending value. */
  readonly message: string;
};

export class Problems {
  readonly all: Problem[] = [];

  add(path: string, message: string): void {
    this.all.push({ path, message });
  }
}
