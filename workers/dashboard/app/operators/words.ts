/** What the pages of operators say. */
export const LIMITS = [
  { name: "links", label: "Links" },
  { name: "clicks", label: "Clicks a month" },
  { name: "requests", label: "Requests a month" },
] as const;

export const t = {
  // operators-page.tsx
  operators: "Operators",
  allWorkspaces: "All workspaces of this deployment.",
  owners: "Owners",
  none: "none",
  members: "Members",
  useAndLimits: "Use and limits",
  useAndLimitsOfOne: (one: string) => `Use and limits of ${one}`,
  searchWorkspaces: "Search workspaces",
  nameOrOwner: "Name or owner",
  workspaces: "Workspaces",
  suspended: "Suspended",
  suspend: "Suspend",
  resume: "Resume",
  lookUpLink: "Look up a link",
  shortAddress: "Short address, or a host",
  reason: "Reason",
  auditLogWorkspaceSays: "The audit log of its workspace says who looked, and why.",
  lookUp: "Look up",
  itLeadsTo: "It leads to",
  noLinkIsThere: "No link is there.",
  ofWorkspace: (name: string) => `The workspace is ${name}.`,
  limitsSaved: (name: string) => `Limits of ${name} saved.`,
  useAndLimitsOfName: (name: string) => `Use and limits of ${name}`,
  noLimit: "no limit",
  used: (used: string) => `${used} used`,
  saveLimits: "Save limits",
  // suspend-dialog.tsx
  nameIsSuspended: (name: string) => `${name} is suspended.`,
  nameIsResumed: (name: string) => `${name} is resumed.`,
  verbKind: (verb: string, kind: string) => `${verb} the ${kind}`,
  withinTwoSecondsLinks:
    "Within two seconds its links answer a page that says so. Nothing is deleted, and you can resume it.",
  linksRedirectAgainWithin: (reason: string) =>
    `Its links redirect again within two seconds. It was suspended for: ${reason}`,
};
