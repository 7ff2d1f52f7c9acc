/** What several pages say. */
/** Where the API speaks to programs, which have keys and scopes. */
export const FOR_PEOPLE: { readonly [code: string]: string } = {
  not_found: "This does not exist any more, or you have no access to it.",
  out_of_bounds:
    "This is about all of the workspace, and you may see some of its links only. Ask an owner of the workspace.",
  scope_missing: "Your role does not allow this. Ask an admin of this workspace.",
  sign_in_again:
    "You signed in more than fifteen minutes ago. Try again, and confirm with your password or passkey that it is you.",
  workspace_not_found: "This workspace does not exist any more, or your access to it has ended.",
};

/** The classes of visitors, by the same words everywhere. */
export const CLASS_NAMES = {
  human: "People",
  bot: "Bots",
  preview: "Previews",
  prefetch: "Prefetches",
  head: "HEAD requests",
  monitor: "Monitors",
} as const;

export const THEME_NAMES = { system: "Match system", light: "Light", dark: "Dark" } as const;

export const shared = {
  serverGaveAnswer: "The server gave an answer that this page doesn't understand. Try again.",
  serverCantBeReachedCheck: "The server can't be reached. Check the connection and try again.",
  somethingWentWrong: "Something went wrong in this page. Load it again.",
  youAreOfflineWhatYouSeeMay: "You are offline. What you see may be old, and changes can't be saved yet.",
  torNetwork: "Tor network",
  links: "Links",
  analytics: "Analytics",
  events: "Events",
  clicks: "Clicks",
  link: "Link",
  when: "When",
  more: "More",
  filters: "Filters",
  hopline: "Hopline",
  close: "Close",
  domains: "Domains",
  active: "Active",
  name: "Name",
  state: "State",
  save: "Save",
  domain: "Domain",
  created: "Created",
  change: "Change",
  cancel: "Cancel",
  done: "Done",
  copy: "Copy",
  tags: "Tags",
  qrCode: "QR code",
  newLink: "New link",
  addYourFirstDomain: "Add your first domain",
  verifyYourDomain: "Verify your domain",
  linksNeedDomain: (mayAdd: boolean) =>
    `Links need a domain of yours, such as go.example.com. ${
      mayAdd ? "Add and verify it" : "An admin of the workspace adds and verifies it"
    }; then you can create links.`,
  workspace: "Workspace",
};
