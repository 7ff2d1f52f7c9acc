/**
 * What the defaults of its folder, domain and workspace make of a new link: they fill what it does not say, and judge its UTM
 * values. What is filled is the link's own from then on, so a redirect knows nothing of it. Pure.
 */
import { type Filled, levelOf, type Levels, nearestOf } from "@hopline/core/link/link-defaults";
import { UTM_NAMES } from "@hopline/core/link/destination";
import { parseInstant } from "@hopline/core/rules/compile/instant";
import type { FieldError } from "../http/problem.ts";
import { toInstant } from "../instant.ts";
import { type LinkDefaults, MAX_UTM_LENGTH, UTM_PLACEHOLDERS } from "../link-defaults-shape.ts";
import type { CreateLink } from "./link-shape.ts";

type Fillable = Omit<CreateLink, "domain" | "folder">;

export type NewPlace = {
  readonly levels: Levels<LinkDefaults>;
  /** For placeholders. */
  readonly domain: string;
  readonly folder: string | null;
  readonly slug: string;
  readonly nowMs: number;
};

const DAY_MS = 86_400_000;

/** `errors`: UTM values that it must have, or may not. */
export function fillDefaults<Link extends Fillable>(link: Link, place: NewPlace) {
  const { expiresAfterDays, tags, redirectStatus, forwardQuery, openGraph } = nearestOf(place.levels);
  const startsAtMs = parseInstant(link.startsAt ?? "") ?? place.nowMs;
  const endsAtMs = Math.max(place.nowMs, startsAtMs) + (expiresAfterDays ?? 0) * DAY_MS;
  const offered = [
    { field: "expiresAt", path: "expiresAfterDays", value: expiresAfterDays && toInstant(endsAtMs) },
    { field: "tags", path: "tags", value: tags?.length === 0 ? null : tags },
    { field: "redirectStatus", path: "redirectStatus", value: redirectStatus },
    { field: "forwardQuery", path: "forwardQuery", value: forwardQuery },
    { field: "openGraph", path: "openGraph", value: openGraph },
  ] as const;
  const given = new Set(Object.entries(link).flatMap(([name, value]) => (value === undefined ? [] : [name])));
  const taken = offered.filter(({ field, value }) => value && !given.has(field));
  const utm = fillUtm(link, place);
  const paths = [
    ...taken,
    ...utm.filled.map((name) => ({ field: `utm.${name}`, path: `utm.${name}` })),
    ...(link.slug === undefined ? [{ field: "slug", path: "slug" }] : []),
  ];
  return {
    link: {
      ...link,
      ...Object.fromEntries(taken.map(({ field, value }) => [field, value])),
      ...(utm.filled.length === 0 ? {} : { utm: utm.values }),
    },
    filled: paths.flatMap(({ field, path }): Filled | readonly [] => {
      const from = levelOf(place.levels, path);
      return from === undefined ? [] : { field, from };
    }),
    errors: utm.errors,
  };
}

function fillUtm({ utm, ...link }: Fillable, place: NewPlace) {
  const rules = nearestOf(place.levels).utm ?? {};
  if (Object.keys(rules).length === 0) {
    return { values: {}, filled: [], errors: [] };
  }
  const query = URL.parse(link.url)?.searchParams;
  const values = { ...utm };
  const filled: string[] = [];
  const errors: FieldError[] = [];
  for (const name of UTM_NAMES) {
    const rule = rules[name];
    const own = utm?.[name] ?? query?.get(`utm_${name}`) ?? undefined;
    const offered = own === undefined && utm !== null ? fillText(rule?.value ?? "", link, place) : "";
    if (offered !== "") {
      values[name] = offered;
      filled.push(name);
    }
    const fault = faultOf(own ?? offered, rule);
    if (fault !== null) {
      errors.push({ path: `utm.${name}`, message: fault });
    }
  }
  return { values, filled, errors };
}

type UtmRule = NonNullable<LinkDefaults["utm"]>["source"];

function faultOf(value: string, rule: UtmRule): string | null {
  const { allowed = [], isRequired = false } = rule ?? {};
  const choices = allowed.length === 0 ? "" : `: use ${allowed.join(", ")}`;
  if (value === "") {
    return isRequired ? `is required for new links here${choices || ": add it"}` : null;
  }
  return allowed.length === 0 || allowed.includes(value)
    ? null
    : `is not allowed for new links here${choices}`;
}

const PLACEHOLDER = new RegExp(`\\{(${UTM_PLACEHOLDERS.join("|")})\\}`, "g");

/** In one pass: what a title says in braces stays as it is. */
function fillText(
  template: string,
  { title }: Pick<Fillable, "title">,
  { domain, folder, slug, nowMs }: NewPlace,
): string {
  const words = { domain, folder, slug, title, date: toInstant(nowMs).slice(0, 10) };
  const text = template.replaceAll(
    PLACEHOLDER,
    (_, name: (typeof UTM_PLACEHOLDERS)[number]) => words[name] ?? "",
  );
  return text.trim().slice(0, MAX_UTM_LENGTH).toWellFormed();
}
