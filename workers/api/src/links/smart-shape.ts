/**
 * Rules, limits and queries of a link as the API takes and shows them. Types and sizes are settled here; what the values
 * mean is checked in smart-change.ts, by the compiler that the edge's own evaluator comes with.
 */
import { z } from "@hono/zod-openapi";
import { FORWARD_MODES } from "@hopline/core/link/query-forwarding";
import { CAP_MODES } from "@hopline/core/link/link-extras";
import { WEEKDAY_NAMES } from "@hopline/core/rules/compile/rule-input";
import { plainText } from "../http/text-shape.ts";

/** Far above what the compiler allows: it says better what is wrong. */
const MAX_ITEMS = 1_000;
const MAX_URL_LENGTH = 16_384;
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
    region: names,
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
          "`start` (included) to `end` (excluded) on the clocks of the IANA `zone`. With a `start` after its `end` the range wraps midnight, and its hours after midnight belong to the weekday on which it started. Where clocks go forward the skipped hour is not there; where they go back the hour that comes twice counts twice.",
      }),
  })
  .openapi("RuleConditions", { description: "All fields must be met; of a list, any one item." });

const Rule = z
  .strictObject({
    id: plainText(64),
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
const forwardQuery = z.enum(FORWARD_MODES);
const utmText = plainText(255).optional();
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
const openGraph = z
  .strictObject({
    title: plainText(300).min(1).optional(),
    description: plainText(1_000).min(1).optional(),
    image: url.optional(),
  })
  .openapi("OpenGraph", { description: "Shown to social crawlers; people are redirected." });
const capFields = {
  mode: z.enum(CAP_MODES).openapi({
    description:
      "strict: never more than maxClicks redirects; each asks the database first, and none is given while it can't. fast: costs a visitor nothing; clicks are counted as they are stored, and the link ends when the count reaches maxClicks. What passes meanwhile is at most the rate of visits times the delay of the queue and of the change feed: some seconds, as a rule.",
  }),
  maxClicks: z.number().int().min(1).max(MAX_CAP),
};

/** Of a request: a field that is left out stays as it is, `null` takes it away. */
export const smartFields = {
  rules: rules.nullable().optional(),
  split: Variants.nullable().optional(),
  next: next.nullable().optional(),
  startsAt: instant.nullable().optional(),
  expiresAt: instant.nullable().optional(),
  expiredUrl: url.nullable().optional(),
  password: plainText(MAX_PASSWORD_LENGTH).min(1).nullable().optional(),
  cap: z.strictObject(capFields).nullable().optional(),
  forwardQuery: forwardQuery.nullable().optional(),
  utm: utm.nullable().optional(),
  openGraph: openGraph.nullable().optional(),
};

const SmartBody = z.object(smartFields);
export type SmartInput = z.infer<typeof SmartBody>;

/** Of an answer. */
export const smartAnswerFields = {
  rules: z.array(Rule),
  split: Variants.nullable(),
  next: next.nullable(),
  startsAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime().nullable(),
  expiredUrl: z.string().nullable(),
  hasPassword: z.boolean(),
  cap: z.object({ ...capFields, used: z.number().int() }).nullable(),
  forwardQuery,
  utm: utm.nullable(),
  openGraph: openGraph.nullable(),
};

/** The fields that are kept as they were written: `links.smart`. */
const Written = z
  .object({
    rules,
    split: Variants,
    next,
    expiredUrl: url,
    forwardQuery,
    utm,
    openGraph,
  })
  .partial();
export type WrittenSmart = z.infer<typeof Written>;

/** What `links.smart` holds. It was validated when it was written; one that is not ours shows as nothing. */
export function readWritten(value: unknown): WrittenSmart {
  const parsed = Written.safeParse(value);
  return parsed.success ? parsed.data : {};
}

const SMART_NAMES: readonly string[] = Object.keys(smartFields);

/** The smart fields of a request body; `undefined` where it names none. */
export function readSmart(body: SmartInput): SmartInput | undefined {
  const { rules: r, split, next: n, startsAt, expiresAt, expiredUrl, password } = body;
  const { cap, forwardQuery: f, utm: u, openGraph: o } = body;
  const timed = { rules: r, split, next: n, startsAt, expiresAt, expiredUrl, password };
  return SMART_NAMES.some((name) => name in body)
    ? { ...timed, cap, forwardQuery: f, utm: u, openGraph: o }
    : undefined;
}
