/**
 * Reads a row of an export. CSV columns and JSON fields are treated alike: names are matched without case, spaces and
 * punctuation, and each product has its own list of names, the best one first. Sources (looked up 2026-11; test/imports/fixtures
 * has a file of each shape):
 *
 * - Bitly: the answer of `GET /v4/groups/{guid}/bitlinks` as Shlink's importer and Fivetran's schema read it; of the
 *   dashboard's CSV, the columns Link, Custom Link and Destination URL that URLR's migration guide names.
 * - Dub: `GET /links`, and the CSV of apps/web/app/api/links/export/route.ts (dubinc/dub).
 * - Shlink: `GET /rest/v3/short-urls` as src/Sources/Shlink/ShlinkMapper.php (shlinkio/shlink-importer) reads it, and the CSV
 *   of shlink-web-client (`ExportableShortUrl`).
 * - Kutt: `GET /api/v2/links`, server/utils `sanitize.link` (thedevs-network/kutt). It has no export of its own.
 * - YOURLS: the API's `stats`, `yourls_get_stats` in includes/functions.php (YOURLS/YOURLS), and its table of URLs.
 * - Doubly: `GET /api/links`, wrapped by superjson, lib/zod/links.ts (mhwice/doubly), and its table of links.
 *
 * Expiry and limits are in import-foreign-limits.ts. Rules of other products are not imported; where a row has them, it is refused.
 */
import type { AppSchemes } from "../api-deps.ts";
import { type FieldError, toItemErrors } from "../http/problem.ts";
import { isPlainText } from "../http/text-shape.ts";
import { checkDestination } from "../destination.ts";
import { CreateLinkBody, NOT_REUSED } from "../links/link-shape.ts";
import type { WantedLink } from "../links/plan-links.ts";
import { findDubTargets, FOREIGN_LIMITS, NO_LIMITS } from "./import-foreign-limits.ts";
import { type OwnFields, readOwnFields } from "./import-own-fields.ts";
import { parseInstant } from "./import-time.ts";
import { fromTagCell } from "./tag-cell.ts";

export const IMPORT_FORMATS = ["hopline", "bitly", "dub", "shlink", "kutt", "yourls", "doubly"] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

type Names = {
  readonly url: readonly string[];
  readonly slug: readonly string[];
  /** Complete short URLs: the slug is read from their path if no field has it. */
  readonly shortUrl: readonly string[];
  readonly title: readonly string[];
  readonly createdAt: readonly string[];
};

const NAMES: { readonly [Format in ImportFormat]: Names } = {
  hopline: {
    url: ["url"],
    slug: ["slug"],
    shortUrl: ["shorturl"],
    title: ["title"],
    createdAt: ["createdat"],
  },
  bitly: {
    url: ["longurl", "destinationurl"],
    slug: [],
    // Custom back-halves first: those are the printed ones.
    shortUrl: ["custombitlinks", "customlink", "link", "id"],
    title: ["title"],
    createdAt: ["createdat"],
  },
  dub: {
    url: ["url"],
    slug: ["key"],
    shortUrl: ["shortlink", "link"],
    title: ["title"],
    createdAt: ["createdat"],
  },
  shlink: {
    url: ["longurl"],
    slug: ["shortcode"],
    shortUrl: ["shorturl"],
    title: ["title"],
    createdAt: ["datecreated", "createdat"],
  },
  kutt: {
    url: ["target"],
    slug: ["address"],
    shortUrl: ["link"],
    title: ["description"],
    createdAt: ["createdat"],
  },
  yourls: {
    url: ["url"],
    slug: ["keyword"],
    shortUrl: ["shorturl"],
    title: ["title"],
    createdAt: ["timestamp"],
  },
  doubly: {
    url: ["originalurl"],
    slug: ["code"],
    shortUrl: ["shorturl"],
    title: [],
    createdAt: ["createdat"],
  },
};

/** Often installed in a folder of a site; its keywords contain no slash. */
const IN_A_FOLDER: readonly ImportFormat[] = ["yourls"];

/** Longer titles are cut: they are no reason to lose a link. */
const MAX_TITLE_LENGTH = 500;
const MAX_TAGS = 50;
const MAX_TAG_LENGTH = 64;

export type ImportRow = { readonly [name: string]: unknown };
export type ValidRow = {
  /** Its folder may be one of another workspace, or none. */
  readonly link: WantedLink;
  /** It had a password, which the file does not contain: it is imported disabled, or it would be open to everyone. */
  readonly hadPassword: boolean;
  /** The file says its state, so that a link that it replaces takes it too. */
  readonly isStateGiven: boolean;
};
export type ReadRow =
  | ({ readonly isValid: true } & ValidRow)
  | { readonly isValid: false; readonly slug: string | null; readonly errors: readonly FieldError[] };

export type RowSettings = {
  readonly format: ImportFormat;
  /** The domain for the links; absent: the row's own domain in our format, else the workspace's oldest. */
  readonly domain: string | undefined;
  /** A row that asks for no link of its own gives the one that is the same, if there is one. */
  readonly reuse: boolean;
  readonly appSchemes: AppSchemes;
};

