/** What the pages of workspace say. */
export const ABOUT_ROLES = {
  viewer: "can see everything",
  editor: "changes links",
  admin: "manages keys, domains, people",
  owner: "has full control",
} as const;
