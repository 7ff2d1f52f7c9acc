/** What the pages of people say. */
import { formatDate } from "../format.ts";
/** Why an identity provider refused a sign-in, by the code of the API's problem. */
export const FAILURES: { readonly [code: string]: string } = {
  sign_in_interrupted:
    "This sign-in was finished before, took too long, or began in another browser: start again.",
  provider_unavailable:
    "The identity provider can't be reached right now: try again, or sign in another way.",
  email_unverified:
    "The identity provider does not say that your email address is verified: verify it there, or sign in another way.",
  sign_up_closed: "Accounts here are by invitation: ask an admin for one.",
  rate_limited: "There were too many attempts: wait a minute, then start again.",
};

export const t = {
  // account-page.tsx
  account: "Account",
  nameSaved: "Name saved.",
  you: "You",
  saveName: "Save name",
  display: "Display",
  keptInThisBrowser: "Kept in this browser.",
  theme: "Theme",
  timeZone: "Time zone",
  forAllDatesAndForDays:
    "For all dates, and for the days that clicks are counted by. Leave it empty to use your device’s.",
  asYourDeviceDeviceZone: (deviceZone: string) => `As your device: ${deviceZone}`,
  passwordSaved: "Password saved.",
  password: "Password",
  currentPassword: "Current password",
  notNeededWithinFifteen: "Not needed within fifteen minutes of signing in.",
  newPassword: "New password",
  savePassword: "Save password",
  sessions: "Sessions",
  signOutOtherSessions: "Sign out other sessions",
  thisDevice: "This device",
  anotherBrowser: "Another browser",
  sinceCreatedAt: (createdAt: string, expiresAt: string) => `since ${createdAt}, until ${expiresAt}`,
  end: "End",
  // confirm-sign-in.tsx
  confirmThatItIsYou: "Confirm that it is you",
  youSignedInMoreThanFifteen: (email: string) =>
    `You signed in more than fifteen minutes ago. Sign in again as ${email} to continue.`,
  signInAndContinue: "Sign in and continue",
  usePasskey: "Use a passkey",
  signInWithThenRepeatThis: (name: string) => `Sign in with ${name}, then repeat this`,
  openLinkInEmail: (email: string) => `Open the link in the email to ${email} in this browser, then`,
  continue: "continue",
  sendMeLinkByEmail: "Send me a link by email",
  // delete-account-card.tsx
  deleteAccount: "Delete the account",
  yourSessionsPasskeys:
    "Your sessions, passkeys and memberships end. Links that you created belong to their workspace, and stay.",
  deleteMyAccount: "Delete my account",
  yourAccountIsDeleted: "Your account is deleted.",
  askDeleteYourAccount: "Delete your account?",
  thisCantBeUndoneToConfirm: (email: string) =>
    `This can’t be undone. To confirm, type your email address, ${email}.`,
  yourEmailAddress: "Your email address",
  everyWorkspaceNeedsOwner:
    "Every workspace needs an owner: make someone else an owner, or delete the workspace first.",
  // email-card.tsx
  email: "Email",
  thisDeploymentSends: "This deployment sends no emails, so the address can’t be changed.",
  newEmailAddress: "New email address",
  sendConfirmationEmail: "Send confirmation email",
  openLinkInEmailOfEmail: (email: string) =>
    `Open the link in the email to ${email}. Until then nothing changes; an address that has an account gets none.`,
  // new-password-field.tsx
  n10CharactersOrMore: "10 characters or more.",
  hidePassword: "Hide the password",
  showPassword: "Show the password",
  // passkeys-card.tsx
  passkeyAdded: (name: string) => `Passkey ${name} added.`,
  passkeys: "Passkeys",
  signInWithYourFingerprint:
    "Sign in with your fingerprint, face, or the lock of your device: nothing to remember, and nothing that can be phished.",
  sinceCreatedAtOfIsSynced: (isSynced: boolean, createdAt: string, lastUsedAt: null | string) =>
    `${isSynced ? "on your devices" : "on one device"}, since ${createdAt}, ${lastUsedAt === null ? "not used yet" : `last used ${formatDate(lastUsedAt)}`}`,
  removePasskey: (passkey: string) => `Remove the passkey ${passkey}`,
  nameNewPasskey: "Name of a new passkey",
  laptop: "Laptop",
  addPasskey: "Add passkey",
  thisBrowserHasNoPasskeys: "This browser has no passkeys.",
  itCantBeUsedHereAnyMore:
    "It can’t be used here any more. Your device still lists it: remove it there, too.",
  askRemovePasskey: (removed: string) => `Remove the passkey ${removed}?`,
  removePasskeyButton: "Remove the passkey",
  noPasskeyWasCreated: "No passkey was created.",
  thisDeviceHasPasskey: "This device has a passkey for your account already.",
  // sign-in-methods-card.tsx
  waysToSignIn: "Ways to sign in",
  noneYetOnceYourSessionsEnd:
    "None yet: once your sessions end, you can’t sign in again. Set a password or add a passkey below.",
  connectName: (name: string) => `Connect ${name}`,
  linkToName: (name: string) => `A link to ${name}`,
  sinceCreatedAtOfCreatedAt: (createdAt: string) => `since ${createdAt}`,
  removePassword: "Remove the password",
  unlinkName: (name: string) => `Unlink ${name}`,
  // sign-in-page.tsx
  checkYourEmail: "Check your email",
  ifMaySignInHereLinkIsOnWay: (email: string) => `If ${email} may sign in here, a link is on its way.`,
  itWorksOnceIfItDoesNotCome:
    "It works once. If it does not come, check your spam folder before you ask again.",
  back: "Back",
  signIn: "Sign in",
  yourSessionHasEndedSign: "Your session has ended. Sign in to go back to where you were.",
  signInWithPasskey: "Sign in with a passkey",
  signInWithName: (name: string) => `Sign in with ${name}`,
  forgotPasswordEmailMeSign: "Forgot password? Email me a sign-in link",
  identityProviderDidNotSign:
    "The identity provider did not sign you in: start again, or sign in another way.",
  // token-pages.tsx
  withLinkFromYourEmail: "With the link from your email. It works once.",
  signInAndSetNewPassword: "Sign in and set a new password",
  youAreInvited: "You are invited",
  signInText: "sign in",
  joinWorkspaceName: (workspaceName: string) => `Join ${workspaceName}`,
  invitesYouToWorkspaceAs: (inviterName: string, workspaceName: string, role: string) =>
    `${inviterName} invites you to the workspace ${workspaceName} as ${role}.`,
  youHaveAccount: "You have an account with this address:",
  toItAndYouComeBackHere: "to it, and you come back here.",
  n10CharactersOrMoreHint: "10 characters or more. Without one you sign in by links in emails.",
  acceptInvitation: "Accept invitation",
  toUse: "To use",
  instead: "instead,",
  firstAndYouComeBackHere: "first, and you come back here.",
  setUpHopline: "Set up Hopline",
  createFirstAccountItOwns: "Create the first account. It owns this deployment.",
  createAccount: "Create account",
  yourNewEmailAddress: "Your new email address",
  itReplacesEmail: (email: string) => `It replaces ${email}.`,
  useNewAddress: "Use the new address",
  thisLinkHasBeenUsed: "This link has been used, or has expired.",
  anotherWayOrAskForNewLink: "another way, or ask for a new link.",
  yourName: "Your name",
};
