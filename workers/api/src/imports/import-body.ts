/**
 * Splits the body of an import into rows as it arrives. CSV and JSON lines are streamed; a JSON document is read whole. Total: a
 * line that can't be read becomes an empty row, which is then reported.
 */
import { parseJson } from "@hopline/core/decode/parse-json";
import { createCsvReader, fromHarmlessText } from "./csv.ts";
import type { ImportRow } from "./import-row.ts";

/** Yields one row at a time. Rejects when the body is cut off or grows too large. */
export async function* readRows(body: ReadableStream<Uint8Array>, type: string): AsyncGenerator<ImportRow> {
  const text = body.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>);
  if (type.startsWith("text/csv")) {
    yield* readCsv(text);
  } else if (type.startsWith("application/x-ndjson")) {
    yield* readLines(text);
  } else {
    let whole = "";
    for await (const piece of text) {
      whole += piece;
    }
    yield* findRows(parseJson(whole)).map(toRow);
  }
}

async function* readCsv(text: ReadableStream<string>): AsyncGenerator<ImportRow> {
  const reader = createCsvReader();
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

async function* readLines(text: ReadableStream<string>): AsyncGenerator<ImportRow> {
  let rest = "";
  for await (const piece of text) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line.trim() !== "").map((line) => toRow(parseJson(line)));
  }
  if (rest.trim() !== "") {
    yield toRow(parseJson(rest));
  }
}

/** The fields in which the products' APIs wrap their lists. */
const WRAPPERS = ["links", "shortUrls", "data", "json"] as const;

/**
 * The list of links in a document, which is an array or inside wrappers. Inside a wrapper, an object without a further wrapper is
 * a list by name (YOURLS: `{links: {link_1: {…}}}`).
 */
function findRows(document: unknown, isWrapped = false): readonly unknown[] {
  if (Array.isArray(document)) {
    return document;
  }
  const fields = toRow(document);
  const wrapper = WRAPPERS.find((name) => fields[name] !== undefined);
  if (wrapper !== undefined) {
    return findRows(fields[wrapper], true);
  }
  return isWrapped ? Object.values(fields) : [];
}

function toRow(value: unknown): ImportRow {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
