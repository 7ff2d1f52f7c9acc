/**
 * Streaming CSV (RFC 4180): quotes, doubled quotes, line breaks inside quotes, CRLF or LF, a byte order mark. Total: any input
 * gives rows.
 */

/** More than any file of links has. Those behind are left out. */
const MAX_CELLS = 10_000;

export type CsvReader = {
  feed(text: string): Generator<readonly string[]>;
  finish(): Generator<readonly string[]>;
};

/**
 * `feed` takes text in pieces and yields complete rows; `finish` yields the last one. A row of more characters than
 * `maxRowLength` has no cells.
 */
export function createCsvReader(maxRowLength: number = Number.POSITIVE_INFINITY): CsvReader {
  let cell = "";
  let row: string[] = [];
  let length = 0;
  let isQuoted = false;
  let wasQuote = false;
  let isFirst = true;

  function endCell(): void {
    if (row.length < MAX_CELLS) {
      row.push(cell);
    }
    cell = "";
  }

  function add(text: string): void {
    length += text.length;
    cell += length > maxRowLength ? "" : text;
  }

  function* endRow(): Generator<readonly string[]> {
    endCell();
    const isEmpty = row.length === 1 && row[0] === "";
    if (length > maxRowLength) {
      yield [];
    } else if (!isEmpty) {
      yield row;
    }
    row = [];
    length = 0;
  }

  /** One of the characters that mean something: a quote, and outside of quotes a comma and line breaks. */
  function* take(character: string): Generator<readonly string[]> {
    if (isQuoted) {
      isQuoted = false;
      wasQuote = true;
      return;
    }
    if (character === '"' && (cell === "" || wasQuote)) {
      // A quote right after the closing one is part of the text.
      add(wasQuote ? '"' : "");
      isQuoted = true;
    } else if (character === ",") {
      endCell();
    } else if (character === "\n") {
      yield* endRow();
    } else if (character !== "\r") {
      add(character);
    }
    wasQuote = false;
  }

  /** Where the next of them is, from `at` on. */
  function findNext(text: string, at: number): number {
    if (isQuoted) {
      const next = text.indexOf('"', at);
      return next === -1 ? text.length : next;
    }
    SPECIAL.lastIndex = at;
    return SPECIAL.exec(text)?.index ?? text.length;
  }

  return {
    *feed(text: string): Generator<readonly string[]> {
      const start = isFirst && text.startsWith("\uFEFF") ? 1 : 0;
      isFirst = isFirst && text === "";
      for (let at = start; at < text.length; at += 1) {
        const next = findNext(text, at);
        if (next > at) {
          add(text.slice(at, next));
          wasQuote = false;
        }
        if (next < text.length) {
          yield* take(text.charAt(next));
        }
        at = next;
      }
    },
    *finish(): Generator<readonly string[]> {
      yield* endRow();
    },
  };
}

const SPECIAL = /[",\r\n]/g;
