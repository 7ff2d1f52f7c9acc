/** Ways around in the dashboard without loading it again. */
import { press, settle } from "@hopline/testkit/browser/drive-browser";
import type { BrowserPage } from "@hopline/testkit/browser/drive-browser";

export type Page = BrowserPage["page"];

/** For the next Tab to go on from the page's head. */
export const NEW_PAGE_HAS_FOCUS = "#content:focus, #content h1:focus";

/** By the links of the frame. */
export async function openByMenu(page: Page, name: string): Promise<void> {
  await press(page, name, "link");
  await expectHeading(page, name);
}

/** As a link in the app to this path does. */
export async function openPath(page: Page, path: string, heading: string): Promise<void> {
  await page.evaluate((to) => history.pushState({}, "", to), path);
  await expectHeading(page, heading);
}

/** Waits for a page of the app, and for what it loads. */
export async function expectHeading(page: Page, text: string): Promise<void> {
  await page.waitForFunction((name) => document.querySelector("h1")?.textContent === name, {}, text);
  await settle(page);
}

export function urlHas(page: Page, text: string): Promise<unknown> {
  return page.waitForFunction((part) => location.href.includes(part), {}, text);
}

/** On the page of the account, by a part of its name. */
export async function chooseZone(page: Page, name: string): Promise<void> {
  await press(page, "Time zone", "combobox");
  await page.keyboard.type(name);
  await page.waitForSelector('[role="option"][data-highlighted]');
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("[role=option]") === null);
}
