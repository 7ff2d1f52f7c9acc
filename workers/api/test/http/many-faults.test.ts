/** What an answer holds when a request has more faults than a person would read. */
import { expect, it } from "vitest";
import { openKeyedStage } from "../keyed-stage.ts";
import { APP_ORIGIN } from "../people/people-stage.ts";

const { stage, key } = await openKeyedStage("links:read", "links:write");
const unknownFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, 1]));

type Json = { readonly [name: string]: unknown };

async function post(path: string, body: unknown) {
  const response = await stage.app.request(path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, origin: APP_ORIGIN, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, bytes: Buffer.byteLength(text), body: JSON.parse(text) };
}

it.each(["/api/v1/tags", "/api/auth/sign-in"])(
  "names twenty of 60,000 unknown fields at %s, and says how many there are",
  async (path) => {
    const { status, bytes, body } = await post(path, unknownFields(60_000));
    expect([status, body.errors.length]).toEqual([422, 20]);
    expect(body.detail).toMatch(/; and \d{5} more$/);
    expect(bytes).toBeLessThan(64 * 1024);
  },
);

it("cuts the name of a field that is as long as the body", async () => {
  const { status, bytes, body } = await post("/api/v1/tags", { name: "a", ["x".repeat(900_000)]: 1 });
  expect([status, body.errors.length]).toEqual([422, 1]);
  expect(bytes).toBeLessThan(2_048);
});

it("names three faults of each item of a list, and keeps every item's status", async () => {
  const items = Array.from({ length: 500 }, () => unknownFields(100));
  const { bytes, body } = await post("/api/v1/links/bulk", { items });
  expect(body.results).toHaveLength(500);
  expect(body.results[499]).toMatchObject({ code: "invalid" });
  expect(body.results[499].errors).toHaveLength(3);
  expect(body.results[499].errors[2].message).toMatch(/; and \d+ more faults$/);
  expect(bytes).toBeLessThan(512 * 1024);
});

it.each(["bulk", "bulk/update", "bulk/delete"])(
  "an answer of links/%s about faults with names as long as they may be is 512 KB at most, and each item has its code",
  async (path) => {
    const name = "\u0001".repeat(120);
    const items = Array.from({ length: 500 }, (_, item) => ({
      [`${item}a${name}`]: 1,
      [`${item}b${name}`]: 1,
    }));
    const { bytes, body } = await post(`/api/v1/links/${path}`, { items });
    expect(
      body.results.filter(({ code, status }: Json) => code === "invalid" && status === 422),
    ).toHaveLength(500);
    expect(body.results[0].errors.length).toBeGreaterThan(1);
    expect(bytes).toBeLessThan(512 * 1024);
  },
);

it("names twenty of a thousand unknown parameters", async () => {
  const query = new URLSearchParams(Array.from({ length: 1_000 }, (_, index) => [`p${index}`, "1"]));
  const response = await stage.app.request(`/api/v1/tags?${query.toString()}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const text = await response.text();
  expect([response.status, JSON.parse(text).errors?.length]).toEqual([422, 20]);
});
