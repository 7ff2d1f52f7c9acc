import { describe, expect, it } from "vitest";
import { standing } from "../../src/link/limits.ts";

describe("the standing of a link", () => {
  it.each([
    [{}, 0, "open"],
    [{ startsAtMs: 1_000 }, 999, "not-started"],
    [{ startsAtMs: 1_000 }, 1_000, "open"],
    [{ expiresAtMs: 2_000 }, 1_999, "open"],
    [{ expiresAtMs: 2_000 }, 2_000, "expired"],
    [{ startsAtMs: 1_000, expiresAtMs: 2_000 }, 500, "not-started"],
    [{ startsAtMs: 1_000, expiresAtMs: 2_000 }, 1_500, "open"],
    [{ startsAtMs: 2_000, expiresAtMs: 1_000 }, 1_500, "expired"],
  ])("with %j at %d is %s", (limits, nowMs, expected) => {
    expect(standing(limits, nowMs)).toBe(expected);
  });
});
