/** What the pages of keys say. */
export const SCOPES = [
  { scope: "links:read", short: "Read links", about: "and tags, folders, domains" },
  { scope: "links:write", short: "Edit links", about: "create, change and delete them" },
  { scope: "analytics:read", short: "Read analytics", about: "clicks and counts" },
  { scope: "admin", short: "Manage", about: "keys, domains and the workspace" },
] as const;
