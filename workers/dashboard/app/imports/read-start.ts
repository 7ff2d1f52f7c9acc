/** The first rows of a CSV file. Pure. */
import { createCsvReader } from "@hopline/core/csv/csv-reader";

export const START_BYTES = 4_000;
const SHOWN_ROWS = 5;

/** With its header. The last one of a file that goes on may be cut, and is left out. */
export function readStart(start: string): readonly (readonly string[])[] {
  const reader = createCsvReader();
  const rows = [...reader.feed(start)];
  const isWhole = start.length < START_BYTES;
  return [...rows, ...(isWhole ? reader.finish() : [])].slice(0, SHOWN_ROWS + 1);
}
