/** Builds clicks for tests: a full one, with what matters to a test in its place. */
import type { Click } from "../../src/click/click.ts";

export const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

export function aClick(change: Partial<Click> = {}): Click {
  return {
    clickedAtMs: 1_795_000_000_123,
    linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
    linkVersion: 1,
    source: "link",
    method: "GET",
    address: "203.0.113.0",
    userAgent: USER_AGENT,
    referrer: "https://news.example.org/today",
    acceptLanguage: "de-CH,de;q=0.9",
    purpose: null,
    optedOut: false,
    country: "CH",
    region: "ZH",
    city: "Zürich",
    continent: "EU",
    colo: "ZRH",
    botScore: null,
    ...change,
  };
}
