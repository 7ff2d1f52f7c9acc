/** Downloads a file that was made here. */
export function saveFile(name: string, file: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** With a byte order mark spreadsheets read it as UTF-8. */
export function toCsvFile(text: string): Blob {
  return new Blob(["\uFEFF", text], { type: "text/csv" });
}
