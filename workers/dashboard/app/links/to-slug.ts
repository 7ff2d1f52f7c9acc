/** What is typed as a slug: spaces become hyphens, and characters that a slug can't have are left out. Pure. */
export function toSlug(text: string): string {
  return text.replaceAll(/\s+/g, "-").replaceAll(/[!"#$%&'(),:;<=>?@[\\\]^`{|}]/g, "");
}
