/** A link's status as a word with a dot: never as a colour alone. */
import type { LinkStatus } from "./links-search.ts";
import { STATUS_NAMES } from "./words.ts";

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
