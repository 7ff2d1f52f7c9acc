/** Defaults of new links in words and as a form has them, and which of them a link that is being made would get. Pure. */
import type { CreateLink, Domain, Folder, Link, LinkDefaults, Workspace } from "@hopline/client/openapi";
import { levelOf, nearestOf } from "@hopline/core/link/link-defaults";
import { countOf } from "../format.ts";
import { changedFields, type Draft, type DraftField, NEW_DRAFT } from "./link-draft.ts";
import { UTM_FIELDS, FIELD_NAMES } from "./editor-words.ts";

/** `End (folder)` */
export function describeFilled({ field, from }: NonNullable<Link["filled"]>[number]): string {
  return `${nameOf(field)} (${from})`;
}

function nameOf(field: string): string {
  const part = UTM_FIELDS.find(({ name }) => field === `utm.${name}`);
  const known = Object.entries(FIELD_NAMES).find(([name]) => name === field)?.[1];
  return known ?? `UTM ${part?.label.toLowerCase() ?? field.replace("utm.", "")}`;
}

export type Place = {
  readonly workspace: Pick<Workspace, "defaults">;
  readonly domain: Pick<Domain, "defaults" | "redirectStatus"> | undefined;
  readonly folder: Pick<Folder, "defaults"> | undefined;
};

/** `isFixed`: it can't be left out. */
export type Offer = { readonly field: string; readonly text: string; readonly isFixed: boolean };

/** What the API will fill, or ask for: the fields that have a default, and of which the draft says nothing. */
export function offersFor(draft: Draft, { workspace, domain, folder }: Place): readonly Offer[] {
  const own = domain?.redirectStatus ?? null;
  const ofDomain = domain?.defaults ?? null;
  const levels = {
    workspace: workspace.defaults,
    domain: own === null ? ofDomain : { ...ofDomain, redirectStatus: null },
    folder: folder?.defaults ?? null,
  };
  const { utm, expiresAfterDays, tags, redirectStatus, forwardQuery, openGraph, slug } = nearestOf(levels);
  const ofFields: { readonly [Field in DraftField]?: string | number | null | undefined } = {
    expiresAt: expiresAfterDays && `after ${countOf(expiresAfterDays, "day")}`,
    tags: tags?.join(", "),
    redirectStatus,
    forwardQuery,
    openGraph: openGraph && (openGraph.title ?? "set"),
    slug: describeSlug(slug),
  };
  const said = changedFields(NEW_DRAFT, draft);
  const texts = [
    ...Object.entries(ofFields)
      .filter(([field]) => said.every((one) => one !== field))
      .map(([field, text]) => [field, text, field === "slug"] as const),
    ...UTM_FIELDS.filter(({ name }) => !draft.utm?.[name]).map(
      ({ name }) => [`utm.${name}`, describeUtm(utm?.[name]), utm?.[name]?.isRequired === true] as const,
    ),
  ];
  return texts.flatMap(([field, text, isFixed]) => {
    const from = levelOf(levels, field === "expiresAt" ? "expiresAfterDays" : field);
    return text && from !== undefined
      ? { field, text: `${nameOf(field)}: ${text} (${from} default)`, isFixed }
      : [];
  });
}

function describeSlug({ prefix = "", length, alphabet }: NonNullable<LinkDefaults["slug"]> = {}): string {
  const random = length === undefined ? "" : ` ${length} random characters`;
  const from = alphabet === undefined ? "" : ` of ${alphabet}`;
  return `${prefix === "" ? "" : `${prefix}…`}${random}${from}`.trim();
}

type UtmDefault = NonNullable<LinkDefaults["utm"]>["source"];

function describeUtm(utm: UtmDefault): string {
  const { value = "", isRequired = false, allowed = [] } = utm ?? {};
  return value === "" && isRequired ? ["needed", ...allowed].join(", ") : value;
}

/** A new link without some of those. */
export function leaveOut(body: CreateLink, fields: readonly string[]): CreateLink {
  return fields.reduce<CreateLink>((rest, field) => {
    const [name = "", part] = field.split(".");
    const none = part === undefined ? (name === "tags" ? [] : null) : { [part]: "", ...rest.utm };
    return name in rest && part === undefined ? rest : { ...rest, [name]: none };
  }, body);
}

/** As it is sent: what is empty is left out. */
export function toDefaults(typed: LinkDefaults): LinkDefaults | null {
  return (prune(typed) ?? null) as LinkDefaults | null;
}

function prune(value: unknown): unknown {
  if (Array.isArray(value)) {
    const texts = value.map((text) => String(text).trim()).filter((text) => text !== "");
    return texts.length === 0 ? undefined : texts;
  }
  if (typeof value !== "object" || value === null) {
    return value === "" || value === false ? undefined : value;
  }
  const kept = Object.entries(value).flatMap(([name, one]) => {
    const pruned = prune(one);
    return pruned === undefined ? [] : [[name, pruned]];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
