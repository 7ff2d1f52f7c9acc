/** What the form of a link says, and what belongs to it. */
import { countOf } from "../format.ts";
export const VISITORS = [
  { value: "human", label: "is a person" },
  { value: "bot", label: "is a bot" },
] as const;

export const EXACTNESS = [
  { value: "fast", label: "Fast, may overshoot briefly" },
  { value: "strict", label: "Exact, each click is slower" },
] as const;

export const TAKEN = {
  byLink: "This slug is taken.",
  inTrash: "A deleted link has this slug: restore it from the trash, or destroy it there.",
} as const;

export const UTM_FIELDS = [
  { name: "source", label: "Source", placeholder: "newsletter" },
  { name: "medium", label: "Medium", placeholder: "email" },
  { name: "campaign", label: "Campaign", placeholder: "spring-sale" },
  { name: "term", label: "Term", placeholder: "" },
  { name: "content", label: "Content", placeholder: "" },
] as const;

export const FIELD_NAMES = {
  url: "Destination",
  slug: "Slug",
  title: "Title",
  tags: "Tags",
  folder: "Folder",
  forwardQuery: "Query string",
  startsAt: "Start",
  expiresAt: "End",
  expiredUrl: "Destination after the end",
  next: "Planned change",
  rules: "Rules",
  split: "Split",
  utm: "UTM",
  openGraph: "Preview",
  qr: "QR code",
  status: "Status",
  redirectStatus: "Redirect status",
  cap: "Limit of clicks",
  password: "Password",
} as const;

export const FORWARDING = [
  { value: "none", label: "Not passed on" },
  { value: "visitor-wins", label: "Passed on; the visitor's values win" },
  { value: "link-wins", label: "Passed on; the link's values win" },
] as const;

/** The statuses with which a link may redirect, the usual one first. */
export const REDIRECTS = [
  { value: 302, label: "302, temporary" },
  { value: 301, label: "301, permanent: browsers keep it" },
  { value: 307, label: "307, temporary, keeps the method" },
  { value: 308, label: "308, permanent, keeps the method" },
] as const;

export const OUTCOMES = {
  redirect: "Redirected",
  blocked: "Blocked by a rule",
  gone: "The link has ended",
  "not-started": "The link has not started",
  "password-required": "Asked for the password",
  preview: "Shown the preview",
  suspended: "The domain is suspended by the operator",
  unknown: "There is no such link",
} as const;

