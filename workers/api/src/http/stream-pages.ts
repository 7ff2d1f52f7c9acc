/**
 * An answer that is too long for memory: text in pages, read as fast as the client reads.
 *
 * The first page is read before the answer starts, so that what is wrong with the request is a problem and not half a file.
 * When a later page fails, the connection is aborted: the client gets no regular end (HTTP/1.1: no last chunk, HTTP/2: a
 * reset), so an answer that ends properly is complete.
 */
import { actWithin, boundsNow } from "./bounds/within-bounds.ts";
import { type Log, nameOfError } from "../log.ts";

export type RowPages<Row> = {
  /** Before the first row. */
  readonly head: string;
  readonly pageRows: number;
  /** Of one page: the rows after that one, or the first ones. Fewer than `pageRows` are the last ones. */
  readonly readAfter: (last: Row | null) => Promise<readonly Row[]>;
  readonly toLine: (row: Row) => string;
};

export type StreamDeps = {
  readonly log: Log;
  readonly requestId: string;
  /** After 0 ms others have had their turn. */
  readonly wait: (ms: number) => Promise<unknown>;
  /** Rejects when the client may not read on (still-allowed.ts). */
  readonly requireAllowed: () => Promise<void>;
};

/** Rows that are written without giving way: a link with all its rules takes a quarter of a millisecond. */
const ROWS_AT_ONCE = 100;

/** Rejects when the first page can't be read. */
export async function streamPages<Row>(
  rowPages: RowPages<Row>,
  { log, requestId, ...deps }: StreamDeps,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  const pages = toTexts(rowPages, deps);
  // Pulled by who reads the stream, when the request's own code has ended.
  const bounds = boundsNow();
  const readNext = (): Promise<IteratorResult<string>> => actWithin(bounds, () => pages.next());
  let page: IteratorResult<string> | null = await readNext();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          page ??= await readNext();
        } catch (error) {
          log({ event: "export.aborted", requestId, reason: nameOfError(error) });
          throw error;
        }
        if (page.done === true) {
          controller.close();
        } else {
          controller.enqueue(encoder.encode(page.value));
        }
        page = null;
      },
      async cancel() {
        await pages.return(undefined);
      },
    },
    // Reads nothing ahead of the client.
    { highWaterMark: 0 },
  );
}

async function* toTexts<Row>(
  { head, pageRows, readAfter, toLine }: RowPages<Row>,
  { wait, requireAllowed }: Pick<StreamDeps, "wait" | "requireAllowed">,
): AsyncGenerator<string> {
  let last: Row | null = null;
  for (let text = head; ; text = "") {
    await requireAllowed();
    const rows: readonly Row[] = await readAfter(last);
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      if (at > 0) {
        await wait(0);
      }
      yield (
        text +
          rows
            .slice(at, at + ROWS_AT_ONCE)
            .map(toLine)
            .join("")
      );
      text = "";
    }
    if (text !== "") {
      yield text;
    }
    last = rows.at(-1) ?? null;
    if (rows.length < pageRows) {
      return;
    }
  }
}
