/**
 * Browser, operating system and kind of device from a user agent, in the closed vocabulary.
 *
 * Reports what the text claims, for crawlers as well: a Googlebot that renders as a phone is "Chrome, Android,
 * mobile" here, and "bot" in click-class.ts. Parsing is my-ua-parser's (it only reads the first 500 characters)
 * after our own overrides; a newer parser can only change what the golden corpus allows.
 */
import { UAParser } from "my-ua-parser";
import { BROWSER_OVERRIDES, DEVICE_OVERRIDES, SYSTEM_OVERRIDES } from "./device-overrides.ts";
import type { BrowserName, DeviceClass, OsName } from "@hopline/core/rules/device-names";
import type { Device } from "./device-vocabulary.ts";
import { BROWSER_OF_PARSER_NAME, DEVICE_OF_PARSER_TYPE, SYSTEM_OF_PARSER_NAME } from "./parser-names.ts";
import { isBrowserShaped, readableUserAgent } from "./user-agent-text.ts";

const NOTHING_SAID: Device = { browser: null, os: null, device: null };

const DESKTOP_SYSTEMS: ReadonlySet<OsName | null> = new Set([
  "BSD",
  "ChromeOS",
  "Linux",
  "Windows",
  "macOS",
] as const);

/**
 * What the user agent says; all `null` for none, and for text without a browser's shape (libraries, nonsense).
 * Total: never throws, and reads a bounded prefix of a text of any length.
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
  // A bare engine is an app's web view on Apple's systems; on a console it says nothing.
  if (name === "WebKit" && os !== "iOS" && os !== "macOS") {
    return null;
  }
  const browser = name === undefined ? undefined : BROWSER_OF_PARSER_NAME.get(name);
  // There is no Safari for Android: its own old browser says "Safari" without "Chrome".
  if (browser === "Safari" && os === "Android") {
    return "Android Browser";
  }
  return browser ?? null;
}

function systemOf(text: string, parser: Parser): OsName | null {
  const named = firstMatch(text, SYSTEM_OVERRIDES);
  if (named !== null) {
    return named;
  }
  const name = parser.getOS().name;
  return name === undefined ? null : (SYSTEM_OF_PARSER_NAME.get(name) ?? null);
}

/** The parser names no desktop: it is what is left when a desktop's system runs on nothing smaller. */
function deviceOf(text: string, parser: Parser, os: OsName | null): DeviceClass | null {
  const named = firstMatch(text, DEVICE_OVERRIDES);
  if (named !== null) {
    return named;
  }
  const type = parser.getDevice().type;
  if (type !== undefined) {
    return DEVICE_OF_PARSER_TYPE.get(type) ?? null;
  }
  return DESKTOP_SYSTEMS.has(os) ? "desktop" : null;
}

function firstMatch<Name>(text: string, marks: readonly (readonly [RegExp, Name])[]): Name | null {
  return marks.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
