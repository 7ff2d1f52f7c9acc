/**
 * What kind of click this was, and what casts doubt on it. Every click is classified, none is dropped.
 *
 * The class is the first that applies, in the order of CLICK_CLASSES. Reasons are stored beside the class: a human
 * click may have one (hosting_asn), a bot click always does. Any change of an outcome raises CLASSIFIER_VERSION.
 */
import type { Click } from "@hopline/core/click/click";
import { isbot } from "isbot";
import { HOSTING_ASNS } from "./hosting-asns.ts";
import { PREVIEW_MARK } from "@hopline/core/click/preview-mark";
import { EXTRA_PROGRAM_MARK, HEADLESS_MARK, MONITOR_MARK } from "./program-marks.ts";
import { isBrowserShaped, readableUserAgent } from "./user-agent-text.ts";

/** Stored with each click, so that numbers of two versions can be told apart. */
export const CLASSIFIER_VERSION = 1;

/**
 * In order of precedence. How a request was made is certain, so it comes before what the user agent claims. Among the
 * claims the narrower come first: previews, monitors, then the broad "bot".
 */
export const CLICK_CLASSES = ["head", "prefetch", "preview", "monitor", "bot", "human"] as const;
export type ClickClass = (typeof CLICK_CLASSES)[number];

export const QUALITY_REASONS = [
  /** The network belongs to a hosting company: a program, or a visitor with a VPN. Does not change the class. */
  "hosting_asn",
  /** The browser says that a program drives it. Makes the click a bot's. */
  "headless",
  /** Cloudflare's score says automated. Makes the click a bot's. */
  "bot_score",
  /** No user agent: every browser sends one. Makes the click a bot's. */
  "missing_user_agent",
  /** A user agent that is not shaped like a browser's. Makes the click a bot's. */
  "odd_user_agent",
  /** The user agent names a crawler, a library or a tool. Makes the click a bot's. */
  "declared_program",
] as const;
export type QualityReason = (typeof QUALITY_REASONS)[number];

/** The facts that decide. `botScore` is Cloudflare's: 1 (certainly automated) to 99 (certainly not); 0 or `null` if unknown. */
export type ClassifiableClick = Pick<Click, "method" | "userAgent" | "purpose" | "asn" | "botScore">;

export type Classification = { readonly class: ClickClass; readonly reasons: readonly QualityReason[] };

// "Likely automated": https://developers.cloudflare.com/bots/concepts/bot-score/
const MAX_AUTOMATED_BOT_SCORE = 29;
const MAX_PURPOSE_CHARS = 128;
// "preview" is what Safari and Facebook used to send for a page that is loaded before anyone asks for it.
const AHEAD_OF_TIME = /\b(?:prefetch|prerender|preview)\b/i;

/** The class of a click and its reasons. Pure, and total for any text. */
export function classifyClick(click: ClassifiableClick): Classification {
  const text = readableUserAgent(click.userAgent);
  const doubts = doubtsAbout(text, click.botScore);
  const fromHosting = click.asn !== null && HOSTING_ASNS.has(click.asn);
  return { class: classOf(click, text, doubts), reasons: fromHosting ? ["hosting_asn", ...doubts] : doubts };
}

function classOf(click: ClassifiableClick, text: string, doubts: readonly QualityReason[]): ClickClass {
  if (click.method === "HEAD") {
    return "head";
  }
  if (click.purpose !== null && AHEAD_OF_TIME.test(click.purpose.slice(0, MAX_PURPOSE_CHARS))) {
    return "prefetch";
  }
  if (PREVIEW_MARK.test(text)) {
    return "preview";
  }
  if (MONITOR_MARK.test(text)) {
    return "monitor";
  }
  return doubts.length > 0 ? "bot" : "human";
}

/** The reasons that make a click a bot's, each by itself, in the order of QUALITY_REASONS. */
function doubtsAbout(text: string, botScore: number | null): readonly QualityReason[] {
  const doubts: QualityReason[] = [];
  if (HEADLESS_MARK.test(text)) {
    doubts.push("headless");
  }
  if (botScore !== null && botScore >= 1 && botScore <= MAX_AUTOMATED_BOT_SCORE) {
    doubts.push("bot_score");
  }
  if (text === "") {
    doubts.push("missing_user_agent");
  } else if (!isBrowserShaped(text)) {
    doubts.push("odd_user_agent");
  }
  if (text !== "" && (isbot(text) || EXTRA_PROGRAM_MARK.test(text))) {
    doubts.push("declared_program");
  }
  return doubts;
}
