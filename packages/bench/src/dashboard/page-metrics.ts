/** What Lighthouse reports of a page that loads, as the browser itself measures it. */
import type { Page } from "puppeteer-core";

export type PageMetrics = {
  /** Largest Contentful Paint: when the biggest part of the first screen is there. Milliseconds. */
  readonly lcpMs: number;
  /** Total Blocking Time: of all tasks above 50 ms, what is above. Milliseconds. */
  readonly tbtMs: number;
  /** When the page has what it is opened for. Milliseconds. */
  readonly usableMs: number;
  /** Cumulative Layout Shift: how much of the window moved how far; 0 is nothing, 0.1 is said to be noticed. */
  readonly cls: number;
};

/** Of the sign-in page, the list of links, and analytics. */
const READY = "form, .table-body .link-row, .figure strong";

/** Shifts count by window of one second between them, five at most; one window is exact enough for a page that loads in less. */
const OBSERVE = `(() => {
  const metrics = { lcpMs: 0, tbtMs: 0, usableMs: 0, cls: 0 };
  const look = () => {
    if (document.querySelector("${READY}") === null) { requestAnimationFrame(look); }
    else { metrics.usableMs = performance.now(); }
  };
  requestAnimationFrame(look);
  globalThis.pageMetrics = metrics;
  const observe = (type, add) =>
    new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type, buffered: true });
  observe("largest-contentful-paint", ({ startTime }) => { metrics.lcpMs = startTime; });
  observe("longtask", ({ duration }) => { metrics.tbtMs += Math.max(0, duration - 50); });
  observe("layout-shift", ({ value, hadRecentInput }) => { metrics.cls += hadRecentInput ? 0 : value; });
})()`;

/** From the next load on. Returns how to read the metrics of the page that is shown. */
export async function watchPage(page: Page): Promise<() => Promise<PageMetrics>> {
  await page.evaluateOnNewDocument(OBSERVE);
  return () => page.evaluate("globalThis.pageMetrics") as Promise<PageMetrics>;
}
