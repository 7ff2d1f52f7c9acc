/**
 * One answered redirect, as the edge saw it. Raw facts only: nothing is parsed or looked up here, that is the
 * consumer's work. `address` is already truncated (/24, /48) when a click is made.
 */

/** `null` always means "not known", never "not asked". Texts are capped by the reader that makes the click. */
export type Click = {
  /** Epoch milliseconds at the edge: the time of the click, whenever it is stored. */
  readonly clickedAtMs: number;
  readonly linkId: string;
  readonly linkVersion: number;
  /** The former slug of the link that the visitor came through. Absent: the link's own. */
  readonly alias?: string | undefined;
  /** How the visitor came by the link: `source=qr` in the query, or not. */
  readonly source: ClickSource;
  readonly method: ClickMethod;
  /** Truncated network address: `203.0.113.0` or `2001:db8:1::`. */
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly referrer: string | null;
  readonly acceptLanguage: string | null;
  /** Sec-Purpose, or its older spellings: says prefetch. */
  readonly purpose: string | null;
  /** `Sec-GPC: 1` or `DNT: 1`: no visitor hash and no city may be kept. */
  readonly optedOut: boolean;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  /** ISO 3166-2 subdivision without the country: `CA` for California. */
  readonly region: string | null;
  readonly city: string | null;
  /** Two letters, as Cloudflare gives it: `EU`. */
  readonly continent: string | null;
  /** IATA code of the data centre that answered. */
  readonly colo: string | null;
  /** Cloudflare's bot score, 1 (bot) to 99 (human), where the zone has it. */
  readonly botScore: number | null;
} & ClickDetail;

/** What a smart link's redirect adds. */
export type ClickDetail = {
  /** The rule that matched and the variant of a split it drew. Absent: none. */
  readonly ruleId?: string | undefined;
  readonly variantId?: string | undefined;
  /** Where the visitor was sent. Absent: to the link's own destination. */
  readonly destination?: string | undefined;
  /** The UTM parameters the visit came to, the link's own or the visitor's. Absent: none. */
  readonly utmSource?: string | undefined;
  readonly utmMedium?: string | undefined;
  readonly utmCampaign?: string | undefined;
  readonly utmTerm?: string | undefined;
  readonly utmContent?: string | undefined;
};

export const CLICK_SOURCES = ["link", "qr"] as const;
export type ClickSource = (typeof CLICK_SOURCES)[number];

export const CLICK_METHODS = ["GET", "HEAD"] as const;
export type ClickMethod = (typeof CLICK_METHODS)[number];
