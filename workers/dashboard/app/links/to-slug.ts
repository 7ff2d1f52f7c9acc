/** What is typed as a slug: spaces become hyphens. Pure. */
export function toSlug(text: string): string {
  return text.replaceAll(/\s+/g, "-");
}
