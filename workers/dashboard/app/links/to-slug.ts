/** What is typed as a slug: spaces become hyphens, and signs that no slug may have are left out. Pure. */
export function toSlug(text: string): string {
  return text.replaceAll(/\s+/g, "-").replaceAll(/[!"#$%&'(),:;<=>?@[\\\]^`{|}]/g, "");
}
