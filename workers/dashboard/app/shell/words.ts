/** What the pages of shell say. */
export const KEYS = [
  ["?", "Show this list"],
  ["Ctrl or ⌘ with K", "Find pages, links and actions"],
  ["/", "Search links"],
  ["n", "New link"],
  ["j, k or arrows", "Move through the links"],
  ["x or Space", "Select a link; with Shift a range"],
  ["Enter or e", "Edit it"],
  ["a", "Open its analytics"],
  ["c", "Copy its address"],
  ["m", "Open its menu"],
  ["Ctrl or ⌘ with Enter", "Save a form"],
  ["Esc", "Close a dialog"],
] as const;

export const t = {
  // app-shell.tsx
  import: "Import",
  trash: "Trash",
  apiKeys: "API keys",
  webhooks: "Webhooks",
  auditLog: "Audit log",
  integrity: "Integrity",
  operators: "Operators",
  skipToContent: "Skip to the content",
  findAnythingCtrlOrWithK: "Find anything (Ctrl or ⌘ with K)",
  pages: "Pages",
  workspace: "Workspace:",
  noWorkspace: "No workspace",
  workspaces: "Workspaces",
  newWorkspace: "New workspace",
  noRole: "no role",
  accountAndSessions: "Account and sessions",
  keyboardShortcuts: "Keyboard shortcuts",
  apiDocumentation: "API documentation",
  theme: "Theme",
  signOut: "Sign out",
  // command-menu.tsx
  action: "Action",
  page: "Page",
  showKeyboardShortcuts: "Show keyboard shortcuts",
  themeOfTheme: (theme: string) => `Theme: ${theme}`,
  readApiDocumentation: "Read the API documentation",
  findAnything: "Find anything",
  pagesLinksAndActions: "Pages, links and actions",
  typeNamePageLinkOrAction: "Type the name of a page, a link or an action",
  noMatch: "No match",
  // new-workspace.tsx
  createWorkspace: "Create workspace",
  eachWorkspaceHasOwnLinks: "Each workspace has its own links, domains, members and clicks.",
  // other-pages.tsx
  addressMayBeMistyped: "The address may be mistyped, or what it led to has been deleted.",
  thereIsNoSuchPage: "There is no such page",
  goToYourLinks: "Go to your links",
  // who-may.tsx
  ask: "Ask",
  toChangeYourRole: "to change your role.",
  onlyAdminsCanWhat: (what: string) => `Only admins can ${what}`,
  adminThisWorkspace: "an admin of this workspace",
  onlyOperatorsSeeThisPerson:
    "Only operators see this: the person who opened the set-up link, and those that",
  names: "names.",
  // workspace-layout.tsx
  yourAccessHasEnded: (count: number) =>
    `Your access has ended, or the workspace is gone. ${count === 0 ? "You are in no other one: create one in the menu, or ask for an invitation." : "Nothing that you do here changes it."}`,
  youHaveNoAccess: "You have no access to this workspace",
  goToName: (name: string) => `Go to ${name}`,
  createOneInMenuOrAsk: "Create one in the menu, or ask for an invitation.",
  youHaveNoWorkspaceYet: "You have no workspace yet",
};
