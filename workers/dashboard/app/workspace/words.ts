/** What the pages of workspace say. */
export const ABOUT_ROLES = {
  viewer: "can see everything",
  editor: "can change links",
  admin: "can manage keys, domains and people",
  owner: "has full control",
} as const;

export const t = {
  // workspace-page.tsx
  nameSaved: "Name saved.",
  saveName: "Save name",
  defaultsSaved: "Defaults saved.",
  defaultsNewLinks: "Defaults of new links",
  whatYouMayDo: "What you may do",
  members: "Members",
  you: "(you)",
  emailSinceCreatedAt: (email: string, createdAt: string) => `${email}, since ${createdAt}`,
  roleName: (name: string) => `Role of ${name}`,
  removeName: (name: string) => `Remove ${name}`,
  theyLoseAccessAtOnce:
    "They lose access at once, and the keys that they created stop working. Revoke other keys that they know.",
  askRemoveRemoved: (removed: string) => `Remove ${removed}?`,
  removeFromWorkspace: "Remove from the workspace",
  anotherEmailIsOnWayTo: (email: string) => `Another email is on its way to ${email}.`,
  invitations: "Invitations",
  inviteColleagues: "Invite colleagues",
  thisDeploymentSends:
    "This deployment sends no emails, so no one can be invited. Its operator can set that up.",
  noOpenInvitations: "No open invitations.",
  asRoleUntilExpiresAt: (role: string, expiresAt: string) => `as ${role}, until ${expiresAt}`,
  sendAgain: "Send again",
  sendAgainTo: (email: string) => `Send again to ${email}`,
  cancelInvitation: (email: string) => `Cancel the invitation of ${email}`,
  emailsAreOnWayTo: (count: number, emails: string) =>
    `${count === 1 ? "An email is" : `${count} emails are`} on the way to ${emails}.`,
  sendInvitations: "Send invitations",
  emailAddresses: "Email addresses",
  severalWithCommaOrSpace: "Several with a comma or a space between them.",
  role: "Role",
  leaveOrDelete: "Leave or delete",
  leaveThisWorkspace: "Leave this workspace",
  deleteThisWorkspace: "Delete this workspace",
  toComeBackYouNeedAnother: "To come back, you need another invitation.",
  askLeaveExpected: (expected: string) => `Leave ${expected}?`,
  leave: "Leave",
  askDeleteExpected: (expected: string) => `Delete ${expected}?`,
  deleteEverything: "Delete everything",
  allLinksStopRedirecting:
    "All its links stop redirecting within seconds, and its domains, keys and members are removed. This can’t be undone.",
  typeToConfirm: (expected: string) => `Type ${expected} to confirm`,
  chooseLinksOf: (name: string) => `Choose the links of ${name}`,
  // member-bounds.tsx
  thoseThatTheyCreated: "those that they or their keys created",
  boundsSaved: (name: string) => `Saved: ${name} sees it with their next click.`,
  linksOf: (name: string) => `Links of ${name}`,
};
