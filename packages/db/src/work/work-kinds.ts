/** What is done later, and by which Worker. */
export const WORK_KINDS = [
  /** The API: a committed change that is not in KV and the feed yet. */
  "publish",
  /** The API: an imported link that is not in KV yet. */
  "publish-import",
  /** The API: links whose cap is used up, to be published as ended. */
  "end-used-up",
  /** The API: links of a domain that was deleted. */
  "remove-domain",
  /** The API: rows of a workspace that was deleted. */
  "remove-workspace",
  /** The consumer: clicks that no queue accepted. */
  "spill",
  /** The consumer: clicks past their retention. */
  "retention",
  /** The consumer: days to pre-aggregate. */
  "summary",
  /** The consumer, once after an upgrade: the totals of all links. */
  "link-totals",
  /** The consumer: clicks to copy to ClickHouse, where there is one. */
  "clickhouse",
] as const;

export type WorkKind = (typeof WORK_KINDS)[number];
