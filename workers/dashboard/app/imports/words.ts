/** What the pages of imports say. */
import { countOf } from "../format.ts";
export const FORMATS = {
  hopline: "Hopline, or any CSV with slug, url, title, tags",
  bitly: "Bitly",
  dub: "Dub",
  shlink: "Shlink",
  kutt: "Kutt",
  yourls: "YOURLS",
  doubly: "Doubly",
} as const;

/** What happens to a row whose slug is taken. */
export const CONFLICTS = {
  skip: "Skip the row and report it",
  rename: "Import it under a free slug, such as spring-2",
  replace: "Replace the link that has the slug",
} as const;

export const t = {
  // import-page.tsx
  import: "Import",
  linksFromFileCsvJsonLines: "Links from a file: CSV, JSON lines or JSON.",
  chooseFileOrDropItHere: "Choose a file, or drop it here",
  fileValueKb: (file: string, value: string) => `${file}, ${value} KB`,
  exportedFrom: "Exported from",
  firstLineLooksLike: (guessed: string) => `Its first line looks like ${guessed}.`,
  asInFileOtherwiseOldest: "As in the file, otherwise the oldest",
  firstRowsFile: "First rows of the file",
  ifSlugIsTaken: "If a slug is taken",
  linkGetsRowsValuesAndKeeps:
    "The link gets the row’s values, and keeps its own where the row is empty. The version before is in its history.",
  reuse: "For rows without a slug, keep the link that already leads to the destination",
  readingFile: "Reading the file…",
  checkFile: "Check the file",
  report: "Report",
  rowsRefused: (rows: string, dryRun: boolean, replaced: number, reused: number, refused: string) =>
    `of ${rows} rows ${dryRun ? "would be imported" : "were imported"}${replaced > 0 ? `, ${countOf(replaced, "link")} ${dryRun ? "would be replaced" : "replaced"}` : ""}${reused > 0 ? `, ${countOf(reused, "row")} ${dryRun ? "would keep" : "kept"} an existing link` : ""}, ${refused} refused.${!dryRun ? " They redirect now, and are at the edge within a minute." : ""}`,
  nothingHasBeenImportedYet: "Nothing has been imported yet. ",
  showImportedLinks: "Show the imported links",
  refused: "Refused",
  importedWithChanges: "Imported with changes",
  importOrReplace: ({ created, replaced }: { readonly created: number; readonly replaced: number }) =>
    [
      ...(created === 0 ? [] : [`Import ${countOf(created, "link")}`]),
      ...(replaced === 0 ? [] : [`${created === 0 ? "Replace" : "replace"} ${countOf(replaced, "link")}`]),
    ].join(", "),
};
