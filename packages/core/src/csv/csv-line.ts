/** Lines of CSV (RFC 4180) that are harmless where spreadsheets open them. Pure. */

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
