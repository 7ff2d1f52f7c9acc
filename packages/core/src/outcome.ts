/**
 * What a visitor gets for a link that was found. Pure: the same record at the same instant has the same outcome in
 * every data centre and in the API's own explanations.
 */
import type { LinkRecord, RedirectStatus } from "./link-record.ts";

export type Outcome =
  | { readonly kind: "redirect"; readonly url: string; readonly status: RedirectStatus }
  | { readonly kind: "gone"; readonly why: "disabled" }
  | { readonly kind: "unknown" };

/** Decides what a found link answers. A tombstone is as unknown as a slug that never was. */
export function decideOutcome(record: LinkRecord): Outcome {
  switch (record.state) {
    case "live":
      return { kind: "redirect", url: record.url, status: record.redirectStatus };
    case "disabled":
      return { kind: "gone", why: "disabled" };
    case "deleted":
      return { kind: "unknown" };
  }
}
