/** What an operation returns: a promise of its answer, with its response, and of a list each item of all pages. */

export type Answered<Answer> = { readonly data: Answer; readonly response: Response };

type Page<Item> = { readonly data: readonly Item[]; readonly nextCursor: string | null };

/** Items of a list; `never` of anything else. */
export type ItemOf<Answer> = Answer extends Page<infer Item> ? Item : never;

export class Call<Answer> extends Promise<Answer> implements AsyncIterable<ItemOf<Answer>> {
  readonly #answered: Promise<Answered<Answer>>;
  readonly #readPage: (cursor: string) => Promise<Answered<Answer>>;

  constructor(answered: Promise<Answered<Answer>>, readPage: (cursor: string) => Promise<Answered<Answer>>) {
    // Never used: a caller of this waits for `answered`, so that a failure is reported once, to whom it concerns.
    super(() => {});
    this.#answered = answered;
    this.#readPage = readPage;
  }

  /** Promises that `then` makes are ordinary ones. */
  static override get [Symbol.species]() {
    return Promise;
  }

  // oxlint-disable-next-line unicorn/no-thenable
  override then<Fulfilled = Answer, Rejected = never>(
    onFulfilled?: ((answer: Answer) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#answered.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  /** The answer with its response: headers such as `etag` and `ratelimit-remaining`. */
  withResponse(): Promise<Answered<Answer>> {
    return this.#answered;
  }

  /** Every item of this page and of those after it, each page read when the one before it is used up. */
  async *[Symbol.asyncIterator](): AsyncIterator<ItemOf<Answer>> {
    let { data: page } = await this.#answered;
    for (;;) {
      if (!isPage<ItemOf<Answer>>(page)) {
        throw new TypeError("This operation answers no list.");
      }
      yield* page.data;
      if (page.nextCursor === null) {
        return;
      }
      ({ data: page } = await this.#readPage(page.nextCursor));
    }
  }
}

function isPage<Item>(answer: unknown): answer is Page<Item> {
  return typeof answer === "object" && answer !== null && "data" in answer && "nextCursor" in answer;
}