/** Total: any row gives a link or a list of errors. */
export function readImportRow(row: ImportRow, settings: RowSettings): ReadRow {
  const { format, domain, appSchemes } = settings;
  const fields = new Map(Object.entries(row).map(([name, value]) => [toPlainName(name), value]));
  const names = NAMES[format];
  const slug = firstText(fields, names.slug) ?? toSlug(firstText(fields, names.shortUrl), format);
  const ownDomain = format === "hopline" ? firstText(fields, ["domain"]) : null;
  const externalId = format === "hopline" ? firstText(fields, ["externalid"]) : null;
  const named = format === "hopline" ? firstText(fields, ["folderid"]) : null;
  const folder = named !== null && isPlainText(named) ? named : null;
  const { smart, state, usedClicks, ...status } = readLimits(fields, format);
  const host = domain ?? ownDomain ?? undefined;
  const tags = readTags(fields.get("tags") ?? fields.get("tag"));
  const parsed = CreateLinkBody.safeParse({
    ...smart,
    ...status,
    url: firstText(fields, names.url) ?? "",
    ...(slug === null ? {} : { slug }),
    ...(host === undefined ? {} : { domain: host }),
    title: cut(firstText(fields, names.title), MAX_TITLE_LENGTH),
    // Defaults fill what the file leaves empty.
    ...(tags.length === 0 ? {} : { tags }),
    externalId,
  });
  if (!parsed.success) {
    return { isValid: false, slug, errors: toItemErrors(parsed.error) };
  }
  const targets = format === "dub" ? findDubTargets(fields) : [];
  if (targets.length > 0) {
    return { isValid: false, slug, errors: targets };
  }
  const { url, ...rest } = parsed.data;
  const checked = checkDestination(url, appSchemes);
  if (!checked.isAllowed) {
    return { isValid: false, slug, errors: [{ path: "url", message: checked.message }] };
  }
  const createdAt = readInstant(firstText(fields, names.createdAt));
  const hadPassword = isLocked(fields.get("haspassword")) || isLocked(fields.get("password"));
  const kept = hadPassword && state === "live" ? "disabled" : state;
  const reuse =
    settings.reuse && kept === "live" && NOT_REUSED.every((name) => (rest[name] ?? null) === null);
  return {
    isValid: true,
    hadPassword,
    isStateGiven: kept !== "live" || firstText(fields, ["status"]) === "live",
    link: { ...rest, url: checked.url, folder, state: kept, createdAt, usedClicks, reuse },
  };
}

function readLimits(fields: ReadonlyMap<string, unknown>, format: ImportFormat): OwnFields {
  switch (format) {
    case "hopline":
      return readOwnFields(fields);
    case "dub":
    case "kutt":
    case "shlink":
      return FOREIGN_LIMITS[format](fields);
    case "bitly":
    case "yourls":
    case "doubly":
      return NO_LIMITS;
  }
}

/** Products export `true`, the password itself, or a hash of it. */
function isLocked(value: unknown): boolean {
  return typeof value === "string" ? !/^(|false|0|no|null)$/i.test(value.trim()) : Boolean(value);
}

function toPlainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

function firstText(fields: ReadonlyMap<string, unknown>, names: readonly string[]): string | null {
  for (const name of names) {
    const found = fields.get(name);
    const value: unknown = Array.isArray(found) ? found[0] : found;
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text === "string" && text.trim() !== "") {
      return text.trim();
    }
  }
  return null;
}

/** `https://bit.ly/abc` and `bit.ly/abc` both give `abc`. */
function toSlug(shortUrl: string | null, format: ImportFormat): string | null {
  const whole = shortUrl === null ? null : /^(?:https?:\/\/)?[^/]+\/([^?#]+)/i.exec(shortUrl)?.[1];
  const path = IN_A_FOLDER.includes(format) ? whole?.split("/").at(-1) : whole;
  if (path === null || path === undefined) {
    return null;
  }
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function readTags(value: unknown): readonly string[] {
  const parts: readonly unknown[] = typeof value === "string" ? fromTagCell(value) : asArray(value);
  const names = parts.map((part) => {
    const name: unknown = typeof part === "object" && part !== null && "name" in part ? part.name : part;
    return typeof name === "string" ? name.trim().slice(0, MAX_TAG_LENGTH) : "";
  });
  return names.filter((name) => name !== "").slice(0, MAX_TAGS);
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function cut(text: string | null, maxLength: number): string | null {
  return text === null ? null : text.slice(0, maxLength).toWellFormed();
}

/** `null` for text that is not a time, and for times in the future. */
function readInstant(text: string | null): string | null {
  const date = text === null ? null : parseInstant(text);
  const isUsable = date !== null && date.getTime() > 0 && date.getTime() <= Date.now();
  return isUsable ? date.toISOString() : null;
}
