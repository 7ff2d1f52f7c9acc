/** What the form of a link says, and what belongs to it. */
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
