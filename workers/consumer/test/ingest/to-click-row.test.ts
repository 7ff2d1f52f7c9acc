import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { createEnrichment } from "../../src/enrich/enrichment.ts";
import { toClickRow } from "../../src/ingest/to-click-row.ts";
import { aClick } from "../consumer-stage.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

const ID = "00c0ffee-0000-8000-8400-000000000001";
const ENRICHMENT = createEnrichment("a secret of at least thirty-two bytes");

describe("the row of a click", () => {
  it("holds what the user agent, the referrer and the language say", async () => {
    expect(await toClickRow(ID, aClick(), ENRICHMENT)).toMatchObject({
      eventId: ID,
      class: "human",
      browser: "Firefox",
      os: "Linux",
      device: "desktop",
      referrerHost: "news.example.org",
      language: "de-CH",
      city: "Zürich",
      visitor: expect.stringMatching(/^[0-9a-f]{32}$/),
      ruleId: null,
      utmSource: null,
    });
  });

  it("holds rule, variant, destination and UTM parameters if the click has them", async () => {
    const carried = { ruleId: "r1", variantId: "b", destination: "https://example.com/b", utmSource: "mail" };
    expect(await toClickRow(ID, aClick(carried), ENRICHMENT)).toMatchObject(carried);
  });

  it("holds no address, no user agent and no header", async () => {
    expect(JSON.stringify(await toClickRow(ID, aClick(), ENRICHMENT))).not.toMatch(
      /203\.0\.113|Mozilla|today|q=0/,
    );
  });

  it("neither recognises nor locates a visitor who opted out of tracking", async () => {
    expect(await toClickRow(ID, aClick({ optedOut: true }), ENRICHMENT)).toMatchObject({
      country: "CH",
      region: "ZH",
      city: null,
      visitor: null,
    });
  });

  it("has no visitor if the deployment has no secret", async () => {
    expect((await toClickRow(ID, aClick(), createEnrichment(""))).visitor).toBeNull();
  });

  it("can be made from any text, and has none that Postgres refuses", async () => {
    const text = fc.option(fc.string({ unit: "binary", maxLength: 40 }), { nil: null });
    const given = fc.record({
      userAgent: text,
      referrer: text,
      acceptLanguage: text,
      city: text,
      address: text,
      colo: text,
    });
    await fc.assert(
      fc.asyncProperty(given, async (change) => {
        const values = Object.values(await toClickRow(ID, aClick(change), ENRICHMENT));
        for (const value of values.filter((one) => typeof one === "string")) {
          expect(value.isWellFormed() && !value.includes("\0")).toBe(true);
        }
      }),
      runs(),
    );
    const row = await toClickRow(ID, aClick({ city: "a\0b\ud800" }), ENRICHMENT);
    expect(row.city).toBe("ab\ufffd");
  });
});
