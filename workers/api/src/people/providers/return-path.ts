/** Where a browser goes once it is signed in: a page of the application, whatever the link says. */

/** The whole address; `null` for a text that leads elsewhere. Never only a path: some begin with `//`. */
export function toReturnAddress(path: string, appOrigin: string): string | null {
  const url = path.startsWith("/") ? URL.parse(path, appOrigin) : null;
  return url !== null && url.origin === appOrigin ? url.href : null;
}
