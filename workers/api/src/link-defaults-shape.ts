/**
 * The shape of what a workspace, a domain or a folder says of new links, and of the fields that links have in the same shape.
 * links/fill-defaults.ts applies it.
 */
import { z } from "@hono/zod-openapi";
import { checkDestinationUrl } from "@hopline/core/link/destination-url";
import { isReservedSlug, normaliseSlug } from "@hopline/core/link/link-address";
import { FORWARD_MODES } from "@hopline/core/link/query-forwarding";
import { faultOfFixedUrl } from "@hopline/core/link/placeholders";
import { orNull } from "./http/or-null.ts";
import { plainText } from "./http/text-shape.ts";
import { RedirectStatusBody } from "./redirect-status-shape.ts";

const MAX_TAG_LENGTH = 64;

export const Tag = plainText(MAX_TAG_LENGTH)
  .trim()
  .normalize("NFC")
  .min(1)
  // Browsers take them for steps in a path, whether encoded or not.
  .refine((tag) => tag !== "." && tag !== "..", "can't be part of an address: choose another tag")
  .openapi({ type: "string", minLength: 1, maxLength: MAX_TAG_LENGTH, example: "newsletter" });

export const ForwardQuery = z.enum(FORWARD_MODES);

const MAX_URL_LENGTH = 16_384;

export const OpenGraph = z
  .strictObject({
    title: plainText(300).min(1).optional(),
    description: plainText(1_000).min(1).optional(),
    image: plainText(MAX_URL_LENGTH).optional(),
  })
  .openapi("OpenGraph", { description: "Shown to social crawlers. People are redirected." });

export const MAX_UTM_LENGTH = 255;

/** In a UTM value, for what the new link has. */
export const UTM_PLACEHOLDERS = ["domain", "folder", "slug", "title", "date"] as const;
const PLACEHOLDER = new RegExp(`\\{(?:${UTM_PLACEHOLDERS.join("|")})\\}`, "g");
const USABLE = UTM_PLACEHOLDERS.map((name) => `{${name}}`).join(", ");

const MAX_ALLOWED = 50;

const UtmDefault = z
  .strictObject({
    value: plainText(MAX_UTM_LENGTH)
      .min(1)
      .optional()
      .openapi({
        description: `May contain ${USABLE} of the new link; \`{date}\` is the day (UTC). What the link lacks is empty, and an empty value fills nothing.`,
        example: "{folder}",
      }),
    allowed: z
      .array(plainText(MAX_UTM_LENGTH).min(1))
      .max(MAX_ALLOWED)
      .optional()
      .openapi({ description: "The values that a new link may have." }),
    isRequired: z.boolean().optional().openapi({ description: "A new link without a value is refused." }),
  })
  .superRefine(({ value = "", allowed = [] }, context) => {
    const rest = value.replaceAll(PLACEHOLDER, "");
    if (/[{}]/.test(rest)) {
      const message = `has an unknown placeholder: use ${USABLE}, and no other braces`;
      context.addIssue({ code: "custom", path: ["value"], message });
    } else if (value !== "" && rest === value && allowed.length > 0 && !allowed.includes(value)) {
      const message = "is not one of the allowed values: add it to them, or choose one of them";
      context.addIssue({ code: "custom", path: ["value"], message });
    }
  })
  .openapi("UtmDefault");
const utmDefault = orNull(UtmDefault).optional();

const SlugDefaults = z
  .strictObject({
    length: z.number().int().min(3).max(32).optional().openapi({
      description: "Of the random part, behind the prefix; 7 without a default.",
    }),
    alphabet: z
      .string()
      .regex(/^[\w-]{1,64}$/, "is not an alphabet: use letters, digits, - and _ of ASCII")
      .refine((text) => new Set(text).size === text.length, "names a character twice: name each once")
      .optional()
      .openapi({ example: "0123456789" }),
    prefix: z
      .string()
      .max(32)
      .refine(isPrefix, "can't begin a slug: use letters, digits, -, _, ., ~, + and / of ASCII")
      .optional()
      .openapi({ example: "promo-" }),
  })
  .openapi("SlugDefaults", { description: "For slugs that are generated." });

function isPrefix(prefix: string): boolean {
  const slug = `${prefix}x`;
  return /^[\w.~+/-]+$/.test(slug) && normaliseSlug(slug) === slug && !isReservedSlug(slug);
}

/** Which apps this deployment allows is checked when a link gets it. */
const ANYWHERE = { ownHosts: new Set<string>(), appSchemes: "any" } as const;

const MAX_DAYS = 3_650;
const MAX_DEFAULT_TAGS = 20;
/** As JSON: lists of folders have those of each. */
const MAX_LENGTH = 8_000;

/** What is stored may be longer: a tag in it was renamed. */
const StoredDefaults = z
  .strictObject({
    utm: z
      .strictObject({
        source: utmDefault,
        medium: utmDefault,
        campaign: utmDefault,
        term: utmDefault,
        content: utmDefault,
        id: utmDefault,
      })
      .optional(),
    expiresAfterDays: z.number().int().min(1).max(MAX_DAYS).nullable().optional().openapi({
      description: "After its creation, or after its `startsAt` if that is later.",
    }),
    tags: z.array(Tag).max(MAX_DEFAULT_TAGS).nullable().optional(),
    redirectStatus: RedirectStatusBody.nullable().optional().openapi({
      description: "A domain has none: its links follow its own `redirectStatus`.",
    }),
    forwardQuery: ForwardQuery.nullable().optional(),
    openGraph: orNull(OpenGraph).optional(),
    slug: SlugDefaults.optional(),
  })
  .superRefine((defaults, context) => {
    const { openGraph } = defaults;
    const image = openGraph?.image === undefined ? null : checkDestinationUrl(openGraph.image, ANYWHERE);
    const message = image?.ok === true ? faultOfFixedUrl(image.value) : image?.error.message;
    if (typeof message === "string") {
      context.addIssue({ code: "custom", path: ["openGraph", "image"], message });
    }
    if (openGraph && Object.keys(openGraph).length === 0) {
      const empty = "is empty: give a title, a description or an image";
      context.addIssue({ code: "custom", path: ["openGraph"], message: empty });
    }
  });

export const LinkDefaults = StoredDefaults.superRefine((defaults, context) => {
  if (JSON.stringify(defaults).length > MAX_LENGTH) {
    context.addIssue(`are longer than ${MAX_LENGTH} characters: use fewer or shorter values`);
  }
}).openapi("LinkDefaults", {
  description:
    "For fields that a new link leaves out, however it is created. Field by field (also within `utm` and `slug`), the folder's defaults take precedence over the domain's, and these over the workspace's. `null` (or an empty list of tags) means none, whatever the others say; a field that is left out is left to them. Existing links do not change.",
});
export type LinkDefaults = z.infer<typeof LinkDefaults>;

/** In what can be changed, and in answers. */
export const DefaultsField = orNull(LinkDefaults);

/** What a column holds: it was validated when it was written. */
export function readDefaults(stored: unknown): LinkDefaults | null {
  return (stored ?? null) === null ? null : (StoredDefaults.safeParse(stored).data ?? null);
}
