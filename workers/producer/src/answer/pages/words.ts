/** All that a visitor can read, in one language. HTML of ours: what it needs is escaped in it. */
import type { PageCode } from "../page.ts";

type Complaint = "password_wrong" | "too_many_passwords";

export type Words = {
  /** BCP 47. */
  readonly lang: string;
  readonly pages: Readonly<Record<Exclude<PageCode, Complaint>, readonly [title: string, message: string]>>;
  readonly complaints: Readonly<Record<Complaint, string>>;
  readonly form: { readonly password: string; readonly open: string };
  readonly links: Readonly<Record<"home" | "imprint" | "privacy" | "report", string>>;
  /** Of the page that a social network gets. */
  readonly preview: { readonly shortLink: string; readonly leadsTo: string };
};
