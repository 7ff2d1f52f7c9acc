/** GET /api/v1/vocabularies: the words that rules and filters know, for the lists and menus of a dashboard. */
import { createRoute, z } from "@hono/zod-openapi";
import { CONTINENTS } from "@hopline/core/rules/rule";
import { COUNTRY_CODES } from "@hopline/core/rules/compile/country-codes";
import { WEEKDAY_NAMES } from "@hopline/core/rules/compile/rule-input";
import { BROWSER_NAMES, DEVICE_CLASSES, OS_NAMES } from "@hopline/core/rules/device-names";
import { jsonAnswer, needs, NOT_MODIFIED, operation, problems } from "../http/operation.ts";

const names = z.array(z.string());

const VocabulariesBody = z
  .object({
    countries: z.array(z.object({ code: z.string(), name: z.string() })).openapi({
      description: "ISO 3166-1 alpha-2, `XK` (Kosovo) and `T1` (Tor), with their English names, by name.",
      example: [{ code: "CH", name: "Switzerland" }],
    }),
    continents: names,
    devices: names,
    operatingSystems: names,
    browsers: names,
    visitors: names,
    weekdays: names,
    timeZones: names.openapi({ description: "IANA names.", example: ["Europe/Zurich"] }),
  })
  .openapi("Vocabularies");

const route = createRoute({
  method: "get",
  path: "/api/v1/vocabularies",
  operationId: "readVocabularies",
  summary: "Read the words that rules know",
  description:
    "Countries, devices and so on, and time zones. They change with a release: clients may keep them for a day.",
  tags: ["Links"],
  ...needs("links:read", { leastRole: null, reach: "none" }),
  responses: { 200: jsonAnswer("The words.", VocabulariesBody), ...NOT_MODIFIED, ...problems() },
});

export function readVocabulariesOperation() {
  let made: z.infer<typeof VocabulariesBody> | undefined;
  return operation(route, async (context) => {
    made ??= makeVocabularies();
    context.header("cache-control", "private, max-age=86400");
    return context.json(made, 200);
  });
}

function makeVocabularies(): z.infer<typeof VocabulariesBody> {
  const english = new Intl.DisplayNames("en", { type: "region" });
  const countries = COUNTRY_CODES.map((code) => ({
    code,
    name: code === "T1" ? "Tor" : (english.of(code) ?? code),
  }));
  return {
    countries: countries.toSorted((one, other) => one.name.localeCompare(other.name, "en")),
    continents: [...CONTINENTS],
    devices: [...DEVICE_CLASSES],
    operatingSystems: [...OS_NAMES],
    browsers: [...BROWSER_NAMES],
    visitors: ["bot", "human"],
    weekdays: [...WEEKDAY_NAMES],
    timeZones: [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])],
  };
}
