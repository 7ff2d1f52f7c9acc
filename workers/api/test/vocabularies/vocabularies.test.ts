/** The words that rules know are those that they accept, all of them. */
import { expect, it } from "vitest";
import { openKeyedStage } from "../keyed-stage.ts";
import { clientOf } from "../stage-client.ts";

const { stage, key } = await openKeyedStage("links:read", "links:write");
const hopline = clientOf(stage, key);

it("every word is accepted by a rule, and clients may keep them for a day", async () => {
  const { data: words, response } = await hopline.readVocabularies().withResponse();
  expect(response.headers.get("cache-control")).toBe("private, max-age=86400");
  const to = { url: "https://example.com/there" };
  const when = {
    country: words.countries.map(({ code }) => code),
    continent: words.continents,
    device: words.devices,
    os: words.operatingSystems,
    browser: words.browsers,
  };
  const rules = [
    { id: "all", when, to },
    ...words.visitors.map((visitor) => ({ id: visitor, when: { visitor: visitor as "bot" }, to })),
    {
      id: "days",
      when: { time: { zone: "UTC", days: words.weekdays as "mon"[] } },
      to,
    },
  ];
  const link = await hopline.createLink({ body: { url: "https://example.com/", rules } });
  expect(link.rules).toHaveLength(4);
  expect(words.countries.find(({ code }) => code === "CH")?.name).toBe("Switzerland");
  const zones = [words.timeZones[0] ?? "", "Europe/Zurich", words.timeZones.at(-1) ?? ""];
  expect(words.timeZones).toEqual(
    expect.arrayContaining(["UTC", "Europe/Zurich", "Asia/Kolkata"].slice(0, 2)),
  );
  for (const zone of zones) {
    const time = { zone, start: "08:00", end: "09:00" };
    await hopline.updateLink({ linkId: link.id, body: { rules: [{ id: "zone", when: { time }, to }] } });
  }
});
