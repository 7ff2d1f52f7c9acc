/** What is done later, and by which Worker. */
export const WORK_KINDS = [
  /** The API: a committed change that is not in KV and the feed yet. */
  "publish",
  /** The API: an imported link that is not in KV yet. */
  "publish-import",
  /** The API: links whose cap is used up, to be published as ended. */
  "end-used-up",
  /** The API: a host whose TXT record is looked up again. */
  "domain-check",
  /** The API: a domain whose links lose their addresses with its proof, or get them back. */
  "domain-addresses",
  /** The API: a host that gets or loses its custom hostname at Cloudflare. */
  "custom-hostname",
  /** The API: links of a domain that was deleted. */
  "remove-domain",
  /** The API: rows of a workspace that was deleted. */
  "remove-workspace",
  /** The API: links of a tag that was renamed, merged or deleted, by workspace. */
  "replace-tag",
  /** The API: an email with a link to sign in, by email address. */
  "sign-in-email",
  /** The API: an email to a person who is invited to a workspace. */
  "invitation-email",
  /** The API: an email with a link to the new address of an account. */
  "email-change-email",
  /** The API: an email to the former address, by address. */
  "email-changed-email",
  /** The API: an email about a new way into an account, a new admin or owner, or keys that ended with who made them. */
  "notice-email",
  /** The API: entries of the audit log that are too old. */
  "audit-retention",
  /** The API: links that have been in the trash for too long. */
  "empty-trash",
  /** The API: sessions and one-time tokens that have expired. */
  "remove-expired",
  /** The API: a webhook's endpoint, to which messages have to be sent. */
  "webhook",
  /** The API: an email to an owner of a workspace whose webhook was switched off. */
  "webhook-email",
  /** The consumer: clicks that were deleted with their link, domain or workspace. */
  "remove-clicks",
  /** The consumer: clicks that no queue accepted. */
  "spill",
  /** The consumer: clicks past their retention. */
  "retention",
  /** The consumer: days to pre-aggregate. */
  "summary",
  /** The consumer: workspaces whose links got or lost tags, to pre-aggregate their tags again. */
  "tags",
  /** The consumer: settled segments of the ledger, to become one row for each isolate. */
  "ledger",
  /** The consumer: the totals of all links, if a person asks for it because `pnpm reconcile` found them wrong. */
  "link-totals",
] as const;

export type WorkKind = (typeof WORK_KINDS)[number];
