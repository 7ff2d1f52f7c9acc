/**
 * Splits the body of an import into rows as it arrives. CSV and JSON lines are streamed; a JSON document has been read whole.
 * Total: a line that can't be read, or is too long or too deep, becomes an empty row, which is then reported. Other requests of the isolate go
 * on between two pieces, however large those arrive.
 */
import { parseJson } from "@hopline/core/decode/parse-json";
import { fromHarmlessText } from "@hopline/core/csv/csv-line";
import { createCsvReader } from "@hopline/core/csv/csv-reader";
import type { ImportRow } from "./import-row.ts";

/** Lets what else has come go on. */
export type GiveWay = () => Promise<unknown>;

/** Characters that are taken apart without giving way: a millisecond. */
const PIECE_LENGTH = 65_536;
/** As much as an ordinary request may be. */
const MAX_ROW_LENGTH = 1_000_000;

/** Yields one row at a time. Rejects when the body is cut off or grows too large. */
export async function* readRows(
  body: ReadableStream<Uint8Array>,
  type: string,
  giveWay: GiveWay,
): AsyncGenerator<ImportRow> {
  const text = inPieces(
    body.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>),
    giveWay,
  );
  yield* type.startsWith("text/csv") ? readCsv(text) : readLines(text);
}

/** Those of a JSON document. */
export async function* readDocument(document: unknown): AsyncGenerator<ImportRow> {
  for (const row of findRows(document)) {
    yield toRow(row);
  }
}

async function* inPieces(text: AsyncIterable<string>, giveWay: GiveWay): AsyncGenerator<string> {
  for await (const piece of text) {
    for (let at = 0; at < piece.length; at += PIECE_LENGTH) {
      yield piece.slice(at, at + PIECE_LENGTH);
      await giveWay();
    }
  }
}

async function* readCsv(text: AsyncIterable<string>): AsyncGenerator<ImportRow> {
  const reader = createCsvReader(MAX_ROW_LENGTH);
  let header: readonly string[] | null = null;
  const take = function* (cells: readonly string[]): Generator<ImportRow> {
    const names = header;
    if (names === null) {
      header = cells;
    } else {
      // By cell and not by column: a header of a million columns must not cost a million fields for each short row.
      const named = cells.slice(0, names.length);
      yield Object.fromEntries(named.map((cell, index) => [names[index] ?? "", fromHarmlessText(cell)]));
    }
  };
  for await (const piece of text) {
    for (const cells of reader.feed(piece)) {
      yield* take(cells);
    }
  }
  for (const cells of reader.finish()) {
    yield* take(cells);
  }
}

async function* readLines(text: AsyncIterable<string>): AsyncGenerator<ImportRow> {
  // Of the line that has not ended yet, put together once: adding each piece to all before would take longer with each.
  let begun: string[] = [];
  let length = 0;
  const end = (last: string): string => {
    const line = length + last.length > MAX_ROW_LENGTH ? TOO_LONG : begun.join("") + last;
    begun = [];
    length = 0;
    return line;
  };
  for await (const piece of text) {
    const lines = piece.split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      yield* toRows(end(line));
    }
    length += rest.length;
    if (length <= MAX_ROW_LENGTH) {
      begun.push(rest);
    }
  }
  yield* toRows(end(""));
}

/** Can't be read. */
const TOO_LONG = "…";

function toRows(line: string): readonly ImportRow[] {
  return line.trim() === "" ? [] : [toRow(parseJson(line))];
}

/** The fields in which the products' APIs wrap their lists. */
const WRAPPERS = ["links", "shortUrls", "data", "json"] as const;

/**
 * The list of links in a document, which is an array or inside wrappers. Inside a wrapper, an object without a further wrapper is
 * a list by name (YOURLS: `{links: {link_1: {…}}}`).
 */
function findRows(document: unknown): readonly unknown[] {
  let found = document;
  let isWrapped = false;
  while (isRow(found) && !Array.isArray(found)) {
    const row: ImportRow = found;
    const wrapper = WRAPPERS.find((name) => row[name] !== undefined);
    if (wrapper === undefined) {
      return isWrapped ? Object.values(row) : [];
    }
    found = row[wrapper];
    isWrapped = true;
  }
  return Array.isArray(found) ? found : [];
}

/** As cells of a row in CSV (csv-reader.ts). */
const MAX_FIELDS = 10_000;

/** Of lists and objects in each other; rules have six. Writing more of them down again could take more stack than there is. */
const MAX_LEVELS = 50;

function toRow(value: unknown): ImportRow {
  const isReadable = isRow(value) && Object.keys(value).length <= MAX_FIELDS && hasFewLevels(value);
  return isReadable ? value : {};
}

function hasFewLevels(value: unknown, levels = MAX_LEVELS): boolean {
  return !isRow(value) || (levels > 0 && Object.values(value).every((one) => hasFewLevels(one, levels - 1)));
}

function isRow(value: unknown): value is ImportRow {
  return typeof value === "object" && value !== null;
}
