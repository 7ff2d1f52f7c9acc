/** Downloads a file that was made here. */
export function saveFile(name: string, text: string): void {
  const link = document.createElement("a");
  // With a byte order mark spreadsheets read it as UTF-8.
  link.href = URL.createObjectURL(new Blob(["\uFEFF", text], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
