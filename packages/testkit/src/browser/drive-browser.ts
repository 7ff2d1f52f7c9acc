/** A real Chromium, driven as a person would: by what they see and press. For tests, screenshots and measurements. */
import puppeteer, { type Browser, type HTTPRequest, type Page, PuppeteerNode } from "puppeteer-core";

import { Failure } from "../console/failure.ts";
import { findChromium } from "./find-chromium.ts";
import {
  findNamed,
  type PageElement,
  passUntilHeld,
  placeToPress,
  replaceText,
  takeFocus,
  waitForText,
} from "./in-page.ts";

export const CHROMIUM: string | null = await findChromium();

/** Where CI runs, a missing browser is a fault; elsewhere these tests are skipped. */
export const HAS_BROWSER: boolean = CHROMIUM !== null || process.env["CI"] === "true";

/** A bound against hanging, for everything that is waited for. */
const TIMEOUT_MS = 60_000;

export type SentRequest = HTTPRequest;

export type BrowserPage = {
  readonly page: Page;
  /** What the page complained about: errors in its console, and requests to anywhere else. */
  readonly complaints: string[];
};

const DESK = { width: 1280, height: 820 };
/** What is left of a desk's window at 200 %, and a phone. */
const NARROW = [
  { width: 640, height: 410, deviceScaleFactor: 2 },
  { width: 390, height: 800 },
];

/**
 * Larger than every viewport here. What changes in a viewport outside of the window is never drawn, and an interaction there
 * seems to last until something inside changes, too.
 */
const WINDOW = { width: 1400, height: 1200 };

/**
 * `::-p-named(…)`, in place of puppeteer's `::-p-aria(…)`, which computes the names of the whole page in every frame that a test
 * waits: 20 s of CPU for sixty presses that each wait 0.4 s, and 5 s with this, which looks when something has changed.
 */
PuppeteerNode.registerCustomQueryHandler("named", { queryOne: findNamed as never });

export function launchBrowser(): Promise<Browser> {
  if (CHROMIUM === null) {
    throw new Failure("No Chromium found: install Debian's `chromium`, or name one with CHROMIUM=/path.");
  }
  // Chromium has no sandbox of its own where it runs as root, as in CI.
  return puppeteer.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--lang=en-GB",
      "--disable-gpu", // It would be emulated, for a tenth of Chromium's CPU.
      `--window-size=${WINDOW.width},${WINDOW.height}`,
      "--enable-blink-features=ComputedAccessibilityInfo",
    ],
  });
}

/** A page of a browser profile of its own, on a desk. */
export async function openPage(browser: Browser, appOrigin: string): Promise<BrowserPage> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.setViewport(DESK);
  await setTheme(page, "light");
  // "Leave without saving?"
  page.on("dialog", (dialog) => void dialog.accept());
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // The browser itself reports each answer of 400 and above; the page says what it means.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text());
    }
  });
  page.on("request", (request) => {
    const isOfPage = ["data:", `blob:${appOrigin}/`].some((start) => request.url().startsWith(start));
    if (!request.url().startsWith(`${appOrigin}/`) && !isOfPage) {
      complaints.push(`asked ${request.url()}`);
    }
  });
  return { page, complaints };
}

/** Without motion: a colour on its way to another one has any contrast. */
export function setTheme(page: Page, theme: string): Promise<void> {
  return page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: theme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
}

/** Presses the control of that name, and of that role if several have it. */
export async function press(page: Page, name: string, role?: string): Promise<void> {
  await pressAt(page, named(name, role));
}

/** The same for a selector, or for the first element whose own text contains `::-p-text(…)`. */
export async function pressAt(page: Page, selector: string): Promise<void> {
  const endsAtMs = performance.now() + TIMEOUT_MS;
  do {
    const pressing = { timeoutMs: TIMEOUT_MS, isGuarded: true };
    const { x, y } = await inElement(page, selector, placeToPress, pressing);
    await page.mouse.click(x, y);
    if (performance.now() > endsAtMs) {
      throw new Error(`${selector} moves away from each press.`);
    }
    // What came meanwhile has moved it away from under the pointer.
  } while (await isMissed(page));
}

/** A page that has been left by the press is none any more. */
async function isMissed(page: Page): Promise<boolean> {
  return (await page.$("body[data-missed]").catch(() => null)) !== null;
}

