/** What kind of click this was: the first class that applies, in the order of CLICK_CLASSES. Every click has one, none is dropped. */
import type { Click } from "@hopline/core/click/click";
import { isbot } from "isbot";
import { PREVIEW_MARK } from "@hopline/core/click/preview-mark";
import { EXTRA_PROGRAM_MARK, HEADLESS_MARK, MONITOR_MARK } from "./program-marks.ts";
import { isBrowserShaped, readableUserAgent } from "./user-agent-text.ts";

/**
 * In order of precedence. How a request was made is certain, so it comes before what the user agent claims. Among the
 * claims the narrower come first: previews, monitors, then the broad "bot".
 */
export const CLICK_CLASSES = ["head", "prefetch", "preview", "monitor", "bot", "human"] as const;
export type ClickClass = (typeof CLICK_CLASSES)[number];

/** The facts that decide. `botScore` is Cloudflare's: 1 (certainly automated) to 99 (certainly not); 0 or `null` if unknown. */
export type ClassifiableClick = Pick<Click, "method" | "userAgent" | "purpose" | "botScore">;

// "Likely automated": https://developers.cloudflare.com/bots/concepts/bot-score/
const MAX_AUTOMATED_BOT_SCORE = 29;
const MAX_PURPOSE_CHARS = 128;
// "preview" is what Safari and Facebook used to send for a page that is loaded before anyone asks for it.
const AHEAD_OF_TIME = /\b(?:prefetch|prerender|preview)\b/i;

/** What a user agent claims to be. */
export type Claim = "preview" | "monitor" | "bot" | "human";

/** Pure, and total for any text. @param claimOf `readClaim`, or what remembers it. */
export function classifyClick(
  click: ClassifiableClick,
  claimOf: (userAgent: string | null) => Claim = readClaim,
): ClickClass {
  if (click.method === "HEAD") {
    return "head";
  }
  if (click.purpose !== null && AHEAD_OF_TIME.test(click.purpose.slice(0, MAX_PURPOSE_CHARS))) {
    return "prefetch";
  }
  const claim = claimOf(click.userAgent);
  return claim === "human" && isAutomated(click.botScore) ? "bot" : claim;
}

const isAutomated = (botScore: number | null): boolean =>
  botScore !== null && botScore >= 1 && botScore <= MAX_AUTOMATED_BOT_SCORE;

export function readClaim(userAgent: string | null): Claim {
  const text = readableUserAgent(userAgent);
  if (PREVIEW_MARK.test(text)) {
    return "preview";
  }
  if (MONITOR_MARK.test(text)) {
    return "monitor";
  }
  return isProgram(text) ? "bot" : "human";
}

/** A program drives the browser, or the user agent is not a browser's: every browser sends one. */
function isProgram(text: string): boolean {
  return HEADLESS_MARK.test(text) || !isBrowserShaped(text) || isbot(text) || EXTRA_PROGRAM_MARK.test(text);
}
