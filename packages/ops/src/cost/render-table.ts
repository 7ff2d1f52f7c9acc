/** A table of Markdown, aligned as the formatter wants it. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => (row[column] ?? "").length)));
  const toLine = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [toLine(head), rule, ...rows.map(toLine)].join("\n");
}

/** The page with this text between two marks; `null` where it has no place for it. */
export function writeBetween(
  page: string,
  [begin, end]: readonly [string, string],
  text: string,
): string | null {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  return from === -1 || to < from
    ? null
    : `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