/** Moves the pointer onto such a control, once it stays where it is. */
export async function pointAt(page: Page, name: string, role?: string): Promise<void> {
  const pressing = { timeoutMs: TIMEOUT_MS, isGuarded: false };
  const { x, y } = await inElement(page, named(name, role), placeToPress, pressing);
  await page.mouse.move(x, y);
}

export type HeldRequest = {
  readonly url: string;
  pass(): Promise<void>;
  /** As if it was lost on the way. */
  refuse(): Promise<void>;
  /** In the server's place. */
  answer(status: number, type: string, body: string): Promise<void>;
};

/** Nothing is there. */
const PROBE = "/is-held";

/** Holds the next request for such an address (`*`: anything) until the test says what becomes of it; others pass. */
export async function holdRequest(page: Page, urlPattern: string) {
  const devTools = await page.createCDPSession();
  const { promise: asked, resolve, reject } = Promise.withResolvers<HeldRequest>();
  const end = setTimeout(() => reject(new Error(`the page asked for no ${urlPattern}`)), TIMEOUT_MS);
  // Whether a test waits for it or not.
  asked.catch(() => undefined);
  devTools.on("Fetch.requestPaused", ({ request, requestId }) => {
    const refuse = () => devTools.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    if (request.url.endsWith(PROBE)) {
      void refuse();
      return;
    }
    resolve({
      url: request.url,
      pass: () => devTools.send("Fetch.continueRequest", { requestId }),
      answer: (status, type, body) =>
        devTools.send("Fetch.fulfillRequest", {
          requestId,
          responseCode: status,
          responseHeaders: [{ name: "content-type", value: type }],
          body: Buffer.from(body).toString("base64"),
        }),
      refuse,
    });
  });
  await devTools.send("Network.setCacheDisabled", { cacheDisabled: true });
  await devTools.send("Fetch.enable", { patterns: [{ urlPattern }, { urlPattern: `*${PROBE}` }] });
  await page.evaluate(passUntilHeld, PROBE);
  return {
    asked,
    async [Symbol.asyncDispose]() {
      clearTimeout(end);
      await devTools.detach();
    },
  };
}

/** Puts a text into the field with that label, or of that selector, in place of what is there: as if it was pasted. */
export async function fill(page: Page, field: string, text: string): Promise<void> {
  await inElement(page, field.includes("::-p-") ? field : named(field), replaceText, text);
}

/** Puts the focus on such an element, as the Tab key would in the end. */
export async function focusOn(page: Page, selector: string): Promise<void> {
  await inElement(page, selector, takeFocus, null);
}

/** Waits until the text is somewhere on the page. Rejects with what is there instead. */
export async function expectToSee(page: Page, text: string): Promise<void> {
  try {
    await page.waitForFunction(waitForText, {}, text);
  } catch (error) {
    const focused = "document.activeElement.outerHTML.slice(0, 200)";
    const shown = await page.evaluate(`document.body.innerText.slice(0, 2_000) + "\\nFocus: " + ${focused}`);
    throw new Error(`no "${text}" at ${page.url()}, which shows: ${String(shown)}`, { cause: error });
  }
}

/** Waits until nothing is being loaded: until then what is pressed may move away. */
export async function settle(page: Page): Promise<void> {
  await page.waitForFunction(
    "document.querySelector('h1') !== null && document.querySelector('.skeleton') === null",
    { polling: "mutation" },
  );
}

/** Waits until nothing makes the page scroll sideways at 200 %, nor on a phone; charts take a moment to find their width. */
export async function expectToFit(page: Page): Promise<void> {
  for (const size of NARROW) {
    await page.setViewport(size);
    await settle(page);
    await page.waitForFunction("document.documentElement.scrollWidth <= innerWidth");
  }
  await page.setViewport(DESK);
}

function named(name: string, role?: string): string {
  return `::-p-named([name="${name}"]${role === undefined ? "" : `[role="${role}"]`})`;
}

/** What `act` returns, in the page, for the first such element; once more when it was replaced meanwhile (`null`). */
async function inElement<Given, Result>(
  page: Page,
  selector: string,
  act: (element: PageElement, given: Given) => Promise<Result | null>,
  given: Given,
): Promise<Result> {
  const endsAtMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < endsAtMs) {
    const handle = await page.waitForSelector(selector);
    const result = await handle?.evaluate(act as never, given as never).catch((cause: unknown) => {
      throw new Error(`${selector}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    });
    void handle?.dispose();
    if (result !== null && result !== undefined) {
      return result as Result;
    }
  }
  throw new Error(`${selector} is replaced again and again.`);
}
