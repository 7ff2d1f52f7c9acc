import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkDestinationUrl } from "../../../src/link/destination-url.ts";
import { compileSmartLink } from "../../../src/rules/compile/compile-smart-link.ts";
import { NEXT, RULES, SPLIT } from "../../../src/rules/decode-rules.ts";
import type { ConditionsInput, RuleInput, SmartLinkInput } from "../../../src/rules/compile/rule-input.ts";
import { runs } from "../../runs.ts";

const POLICY = { ownHosts: new Set(["hop.example"]), appSchemes: new Set(["myapp"]) };
const DEPS = { checkUrl: (text: string) => checkDestinationUrl(text, POLICY) };

function aRule(rule: Partial<RuleInput> = {}): RuleInput {
  return { id: "r1", when: { country: ["DE"] }, to: { url: "https://example.com/de" }, ...rule };
}

function compile(input: Partial<SmartLinkInput>) {
  return compileSmartLink({ url: "https://example.com/", ...input }, DEPS);
}

function problemsOf(input: Partial<SmartLinkInput>): readonly string[] {
  const compiled = compile(input);
  return compiled.ok ? [] : compiled.error.map(({ path, message }) => `${path}: ${message}`);
}

function problemsOfConditions(when: ConditionsInput): readonly string[] {
  return problemsOf({ rules: [aRule({ when })] });
}

