/** What the pages of imports say. */
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
