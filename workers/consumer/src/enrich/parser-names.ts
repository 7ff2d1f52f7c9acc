/**
 * my-ua-parser's names in our vocabulary: by a mark below, or unchanged if the vocabulary has the same name, else
 * `null`. Distributions of Linux and flavours of BSD become one name each: no link is routed by Debian.
 */
import {
  BROWSER_NAMES,
  type BrowserName,
  DEVICE_CLASSES,
  type DeviceClass,
  OS_NAMES,
  type OsName,
} from "@hopline/core/rules/device-names";

/** What a text is called that matches the pattern. */
export type NameMark<Name> = readonly [RegExp, Name];

const BROWSER_MARKS: readonly NameMark<BrowserName>[] = [
  [/^brave$/, "Brave"],
  [/^Chrome Headless$/, "Chrome"],
  [/^(?:Chrome WebView|WebKit)$/, "WebView"],
  [/^(?:Firefox Focus|Firefox Reality|Mobile Firefox)$/, "Firefox"],
  [/^GSA$/, "Google App"],
  [/^HUAWEI Browser$/, "Huawei Browser"],
  [/^(?:IE|IEMobile)$/, "Internet Explorer"],
  [/^KAKAOTALK$/, "KakaoTalk"],
  [/^Line$/, "LINE"],
  [/^Mobile Safari$/, "Safari"],
  [/^NAVER$/, "Naver"],
  [/^Oculus ?Browser$/, "Meta Quest Browser"],
  [/^Opera (?:Coast|GX|Mobi|Tablet|Touch)$/, "Opera"],
  [/^PaleMoon$/, "Pale Moon"],
  [/^(?:QQ|QQBrowser|QQBrowserLite)$/, "QQ Browser"],
  [/^Silk$/, "Amazon Silk"],
  [/^Twitter$/, "X"],
  [/^UCBrowser$/, "UC Browser"],
  [/^Yandex$/, "Yandex Browser"],
];

const SYSTEM_MARKS: readonly NameMark<OsName>[] = [
  [/^Android-x86$/, "Android"],
  [/^RIM Tablet OS$/, "BlackBerry"],
  [/^Chromium OS$/, "ChromeOS"],
  [/^KAIOS$/, "KaiOS"],
  [/^Mac OS$/, "macOS"],
  [/^Windows (?:Phone OS|Mobile)$/, "Windows Phone"],
  [/^(?:Chromecast|GNU|Arch|CentOS|Debian|Fedora|Gentoo|Manjaro|Mint|Raspbian|Red Hat|SUSE)$/, "Linux"],
  [/^[KLX]?ubuntu$/i, "Linux"],
  [/^(?:DragonFly|(?:Free|Ghost|Net|Open)BSD)$/, "BSD"],
];

const DEVICE_MARKS: readonly NameMark<DeviceClass>[] = [[/^smarttv$/, "tv"]];

export function toBrowserName(name: string | undefined): BrowserName | null {
  return toName(name, BROWSER_MARKS, BROWSER_NAMES);
}

export function toOsName(name: string | undefined): OsName | null {
  return toName(name, SYSTEM_MARKS, OS_NAMES);
}

export function toDeviceClass(type: string): DeviceClass | null {
  return toName(type, DEVICE_MARKS, DEVICE_CLASSES);
}

/** The name of the first mark that matches. */
export function firstMatch<Name>(text: string, marks: readonly NameMark<Name>[]): Name | null {
  return marks.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

function toName<Name extends string>(
  name: string | undefined,
  marks: readonly NameMark<Name>[],
  names: readonly Name[],
): Name | null {
  return name === undefined ? null : (firstMatch(name, marks) ?? names.find((one) => one === name) ?? null);
}
