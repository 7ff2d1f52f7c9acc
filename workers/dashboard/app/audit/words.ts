/** What the pages of audit say. */
export const t = {
  // audit-page.tsx
  auditLog: "Audit log",
  readAuditLog: "read the audit log",
  whoDidWhat: "Who did what",
  detailsEntry: (entry: string) => `Details: ${entry}`,
  whoChanged: "Who changed what in this workspace.",
  noMatchingChanges: "No matching changes",
  noChangesYet: "No changes yet",
  removeAllFilters: "Remove all filters",
  chooseOtherDaysOrRemove: "Choose other days, or remove a filter.",
  everyChangeToLinksDomains:
    "Every change to links, domains, keys and members is recorded here: who made it, when, and what it replaced.",
  changes: "Changes",
  whatWasChanged: "What was changed",
  allChanges: "All changes",
  allAbout: (label: string) => `All about ${label}`,
  whoAction: (action: string) => `Who ${action}`,
  firstDay: "First day",
  to: "to",
  lastDay: "Last day",
  everyone: "Everyone",
  keyName: (name: string) => `Key ${name}`,
  databaseMigrationOrCli: "Database (migration or CLI)",
  who: "Who",
  requestId: ", request id",
  showHistory: "Show history",
  // differences.tsx
  before: "Before",
  after: "After",
  noFieldDiffers: "No field differs.",
  differences: "Differences",
};
