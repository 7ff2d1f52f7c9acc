/**
 * The shapes of a link's rules, limits and queries in requests and answers. Types and sizes are checked here; what the values
 * mean is checked in smart-change.ts, by the compiler that belongs to the edge's evaluator.
 */
import { z } from "@hono/zod-openapi";
import { CAP_MODES } from "@hopline/core/link/link-extras";
import { WEEKDAY_NAMES } from "@hopline/core/rules/compile/rule-input";
import { plainText } from "../http/text-shape.ts";
import { ForwardQuery, MAX_UTM_LENGTH, OpenGraph } from "../link-defaults-shape.ts";
import { QrDesign } from "./qr-design.ts";

/** Far above what the compiler allows: its messages are better. */
const MAX_ITEMS = 1_000;
const MAX_URL_LENGTH = 16_384;
/** NIST SP 800-63B, 3.1.1.2. Shorter ones of existing links go on working. */
const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 256;
const MAX_CAP = 1_000_000_000;

const names = z.array(plainText(255)).max(MAX_ITEMS).optional();
const url = plainText(MAX_URL_LENGTH);
const instant = plainText(64).openapi({ format: "date-time", example: "2027-01-01T00:00:00Z" });

const Variant = z.strictObject({ id: plainText(64), url, weight: z.number() }).openapi("Variant");
const Variants = z.array(Variant).max(MAX_ITEMS);

const Conditions = z
  .strictObject({
    country: names,
    continent: names,
    region: names.openapi({ description: "ISO 3166-2: `US-CA`." }),
    city: names.openapi({
      description:
        "As Cloudflare names them, in any case, with or without accents; with `country` or `region` beside it. Not known of who sends `Sec-GPC` or `DNT`.",
    }),
    language: names,
    referrer: names,
    device: names,
    os: names,
    browser: names,
    visitor: z.enum(["bot", "human"]).optional(),
    query: z
      .array(
        z.strictObject({ name: plainText(255), values: z.array(plainText(1_024)).max(MAX_ITEMS).optional() }),
      )
      .max(MAX_ITEMS)
      .optional(),
    time: z
      .strictObject({
        zone: plainText(64).optional(),
        days: z.array(z.enum(WEEKDAY_NAMES)).max(7).optional(),
        start: plainText(8).optional(),
        end: plainText(8).optional(),
        from: instant.optional(),
        until: instant.optional(),
      })
      .optional()
      .openapi({
        description:
          "From `start` (inclusive) to `end` (exclusive), local time of the IANA `zone`. A `start` after the `end` makes the range wrap midnight; the hours after midnight belong to the weekday on which it started. When clocks go forward, the skipped hour does not match; when they go back, the repeated hour matches twice.",
      }),
  })
  .openapi("RuleConditions", { description: "All fields must match; of a list, any item." });

const Rule = z
  .strictObject({
    id: plainText(64),
    name: plainText(100).trim().min(1).optional().openapi({ description: "For people." }),
    enabled: z
      .boolean()
      .optional()
      .openapi({ description: "`false`: switched off. It stays with the link, and no visitor is asked." }),
    when: Conditions,
    to: z.union([
      z.strictObject({ url }),
      z.strictObject({ split: Variants }),
      z.strictObject({ block: z.literal(true) }),
    ]),
  })
  .openapi("Rule");

const rules = z.array(Rule).max(MAX_ITEMS);
const next = z.strictObject({ url, activateAt: instant }).openapi("NextDestination");
const utmText = plainText(MAX_UTM_LENGTH).optional();
const utm = z
  .strictObject({
    source: utmText,
    medium: utmText,
    campaign: utmText,
    term: utmText,
    content: utmText,
    id: utmText,
  })
  .openapi("Utm");
const capFields = {
  mode: z.enum(CAP_MODES).openapi({
    description:
      "`strict`: never more than `maxClicks` redirects. Each asks the database first, and none happens while the database is down. `fast`: no delay for visitors. Clicks are counted as they are stored, and the link ends when the count reaches `maxClicks`; the overshoot is at most the rate of visits times the delay of queue and change feed, usually some seconds.",
  }),
  maxClicks: z.number().int().min(1).max(MAX_CAP),
};

/** In a PATCH, which takes back what GET showed. */
export const changedCap = z.strictObject({
  ...capFields,
  used: z.number().int().optional().openapi({ readOnly: true }),
});

/** In a request: a field that is left out stays as it is, `null` removes it. */
export const smartFields = {
  rules: rules.nullable().optional(),
  split: Variants.nullable().optional(),
  next: next.nullable().optional(),
  startsAt: instant.nullable().optional(),
  expiresAt: instant.nullable().optional(),
  expiredUrl: url.nullable().optional(),
  password: plainText(MAX_PASSWORD_LENGTH)
    .min(MIN_PASSWORD_LENGTH, `is too short: use at least ${MIN_PASSWORD_LENGTH} characters`)
    .nullable()
    .optional(),
  cap: z.strictObject(capFields).nullable().optional(),
  forwardQuery: ForwardQuery.nullable().optional(),
  utm: utm.nullable().optional(),
  openGraph: OpenGraph.nullable().optional(),
  qr: QrDesign.nullable().optional(),
};

const SmartBody = z.object(smartFields);
export type SmartInput = z.infer<typeof SmartBody>;

/** In an answer. */
export const smartAnswerFields = {
  rules: z.array(Rule),
  split: Variants.nullable(),
  next: next.nullable(),
  startsAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime().nullable(),
  expiredUrl: z.string().nullable(),
  hasPassword: z.boolean(),
  cap: z.object({ ...capFields, used: z.number().int() }).nullable(),
  forwardQuery: ForwardQuery,
  utm: utm.nullable(),
  openGraph: OpenGraph.nullable(),
  qr: QrDesign.nullable(),
};

/** The fields that are stored as they were written: `links.smart`. */
const Written = z
  .object({
    rules,
    split: Variants,
    next,
    expiredUrl: url,
    forwardQuery: ForwardQuery,
    utm,
    openGraph: OpenGraph,
    qr: QrDesign,
  })
  .partial();
export type WrittenSmart = z.infer<typeof Written>;

/** What `links.smart` holds. It was validated when it was written; anything else is shown as empty. */
export function readWritten(value: unknown): WrittenSmart {
  const parsed = Written.safeParse(value);
  return parsed.success ? parsed.data : {};
}

/** The smart fields of a request body; `undefined` if it has none. */
export function readSmart(body: SmartInput): SmartInput | undefined {
  const named = Object.entries(body).filter(([name]) => name in smartFields);
  return named.length === 0 ? undefined : Object.fromEntries(named);
}
