/** Random rules and visitors drawn from small pools, so that rules match about as often as they do not. */
import fc from "fast-check";
import { BROWSER_NAMES, DEVICE_CLASSES, OS_NAMES } from "../../src/rules/device-names.ts";
import { CONTINENTS, type Conditions, type SmartLink } from "../../src/rules/rule.ts";
import { MONDAY_AFTERNOON_MS, type VisitorFacts } from "./evaluate/a-visitor.ts";

const COUNTRIES = ["DE", "FR", "US"] as const;
const HOSTS = ["example.com", "news.example.com", "other.org"] as const;
const LANGUAGES = ["de", "de-at", "en", "zh-hant"] as const;
const ZONES = ["Europe/Berlin", "Asia/Kathmandu", "America/New_York"] as const;

const some = <Value>(values: readonly Value[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
const instantMs = fc.integer({ min: MONDAY_AFTERNOON_MS - 5e8, max: MONDAY_AFTERNOON_MS + 5e8 });
const minute = fc.integer({ min: 0, max: 1_439 });

const time = fc.oneof(
  fc.record({ zone: fc.constantFrom(...ZONES), days: some([1, 2, 3, 4, 5, 6, 7]) }),
  fc.record({ zone: fc.constantFrom(...ZONES), startMinute: minute, endMinute: minute }),
  fc.record({ fromMs: instantMs }),
  fc.record({ untilMs: instantMs }),
);

const query = fc.array(
  fc.record({ name: fc.constantFrom("a", "b"), values: some(["1", "2", "x y"]) }, { requiredKeys: ["name"] }),
  { minLength: 1, maxLength: 2 },
);

export const conditions: fc.Arbitrary<Conditions> = fc
  .record(
    {
      country: some(COUNTRIES),
      continent: some(CONTINENTS),
      region: some(["DE-BE", "US-CA"]),
      city: some(["berlin", "zurich"]),
      time,
      query,
      language: some(LANGUAGES),
      referrer: some([...HOSTS, "*.example.com"]),
      device: some(DEVICE_CLASSES),
      os: some(OS_NAMES.slice(0, 4)),
      browser: some(BROWSER_NAMES.slice(0, 4)),
      visitor: fc.constantFrom("bot" as const, "human" as const),
    },
    { requiredKeys: [] },
  )
  // Few fields a rule: with all of them hardly any would match.
  .chain((all) => fc.subarray(Object.keys(all), { maxLength: 2 }).map((kept) => pick(all, kept)));

function pick(all: Conditions, kept: readonly string[]): Conditions {
  return Object.fromEntries(Object.entries(all).filter(([field]) => kept.includes(field)));
}

const url = fc.webUrl();
export const split = fc.uniqueArray(
  fc.record({ id: fc.constantFrom("a", "b", "c", "d"), url, weight: fc.integer({ min: 1, max: 100 }) }),
  {
    selector: ({ id }) => id,
    minLength: 1,
  },
);
const action = fc.oneof(fc.record({ url }), fc.record({ split }), fc.constant({ block: true as const }));

export const smartLink: fc.Arbitrary<SmartLink> = fc.record(
  {
    linkId: fc.uuid(),
    url,
    split,
    next: fc.record({ url, activateAtMs: instantMs }),
    rules: fc.uniqueArray(
      fc.record({ id: fc.stringMatching(/^[a-z0-9-]{1,4}$/), when: conditions, to: action }),
      {
        selector: ({ id }) => id,
        maxLength: 8,
      },
    ),
  },
  { requiredKeys: ["linkId", "url"] },
);

export const visitorFacts: fc.Arbitrary<VisitorFacts> = fc.record({
  nowMs: instantMs,
  country: fc.constantFrom(...COUNTRIES, null),
  continent: fc.constantFrom(...CONTINENTS, null),
  regionCode: fc.constantFrom("BE", "CA", null),
  city: fc.constantFrom("Berlin", "Zürich", null),
  language: fc.constantFrom("de-DE,en;q=0.5", "en-GB", "zh-Hant-TW", null),
  referrer: fc.constantFrom(...HOSTS.map((host) => `https://${host}/x`), null),
  query: fc.constantFrom("", "a=1", "b=2&a=x+y", "a"),
  stickyKey: fc.string(),
  device: fc.record({
    device: fc.constantFrom(...DEVICE_CLASSES, null),
    os: fc.constantFrom(...OS_NAMES.slice(0, 4), null),
    browser: fc.constantFrom(...BROWSER_NAMES.slice(0, 4), null),
    isBot: fc.boolean(),
  }),
});
