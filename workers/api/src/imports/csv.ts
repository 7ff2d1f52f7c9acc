/**
 * Streaming CSV (RFC 4180): quotes, doubled quotes, line breaks inside quotes, CRLF or LF, a byte order mark. Total: any input
 * gives rows.
 */

/** `feed` takes text in pieces and yields complete rows; `finish` yields the last one. */
export function createCsvReader() {
  let cell = "";
  let row: string[] = [];
  let isQuoted = false;
  let wasQuote = false;
  let isFirst = true;

  function* endRow(): Generator<readonly string[]> {
    row.push(cell);
    cell = "";
    const isEmpty = row.length === 1 && row[0] === "";
    if (!isEmpty) {
      yield row;
    }
    row = [];
  }

  function* take(character: string): Generator<readonly string[]> {
    if (isQuoted) {
      if (character === '"') {
        isQuoted = false;
        wasQuote = true;
      } else {
        cell += character;
      }
      return;
    }
    if (character === '"' && (cell === "" || wasQuote)) {
      // A quote right after the closing one is part of the text.
      cell += wasQuote ? '"' : "";
      isQuoted = true;
    } else if (character === ",") {
      row.push(cell);
      cell = "";
    } else if (character === "\n") {
      yield* endRow();
    } else if (character !== "\r") {
      cell += character;
    }
    wasQuote = false;
  }

  return {
    *feed(text: string): Generator<readonly string[]> {
      const start = isFirst && text.startsWith("\uFEFF") ? 1 : 0;
      isFirst = isFirst && text === "";
      for (let at = start; at < text.length; at += 1) {
        yield* take(text.charAt(at));
      }
    },
    *finish(): Generator<readonly string[]> {
      yield* endRow();
    },
  };
}

/** One line with its line break, harmless in a spreadsheet: who reads it undoes that by `fromHarmlessText`, cell by cell. */
export function toCsvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => toQuoted(toHarmlessText(cell))).join(",")}\r\n`;
}

function toQuoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Spreadsheets evaluate cells that begin like a formula, so such texts get an apostrophe in front. The list of first
 * characters, full-width forms included, is OWASP's: https://owasp.org/www-community/attacks/CSV_Injection. Where `;` or a tab
 * separates cells (Excel in much of Europe), a text is several cells, and the apostrophe goes in front of each of those. Quotes
 * and spaces before the sign are skipped, because spreadsheets may remove them.
 */
export function toHarmlessText(text: string): string {
  return text.replaceAll(/(?<=^|[;\t\r\n])(?=[' "\u00A0\uFEFF\u3000]*[=+\-@\t\r\n＝＋－＠])/g, "'");
}

/** The inverse of `toHarmlessText`. */
export function fromHarmlessText(text: string): string {
  return text.replaceAll(/(?<=^|[;\t\r\n])'(?=[' "\u00A0\uFEFF\u3000]*[=+\-@\t\r\n＝＋－＠])/g, "");
}
