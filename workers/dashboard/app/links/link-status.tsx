/** A link's status as a word with a dot: never as a colour alone. */
import type { LinkStatus } from "./links-search.ts";

export const STATUS_NAMES: { readonly [status in LinkStatus]: string } = {
  live: "Live",
  scheduled: "Scheduled",
  disabled: "Disabled",
  expired: "Expired",
  "used-up": "Used up",
  archived: "Archived",
};

const LOOKS: { readonly [status in LinkStatus]: string } = {
  live: "good",
  scheduled: "warn",
  disabled: "",
  expired: "bad",
  "used-up": "bad",
  archived: "",
};

export function StatusMark({ status }: { readonly status: LinkStatus }) {
  return <span className={`status ${LOOKS[status]}`}>{STATUS_NAMES[status]}</span>;
}