export const t = {
  // conditions-editor.tsx
  country: "Country",
  continent: "Continent",
  region: "Region",
  forExampleUsCa: "For example US-CA.",
  city: "City",
  asInAnalytics: "As in Analytics, with a country or region beside it.",
  language: "Language",
  deMatchesDeChToo: "de matches de-CH too.",
  comesFrom: "Comes from",
  hostForExampleNewsExample: "A host, for example news.example.",
  device: "Device",
  os: "OS",
  browser: "Browser",
  addConditionVisitors: "Add a condition: visitors who match no rule get the destination above.",
  visitor: "Visitor",
  removeCondition: (label: string) => `Remove the condition ${label}`,
  condition: "Condition",
  personOrBot: "Person or bot",
  queryParameter: "Query parameter",
  time: "Time",
  ref: "ref",
  isAny: "is any of",
  anything: "anything",
  timeInZone: (zone: string) => `Time, in ${zone}`,
  days: "Days",
  from: "From",
  to: "to",
  notBefore: "Not before",
  until: "Until",
  // defaults-fields.tsx
  forNewLinksThatLeaveField:
    "For new links that leave a field empty: here, through the API and in imports. A folder’s defaults take precedence over its domain’s, and these over the workspace’s. Existing links don’t change.",
  endsAfterDays: "Ends after days",
  visitorsQueryString: "Visitor's query string",
  noDefault: "No default",
  redirect: "Redirect",
  utm: "UTM",
  valuesCanContainFolder:
    "Values can contain {folder}, {domain}, {slug}, {title} and {date}. Separate allowed values with commas.",
  allowedLabel: (label: string) => `Allowed: ${label}`,
  labelIsRequired: (label: string) => `${label} is required`,
  generatedSlugs: "Generated slugs",
  beginWith: "Begin with",
  promo: "promo-",
  randomCharacters: "Random characters",
  outOf: "Out of",
  previewInSocialNetworks: "Preview in social networks",
  saveDefaults: "Save defaults",
  // editor-dialogs.tsx
  someoneElseHasChanged: "Someone else has changed this link",
  yourChangeWasMadeFromOlder: (version: number) =>
    `Your change was made from an older version and has not been saved. Version ${version} is stored now. Fields that you have not touched stay as they are there.`,
  discardMine: "Discard mine",
  overwriteWithMine: "Overwrite with mine",
  askSaveYourChanges: "Save your changes?",
  youHaveChangedThisLink: "You have changed this link and not saved it.",
  keepEditing: "Keep editing",
  discard: "Discard",
  saveAndLeave: "Save and leave",
  storedNow: "Stored now",
  yours: "Yours",
  // filled-chips.tsx
  filledByDefaults: "Filled by defaults",
  leaveOut: (text: string) => `Leave out ${text}`,
  // folder-defaults.tsx
  defaultsSaved: (name: string) => `Defaults of ${name} saved.`,
  newLinksIn: (name: string) => `New links in ${name}`,
  // folder-field.tsx
  folder: "Folder",
  noFolder: "No folder",
  newFolder: "New folder",
  // limits-section.tsx
  limitClicks: "Limit clicks",
  usedSoFar: (used: string) => `${used} used so far`,
  howExact: "How exact",
  askForPassword: "Ask for a password",
  newPassword: "New password",
  password: "Password",
  leaveItEmptyToKeepOneItHas: "Leave it empty to keep the one it has.",
  n8CharactersOrMore: "8 characters or more.",
  // link-addresses.tsx
  addresses: "Addresses",
  in30DaysCameThroughOthers: (value: number, slug: string) =>
    `${countOf(value, "click")} in 30 days came through /${slug}, others through its former slugs:`,
  formerSlug: "Former slug",
  clicksIn30Days: "Clicks in 30 days",
  lastClick: "Last click",
  release: "Release",
  releaseSlug: (slug: string) => `Release ${slug}`,
  askReleaseSlug: (slug: string) => `Release /${slug}?`,
  releaseSlugButton: "Release the slug",
  slugReleased: (slug: string) => `/${slug} released.`,
  cameThroughItInLast30Days: (lastClickedAt: string) =>
    `came through it in the last 30 days, the last one ${lastClickedAt}: it may still be in print.`,
  visitorsAddressGet404: "Visitors of the address get a 404 within seconds, and another link may take it.",
  // link-basics.tsx
  destination: "Destination",
  endItWithOrWritePath: "End it with /*, or write {path} where the rest of the visitor’s path goes.",
  slug: "Slug",
  chosenForYou: "chosen for you",
  forwardsWhatFollows: " forwards what follows.",
  goesOnWorking: (slug: string) => `${slug} goes on working until you release it.`,
  leadsThereAlready: (shortUrl: string) => `${shortUrl} leads there already.`,
  useThisLink: "Use this link",
  title: "Title",
  linkIsOn: "Link is on",
  // link-editor.tsx
  saved: "Saved.",
  visit: "Visit",
  duplicate: "Duplicate",
  unarchive: "Unarchive",
  archive: "Archive",
  linkRestored: "Link restored.",
  linkArchived: "Link archived.",
  deleteThisLink: "Delete this link",
  youCanViewThisLinkToChange: "You can view this link. To change it, ask an admin for the editor role.",
  saving: "Saving…",
  changed: (changed: string) => `Changed: ${changed}`,
  tools: "Tools",
  versionUpdatedAt: (version: number, updatedAt: string) => `version ${version}, ${updatedAt}`,
  // link-history.tsx
  history: "History",
  publishedAgain: "Published again",
  versionNumber: (number: number) => `Version ${number}`,
  version: (version: number) => `Version ${version}`,
  authorNotRecorded: "Author not recorded",
  firstVersion: "First version",
  changes: "Changes",
  comparedWithNow: "Compared with now",
  someoneHasChangedLink: "Someone has changed the link since. Reload the page to see how it is now.",
  saveOrDiscardYourChanges: "Save or discard your changes before you restore a version.",
  restoreThisVersion: "Restore this version",
  versionRestored: (version: number) => `Version ${version} restored.`,
  now: "Now",
  // link-page.tsx
  itMayHaveBeenDeleted: "It may have been deleted, or its address is mistyped.",
  thisLinkDoesNotExistAny: "This link does not exist any more",
  seeWhatHappenedToIt: "See what happened to it",
  // link-sections.tsx
  rules: "Rules",
  split: "Split",
  schedule: "Schedule",
  limits: "Limits",
  fromTopToBottomFirstRule:
    "From top to bottom, the first rule that matches decides. Where none does, visitors get the destination above.",
  forVisitorsThatNoRuleSends:
    "For visitors that no rule sends elsewhere. A visitor always gets the same variant.",
  // new-link.tsx
  yourLinkIsLive: "Your link is live",
  duplicateSlug: (slug: string) => `Duplicate ${slug}`,
  filledByDefaultsOfFilled: (filled: string) => `Filled by defaults: ${filled}.`,
  openLinksPage: "Open the link’s page",
  createAnother: "Create another",
  howItLooks: "How it looks",
  withSlugYourOwnQrCode: "With a slug of your own, its QR code is shown here.",
  createLink: "Create link",
  // preview-section.tsx
  withoutOneTheyShow: "Without one, they show what the destination says about itself.",
  description: "Description",
  picture: "Picture",
  // redirect-section.tsx
  domainsDefault: "Domain's default",
  // rules-editor.tsx
  thatLinkHasNoRules: "That link has no rules.",
  copyFromAnotherLink: "Copy from another link…",
  copyRulesOf: "Copy the rules of",
  rule: "Rule",
  moveRule: (id: string) => `Move rule ${id}`,
  nameRule: (place: number) => `Name of rule ${place}`,
  on: "On",
  removeRule: (id: string) => `Remove rule ${id}`,
  thenWord: "Then",
  sendThemTo: "send them to",
  splitThem: "split them",
  blockThem: "block them",
  // schedule-section.tsx
  timesInPreferredZone: (preferredZone: string) => `Times in ${preferredZone}`,
  starts: "Starts",
  ends: "Ends",
  afterEndVisitorsGoTo: "After the end, visitors go to",
  pageThatSaysItHasEnded: "a page that says it has ended",
  changeDestinationAtTime: "Change the destination at a time, everywhere at once",
  newDestination: "New destination",
  // social-card.tsx
  socialCard: "Social card",
  thisPictureCantBeLoaded: "This picture can’t be loaded.",
  withoutPreviewNetworksShow: "Without a preview, networks show what the destination says.",
  // split-editor.tsx
  splitVisitors: "Split visitors",
  nameVariant: (index: number) => `Name of variant ${index}`,
  destinationVariant: (id: string) => `Destination of variant ${id}`,
  weightVariant: (id: string) => `Weight of variant ${id}`,
  removeVariant: (id: string) => `Remove variant ${id}`,
  variant: "Variant",
  // try-it.tsx
  deBe: "DE-BE",
  berlin: "Berlin",
  comesThrough: "Comes through",
  anAlias: (alias: string) => `/${alias}, an alias`,
  throughAlias: (alias: string) => `Through the alias /${alias}.`,
  unknown: "unknown",
  tryIt: "Try it",
  germany: "Germany",
  deDe: "de-DE",
  whatFollowsSlug: "What follows the slug",
  nowIfEmpty: "Now, if empty.",
  entersPassword: "Enters the password",
  testThisVisitor: "Test this visitor",
  thisAsksAboutLink: "This asks about the link as it is saved, without your changes.",
  switchOnEntersPassword: "Switch on “Enters the password” to see where it leads.",
  doesNotMatch: "does not match:",
  fieldIsButMustBeExpected: (field: string, actual: null | string, expected: string) =>
    `${field} is ${actual ?? "unknown"}, but must be ${expected}.`,
  switchedOffSoSkipped: (off: string) => `Switched off, so skipped: ${off}.`,
  variantVariantId: (variantId: string) => `, variant ${variantId}`,
  ruleMatches: (rule: string, variant: string) => `Rule ${rule} matches${variant}.`,
  noRuleMatchesDestination: (variant: string) => `No rule matches: the destination of the link${variant}.`,
  // utm-section.tsx
  addedToDestination: "Added to the destination. Analytics can be filtered by them.",
};
