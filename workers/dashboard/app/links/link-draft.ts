/** What is being edited of a link, and how it differs from what is stored. Pure. */
import type { CreateLink, Link, UpdateLink } from "@hopline/client/openapi";
import { pick } from "../pick.ts";
import { FIELD_NAMES } from "./editor-words.ts";

/** What is edited as the link has it. */
const SAME = [
  "url",
  "slug",
  "title",
  "tags",
  "forwardQuery",
  "startsAt",
  "expiresAt",
  "expiredUrl",
  "next",
  "rules",
  "split",
  "utm",
  "openGraph",
  "qr",
] as const satisfies readonly (keyof Link)[];

/** The fields that can be edited. `password`: `undefined` leaves it as it is, `null` removes it. */
export type Draft = Pick<Link, (typeof SAME)[number]> & {
  readonly status: "live" | "disabled" | "archived";
  /** Its id; `null`: in none. */
  readonly folder: string | null;
  /** `null`: as the domain says. */
  readonly redirectStatus: Link["redirectStatus"] | null;
  readonly cap: { readonly mode: "strict" | "fast"; readonly maxClicks: number } | null;
  readonly password: string | null | undefined;
};

export type DraftField = keyof Draft;

export function toDraft(link: Link): Draft {
  const { folderId: folder, status, redirectStatus, cap } = link;
  return {
    ...pick(link, SAME),
    folder,
    status: status === "disabled" || status === "archived" ? status : "live",
    redirectStatus: link.hasOwnRedirectStatus ? redirectStatus : null,
    cap: cap && pick(cap, ["mode", "maxClicks"]),
    password: undefined,
  };
}

/** Of a link that is not there yet: what it has unless its form says otherwise. */
export const NEW_DRAFT: Draft = {
  url: "",
  slug: "",
  title: null,
  tags: [],
  folder: null,
  forwardQuery: "none",
  startsAt: null,
  expiresAt: null,
  expiredUrl: null,
  next: null,
  rules: [],
  split: null,
  utm: null,
  openGraph: null,
  qr: null,
  status: "live",
  redirectStatus: null,
  cap: null,
  password: undefined,
};

/** Only what was chosen: the API knows the rest. */
export function toCreate(draft: Draft): CreateLink {
  const { status: _status, ...chosen } = toUpdate(NEW_DRAFT, draft);
  return { ...(chosen as Partial<CreateLink>), url: draft.url };
}

export function changedFields(before: Draft, after: Draft): readonly DraftField[] {
  return (Object.keys(FIELD_NAMES) as DraftField[]).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
}

/** Only what differs: what another member changes meanwhile stays. */
export function toUpdate(before: Draft, after: Draft): UpdateLink {
  const entries = changedFields(before, after).map((field) => [field, withoutEmpty(after[field])]);
  return Object.fromEntries(entries) as UpdateLink;
}

/** What puts the fields back that an update has changed; `null` where that can't be done. */
export function toUndo(before: Draft, after: Draft): UpdateLink | null {
  return changedFields(before, after).includes("password") ? null : toUpdate(after, before);
}

/** Of UTM and preview: no field is `null`, and fields that are empty are not there. */
function withoutEmpty(value: Draft[DraftField]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return value === "" ? null : value;
  }
  const filled = Object.entries(value).filter(([, one]) => one !== "");
  return filled.length === 0 ? null : Object.fromEntries(filled);
}
