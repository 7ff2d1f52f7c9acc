/** The orders in which links are listed. A leading `-` is descending. */
export const LINK_SORTS = [
  "-createdAt",
  "createdAt",
  "-updatedAt",
  "updatedAt",
  "slug",
  "-slug",
  "-clicks",
  "clicks",
  "-lastClickedAt",
  "lastClickedAt",
] as const;
export type LinkSort = (typeof LINK_SORTS)[number];