describe("compiling a smart link", () => {
  it("brings every value to the form in which it is compared and published", () => {
    const compiled = compile({
      url: "https://example.com/ü",
      split: [{ id: "a", url: "https://example.com/a", weight: 3 }],
      next: { url: "https://example.com/next", activateAt: "2026-12-01T09:00:00+01:00" },
      rules: [
        aRule({
          when: {
            country: ["de", "DE", "at"],
            continent: ["eu"],
            region: ["us-ca"],
            city: [" San José", "san jose"],
            device: ["Mobile"],
            os: ["ios"],
            browser: ["samsung internet"],
            language: ["zh-Hant"],
            referrer: ["*.Example.com", "bücher.example"],
            query: [{ name: "ref", values: ["a", "a"] }, { name: "vip" }],
            visitor: "human",
            time: {
              zone: "Europe/Berlin",
              days: ["sun", "mon"],
              start: "22:00",
              end: "24:00",
              from: "2026-01-01T00:00:00Z",
              until: "2026-01-01T00:00:00.001Z",
            },
          },
          to: { url: "myapp://open?id=1" },
        }),
        aRule({ id: "r2", to: { block: true } }),
        aRule({ id: "r3", to: { split: [{ id: "x", url: "https://example.com/x", weight: 1 }] } }),
      ],
    });
    expect(JSON.parse(JSON.stringify(compiled))).toEqual({
      ok: true,
      value: {
        url: "https://example.com/%C3%BC",
        split: [{ id: "a", url: "https://example.com/a", weight: 3 }],
        next: { url: "https://example.com/next", activateAtMs: Date.parse("2026-12-01T08:00:00Z") },
        rules: [
          {
            id: "r1",
            when: {
              country: ["DE", "AT"],
              continent: ["EU"],
              region: ["US-CA"],
              city: ["san jose"],
              time: {
                zone: "Europe/Berlin",
                days: [1, 7],
                startMinute: 1_320,
                endMinute: 1_440,
                fromMs: Date.parse("2026-01-01T00:00:00Z"),
                untilMs: Date.parse("2026-01-01T00:00:00Z") + 1,
              },
              query: [{ name: "ref", values: ["a"] }, { name: "vip" }],
              language: ["zh-hant"],
              referrer: ["*.example.com", "xn--bcher-kva.example"],
              device: ["mobile"],
              os: ["iOS"],
              browser: ["Samsung Internet"],
              visitor: "human",
            },
            to: { url: "myapp://open?id=1" },
          },
          { id: "r2", when: { country: ["DE"] }, to: { block: true } },
          {
            id: "r3",
            when: { country: ["DE"] },
            to: { split: [{ id: "x", url: "https://example.com/x", weight: 1 }] },
          },
        ],
      },
    });
  });

  it("publishes nothing for what is not set", () => {
    expect(JSON.stringify(compile({ rules: [] }))).toBe('{"ok":true,"value":{"url":"https://example.com/"}}');
  });

  it("publishes no rule that is switched off, but checks it, at its place among all", () => {
    const off = aRule({ id: "off", enabled: false });
    const compiled = compile({ rules: [off, aRule({ enabled: true })] });
    expect(compiled.ok && compiled.value.rules?.map((rule) => [rule.id, "enabled" in rule])).toEqual([
      ["r1", false],
    ]);
    expect(compile({ rules: [off] })).toEqual(compile({ rules: [] }));
    expect(problemsOf({ rules: [off, aRule({ id: "off" }), aRule({ id: "x", to: { url: "" } })] })).toEqual([
      'rules[1].id: duplicate id "off"',
      expect.stringMatching(/^rules\[2\]\.to\.url: /),
    ]);
    expect(problemsOf({ rules: [{ ...off, when: { country: ["ZZ"] } }] })).toEqual([
      expect.stringMatching(/^rules\[0\]\.when\.country/),
    ]);
  });

  it("names the field of a problem as the client wrote it", () => {
    const ids = ["a", "b", "c", "d"];
    const rules = ids.map((id) =>
      aRule({ id, when: { time: { zone: id === "d" ? "Europe/Berln" : "UTC", days: ["mon"] } } }),
    );
    expect(problemsOf({ rules })).toEqual(['rules[3].when.time.zone: unknown time zone "Europe/Berln"']);
  });

  it("reports every problem at once", () => {
    const rules = [aRule({ id: "a b", when: { country: ["DE", "ZZ"] }, to: { url: "ftp://example.com/" } })];
    const split = [{ id: "v", url: "not a url", weight: 0.5 }];
    expect(
      problemsOf({
        url: "http://10.0.0.1/",
        split,
        next: { url: "https://hop.example/x", activateAt: "soon" },
        rules,
      }),
    ).toMatchInlineSnapshot(`
      [
        "url: leads to "10.0.0.1", which is not on the public internet",
        "split[0].weight: must be a whole number from 1 to 1000000, got 0.5",
        "split[0].url: is not an absolute URL: start with https://",
        "next.activateAt: "soon" is not a valid RFC 3339 instant",
        "next.url: leads back to the short domain "hop.example"",
        "rules[0].id: must be 1 to 64 letters, digits, - or _",
        "rules[0].when.country[1]: unknown country "ZZ"",
        "rules[0].to.url: has the scheme "ftp"; allowed are http, https, myapp",
      ]
    `);
  });

  it.each<[ConditionsInput, string]>([
    [{}, "rules[0].when: must hold a condition: for all visitors, set the default destination"],
    [{ country: [] }, "rules[0].when.country: must not be empty"],
    [{ country: ["DE", "UK"] }, 'rules[0].when.country[1]: unknown country "UK"'],
    [
      { continent: ["Europe"] },
      'rules[0].when.continent[0]: unknown continent "Europe", expected one of AF, AN, AS, EU, NA, OC, SA',
    ],
    [
      { region: ["California"] },
      'rules[0].when.region[0]: "California" is not an ISO 3166-2 code such as "US-CA"',
    ],
    [
      { city: ["Paris"] },
      "rules[0].when.city: needs a country or a region beside it: there is a Paris in Texas",
    ],
    [
      { country: ["FR"], city: [" "] },
      "rules[0].when.city[0]: must be the name of a city, of at most 64 characters",
    ],
    [
      { country: ["FR"], city: ["Paris", "P".repeat(65)] },
      "rules[0].when.city[1]: must be the name of a city, of at most 64 characters",
    ],
    [{ region: ["ZZ-CA"] }, 'rules[0].when.region[0]: "ZZ-CA" is not an ISO 3166-2 code such as "US-CA"'],
    [
      { language: ["en_GB"] },
      'rules[0].when.language[0]: "en_GB" is not a BCP-47 language such as "en" or "zh-Hant"',
    ],
    [
      { language: ["english"] },
      'rules[0].when.language[0]: "english" is not a BCP-47 language such as "en" or "zh-Hant"',
    ],
    [
      { device: ["phone"] },
      'rules[0].when.device[0]: unknown device class "phone", expected one of desktop, mobile, tablet, tv, console, wearable',
    ],
    [{ query: [] }, "rules[0].when.query: must not be empty"],
    [{ query: [{ name: "" }] }, "rules[0].when.query[0].name: must not be empty"],
    [
      { query: [{ name: "a", values: [] }] },
      "rules[0].when.query[0].values: must not be empty; leave it out to ask only for presence",
    ],
    [{ time: {} }, "rules[0].when.time: must not be empty"],
    [{ time: { zone: "UTC" } }, "rules[0].when.time: a time zone alone restricts nothing"],
    [
      { time: { days: ["mon"] } },
      "rules[0].when.time.zone: a time zone is needed to read weekdays and hours",
    ],
    [{ time: { zone: "+05:45", days: ["mon"] } }, 'rules[0].when.time.zone: unknown time zone "+05:45"'],
    [{ time: { zone: "UTC", days: [] } }, "rules[0].when.time.days: must not be empty"],
    [
      { time: { zone: "UTC", start: "9:00", end: "17:00" } },
      'rules[0].when.time.start: "9:00" is not a valid HH:MM',
    ],
    [
      { time: { zone: "UTC", start: "09:00", end: "25:00" } },
      'rules[0].when.time.end: "25:00" is not a valid HH:MM',
    ],
    [{ time: { zone: "UTC", start: "09:00" } }, "rules[0].when.time.end: start and end belong together"],
    [{ time: { zone: "UTC", end: "09:00" } }, "rules[0].when.time.start: start and end belong together"],
    [
      { time: { zone: "UTC", start: "24:00", end: "09:00" } },
      "rules[0].when.time.start: 24:00 can only be an end",
    ],
    [
      { time: { zone: "UTC", start: "09:00", end: "09:00" } },
      "rules[0].when.time.end: impossible range: start and end are the same",
    ],
    [
      { time: { from: "2026-01-02T00:00:00Z", until: "2026-01-02T00:00:00Z" } },
      "rules[0].when.time.until: impossible range: until is not after from",
    ],
    [
      { time: { from: "2026-01-02" } },
      'rules[0].when.time.from: "2026-01-02" is not a valid RFC 3339 instant',
    ],
    [
      { time: { from: "2026-02-30T00:00:00Z" } },
      'rules[0].when.time.from: "2026-02-30T00:00:00Z" is not a valid RFC 3339 instant',
    ],
    [
      { time: { from: "2026-13-01T00:00:00Z" } },
      'rules[0].when.time.from: "2026-13-01T00:00:00Z" is not a valid RFC 3339 instant',
    ],
  ])("refuses %j", (when, problem) => {
    expect(problemsOfConditions(when)).toEqual([problem]);
  });

  it.each([
    "*",
    "*.",
    "*example.com",
    "a.*.com",
    "*.*.com",
    "https://example.com",
    "example.com/x",
    "exa mple.com",
    ".example.com",
    "a..b",
    "example.com:80",
    "",
  ])("refuses the referrer %j", (referrer) => {
    expect(problemsOfConditions({ referrer: [referrer] })).toEqual([
      `rules[0].when.referrer[0]: ${JSON.stringify(referrer)} is not a host such as "example.com" or "*.example.com"`,
    ]);
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity, 1_000_001])("refuses the weight %d", (weight) => {
    const split = [{ id: "a", url: "https://example.com/", weight }];
    expect(problemsOf({ split })).toEqual([
      `split[0].weight: must be a whole number from 1 to 1000000, got ${weight}`,
    ]);
    expect(problemsOf({ rules: [aRule({ to: { split } })] })).toEqual([
      `rules[0].to.split[0].weight: must be a whole number from 1 to 1000000, got ${weight}`,
    ]);
  });

  it("takes 50 rules and 10 variants, and no more", () => {
    const rules = (count: number) => Array.from({ length: count }, (_, index) => aRule({ id: `r${index}` }));
    const split = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        id: `v${index}`,
        url: "https://example.com/",
        weight: 1,
      }));
    expect(problemsOf({ rules: rules(50), split: split(10) })).toEqual([]);
    expect(problemsOf({ rules: rules(51) })).toEqual(["rules: at most 50 rules, got 51"]);
    expect(problemsOf({ split: split(11) })).toEqual(["split: at most 10 variants, got 11"]);
    expect(problemsOf({ split: [] })).toEqual(["split: must not be empty"]);
  });

  it("refuses an id that is there twice", () => {
    expect(problemsOf({ rules: [aRule(), aRule()] })).toEqual(['rules[1].id: duplicate id "r1"']);
    const variant = { id: "a", url: "https://example.com/", weight: 1 };
    expect(problemsOf({ split: [variant, variant] })).toEqual(['split[1].id: duplicate id "a"']);
  });

  it("knows every country that Intl can name, but for the codes that no visitor comes from", () => {
    const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
    const codes = letters.flatMap((first) => letters.map((second) => first + second));
    const refused = codes.filter((code) => problemsOfConditions({ country: [code] }).length > 0);
    // Groupings, reserved, withdrawn and pseudo codes that CLDR names beside the assigned ones.
    const named = refused.filter((code) => names.of(code) !== undefined);
    expect(named.join(" ")).toMatchInlineSnapshot(
      `"AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH QO RH SU TA TP UK UN VD XA XB YD YU ZR ZZ"`,
    );
    expect(codes.length - refused.length).toBe(250);
    expect(codes.filter((code) => !refused.includes(code) && names.of(code) === undefined)).toEqual([]);
  });

  it("never throws, whatever texts it is given", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("*.x", "DE", "en", "09:00", "2026-01-01T00:00:00Z"),
    );
    const texts = fc.array(anyText, { maxLength: 3 });
    const when = fc.record(
      {
        country: texts,
        region: texts,
        city: texts,
        language: texts,
        referrer: texts,
        os: texts,
        time: fc.record(
          { zone: anyText, start: anyText, end: anyText, from: anyText, until: anyText },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anyText, anyText, when, (id, url, conditions) => {
        const compiled = compile({ url, rules: [aRule({ id, when: conditions, to: { url } })] });
        if (compiled.ok) {
          const published: unknown = JSON.parse(JSON.stringify(compiled.value.rules));
          expect(RULES(published)).toBeNull();
          expect(published).toEqual(compiled.value.rules);
        } else {
          expect(compiled.error.every(({ path, message }) => path !== "" && message !== "")).toBe(true);
        }
      }),
      runs(),
    );
  });

  it("compiles to what the decoder accepts", () => {
    const split = [{ id: "a", url: "https://example.com/a", weight: 3 }];
    const compiled = compile({
      split,
      next: { url: "https://example.com/next", activateAt: "2026-12-01T09:00:00Z" },
      rules: [
        aRule({
          when: { query: [{ name: "a", values: [""] }], time: { zone: "UTC", days: ["mon"] } },
          to: { split },
        }),
      ],
    });
    const published = JSON.parse(JSON.stringify(compiled));
    expect(compiled.ok).toBe(true);
    expect(published).toEqual(compiled);
    const { rules, split: publishedSplit, next } = published.value;
    expect([RULES(rules), SPLIT(publishedSplit), NEXT(next)]).toEqual([null, null, null]);
  });
});
