/**
 * Browser, operating system and kind of device from a user agent, in the vocabulary that rules route by too: what a
 * rule sends somewhere is what the chart shows.
 *
 * Reports what the text claims, also for crawlers: a Googlebot that renders as a phone is "Chrome, Android, mobile"
 * here, and "bot" in click-class.ts. my-ua-parser does the parsing (it reads the first 500 characters) after our own
 * overrides. The golden corpus limits what a newer parser may change.
 */
import { UAParser } from "my-ua-parser";
import { BROWSER_OVERRIDES, DEVICE_OVERRIDES, SYSTEM_OVERRIDES } from "./device-overrides.ts";
import type { BrowserName, DeviceClass, OsName } from "@hopline/core/rules/device-names";
import { firstMatch, toBrowserName, toDeviceClass, toOsName } from "./parser-names.ts";
import { isBrowserShaped, readableUserAgent } from "./user-agent-text.ts";

/** What a user agent says about itself. `null` is "not said", or said in words that the vocabulary lacks. */
export type Device = {
  readonly browser: BrowserName | null;
  readonly os: OsName | null;
  readonly device: DeviceClass | null;
};

const NOTHING_SAID: Device = { browser: null, os: null, device: null };

const DESKTOP_SYSTEMS: ReadonlySet<string | null> = new Set(["BSD", "ChromeOS", "Linux", "Windows", "macOS"]);

/**
 * What the user agent says. All `null` if there is none, or if it does not look like a browser's (libraries, nonsense).
 * Never throws, and reads a limited part of a text of any length.
 */
export function parseDevice(userAgent: string | null): Device {
  const text = readableUserAgent(userAgent);
  if (!isBrowserShaped(text)) {
    return NOTHING_SAID;
  }
  const parser = new UAParser(text);
  const os = systemOf(text, parser);
  return { browser: browserOf(text, parser, os), os, device: deviceOf(text, parser, os) };
}

type Parser = Pick<InstanceType<typeof UAParser>, "getBrowser" | "getDevice" | "getOS">;

function browserOf(text: string, parser: Parser, os: OsName | null): BrowserName | null {
  const named = firstMatch(text, BROWSER_OVERRIDES);
  if (named !== null) {
    return named;
  }
  const name = parser.getBrowser().name;
  // On Apple's systems a bare engine is an app's web view; on a console it says nothing.
  if (name === "WebKit" && os !== "iOS" && os !== "macOS") {
    return null;
  }
  const browser = toBrowserName(name);
  // There is no Safari for Android: its own old browser says "Safari" without "Chrome".
  return browser === "Safari" && os === "Android" ? "Android Browser" : browser;
}

function systemOf(text: string, parser: Parser): OsName | null {
  return firstMatch(text, SYSTEM_OVERRIDES) ?? toOsName(parser.getOS().name);
}

/** The parser has no word for desktops: a desktop is a desktop's system without any other kind of device. */
function deviceOf(text: string, parser: Parser, os: OsName | null): DeviceClass | null {
  const named = firstMatch(text, DEVICE_OVERRIDES);
  if (named !== null) {
    return named;
  }
  const type = parser.getDevice().type;
  return type === undefined ? (DESKTOP_SYSTEMS.has(os) ? "desktop" : null) : toDeviceClass(type);
}
