/** What was typed as a destination, as an absolute URL. Pure. */

/** People type `example.com/page`. */
export function withScheme(url: string): string {
  const text = url.trim();
  return text === "" || /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`;
}

/** The host of what was pasted: `https://go.example.com/spring` is `go.example.com`. */
export function hostIn(text: string): string {
  return text
    .trim()
    .replace(/^[a-z]+:\/\//i, "")
    .replace(/[/?#].*$/, "");
}
