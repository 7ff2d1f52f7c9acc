/** A visitor from Berlin on a Monday afternoon; tests say only what differs. */
import { createLocalTime } from "../../../src/rules/evaluate/local-time.ts";
import {
  createVisitor,
  type Device,
  type Visitor,
  type VisitorSource,
} from "../../../src/rules/evaluate/visitor.ts";

const localTime = createLocalTime();

export const MONDAY_AFTERNOON_MS: number = Date.parse("2026-06-15T13:30:00Z");

export type VisitorFacts = {
  readonly nowMs?: number;
  readonly country?: string | null;
  readonly continent?: string | null;
  readonly regionCode?: string | null;
  readonly city?: string | null;
  readonly language?: string | null;
  readonly referrer?: string | null;
  readonly query?: string;
  readonly stickyKey?: string;
  readonly device?: Partial<Device>;
};

export function aSource(facts: VisitorFacts = {}): VisitorSource {
  const { country = "DE", continent = "EU", regionCode = "BE", city = "Berlin" } = facts;
  const { language = "de-DE,de;q=0.9,en;q=0.8", referrer = "https://news.example.com/a?b" } = facts;
  return {
    nowMs: facts.nowMs ?? MONDAY_AFTERNOON_MS,
    place: () => ({ country, continent, regionCode, city }),
    header: (name) => ({ "user-agent": "", "accept-language": language, referer: referrer })[name],
    query: facts.query ?? "ref=mail&tag=a&tag=b",
    stickyKey: () => facts.stickyKey ?? "203.0.113.0 Mozilla/5.0",
    readDevice: () => ({ device: "mobile", os: "iOS", browser: "Safari", isBot: false, ...facts.device }),
    localTime,
  };
}

export function aVisitor(facts: VisitorFacts = {}): Visitor {
  return createVisitor(aSource(facts));
}
