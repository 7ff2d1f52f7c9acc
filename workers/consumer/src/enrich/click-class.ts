/**
 * What kind of click this was, and what speaks against it. Every click is classified, none is dropped.
 *
 * The class is the first that applies, in the order of CLICK_CLASSES. Reasons are facts beside the class: a human
 * click may carry one (hosting_asn), a bot click always does. Any change of an outcome raises CLASSIFIER_VERSION.
 */
import { isbot } from "isbot";
import { HOSTING_ASNS } from "./hosting-asns.ts";
import { PREVIEW_MARK } from "@hopline/core/click/preview-mark";
import { EXTRA_PROGRAM_MARK, HEADLESS_MARK, MONITOR_MARK } from "./program-marks.ts";
import { isBrowserShaped, readableUserAgent } from "./user-agent-text.ts";

/** Stored beside each click's class, so that numbers of two versions are never compared unknowingly. */
export const CLASSIFIER_VERSION = 1;

/**
 * In order of precedence. How a request was made is known for certain, so it comes before what the user agent
 * says of itself; among those, previews come before monitors, the narrower claim before the broader "bot".
 */
export const CLICK_CLASSES = ["head", "prefetch", "preview", "monitor", "bot", "human"] as const;
export type ClickClass = (typeof CLICK_CLASSES)[number];

export const QUALITY_REASONS = [
  /** The network belongs to a hosting company: a program, or a visitor behind a VPN. Does not change the class. */
  "hosting_asn",
  /** The browser says it is driven by a program. Makes the click a bot's. */
  "headless",
  /** Cloudflare's score says automated. Makes the click a bot's. */
  "bot_score",
  /** No user agent at all: no browser leaves it out. Makes the click a bot's. */
  "missing_user_agent",
  /** A user agent that is not shaped like a browser's. Makes the click a bot's. */
  "odd_user_agent",
  /** The user agent names a crawler, a library or a tool. Makes the click a bot's. */
  "declared_program",
] as const;
export type QualityReason = (typeof QUALITY_REASONS)[number];

/** The raw facts that decide; a click has them all. */
export type ClassifiableClick = {
  readonly method: string;
  readonly userAgent: string | null;
  /** Text of Sec-Purpose, Purpose, X-Purpose or X-Moz. */
  readonly purpose: string | null;
  /** Autonomous system number of the visitor's network. */
  readonly asn: number | null;
  /** Cloudflare's score: 1 (certainly automated) to 99 (certainly not), 0 or `null` where there is none. */
  readonly botScore: number | null;
};

export type Classification = { readonly class: ClickClass; readonly reasons: readonly QualityReason[] };

// "Likely automated": https://developers.cloudflare.com/bots/concepts/bot-score/
const MAX_AUTOMATED_BOT_SCORE = 29;
const MAX_PURPOSE_CHARS = 128;
// "preview" is Safari's and Facebook's older word for a page that is loaded before anybody asked for it.
const AHEAD_OF_TIME = /\b(?:prefetch|prerender|preview)\b/i;

/** The class of a click and the reasons beside it. Total and pure: same facts, same answer, for any text. */
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

/** Reasons of which one alone makes a click a bot's, in the order of QUALITY_REASONS. */
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
