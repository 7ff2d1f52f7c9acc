/** What the pages of keys say. */
export const SCOPES = [
  { scope: "links:read", short: "Read links", about: "and tags, folders, domains" },
  { scope: "links:write", short: "Edit links", about: "create, change and delete them" },
  { scope: "analytics:read", short: "Read analytics", about: "clicks and counts" },
  { scope: "admin", short: "Manage", about: "keys, domains and the workspace" },
] as const;

export const OF_PARTS = {
  domains: { label: "On domains", any: "Any domain", gone: "Nothing: its domain is gone" },
  folders: { label: "In folders", any: "Any folder, or none", gone: "Nothing: its folder is gone" },
  tags: { label: "With tags", any: "Any tag, or none", gone: "Nothing: its tag is gone" },
} as const;

export const STATES = { active: "Active", revoked: "Revoked", expired: "Expired" };

export const t = {
  // bounds-fields.tsx
  onlySomeLinks: "Only some links",
  ownLinks: "Own links",
  thoseThatThisKeyCreated: "those that this key created",
  fromPages: "From pages of",
  to: "To",
  linksMinute: "Links a minute",
  // keys-page.tsx
  apiKeys: "API keys",
  manageApiKeys: "manage API keys",
  key: "Key",
  scopes: "Scopes",
  lastUsed: "Last used",
  never: "never",
  replaceKey: (key: string) => `Replace ${key}`,
  revokeKey: (key: string) => `Revoke ${key}`,
  letScriptsAndAppsUseApi: "Let scripts and apps use the API.",
  newKey: "New key",
  keyLetsProgramUseApi:
    "A key lets a program use the API with the scopes that you give it. It can never do more than you, and stops working when you leave the workspace.",
  noApiKeysYet: "No API keys yet",
  keys: "Keys",
  untilExpiresAt: (expiresAt: string) => `until ${expiresAt}`,
  createKey: "Create key",
  onlyCreateLinks: "Only create links",
  fromWebPageWhichMayHoldKey: "from a web page, which may hold the key",
  expiresAfter: "Expires after",
  n90DaysAtMost: "90 days at most.",
  theKey: "the key",
  keepItWhereYourProgram: "Keep it where your program reads it.",
  tryItInTerminal: "Try it in a terminal:",
  copyCommand: "Copy the command",
  theCommand: "the command",
  apiDocumentation: "API documentation",
  youGetNewKeyWithSameScopes:
    "You get a new key with the same scopes and the same links. The old one works for another day, so that nothing stops meanwhile.",
  askReplaceName: (name: string) => `Replace ${name}?`,
  createNewKey: "Create a new key",
  programsThatUse: "Programs that use it are refused from now on. This can’t be undone.",
  askRevokeName: (name: string) => `Revoke ${name}?`,
  revokeKeyButton: "Revoke the key",
  nameRevoked: (name: string) => `${name} revoked.`,
};
