/** What the pages of links say. */
export const NAMES_OF_FIELDS: { readonly [path: string]: string } = {
  expiresAt: "The end",
  addTags: "The tag",
  domain: "The domain",
};

/** Why a link can't come back, to the person who wants it. */
export const REFUSALS: { readonly [code: string]: string } = {
  not_found: "It is not in the trash any more.",
  no_domain: "Its domain is no longer in this workspace: create the link on another domain.",
  domain_pending: "Its domain is not verified: verify it first.",
  external_id_taken: "Another link has its external id: change that one first.",
  limit_reached: "The workspace has as many links as it may: delete another link first.",
};

export const STATUS_NAMES = {
  live: "Live",
  scheduled: "Scheduled",
  disabled: "Disabled",
  expired: "Expired",
  "used-up": "Used up",
  archived: "Archived",
} as const;
