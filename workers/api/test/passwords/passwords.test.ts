/** Which new passwords are refused, and what that costs. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isInFilter, makeFilter } from "../../src/passwords/bloom-filter.ts";
import { COMMON_PASSWORDS } from "../../src/passwords/common-passwords.ts";
import { findPasswordFault } from "../../src/passwords/find-password-fault.ts";

const ADA = ["ada@example.com", "Ada Lovelace", "Analytical Engines"];

describe("a new password is refused", () => {
  it.each([
    ["password12", "is one of the most common"],
    ["Password123!", "is one of the most common"],
    ["P@ssw0rd2026", "is one of the most common"],
    ["qwertyuiop", "is one of the most common"],
    ["11iloveyou11", "is one of the most common"],
    ["aaaaaaaaaab", "repeats or counts up"],
    ["abcdefghijkl", "repeats or counts up"],
    ["9876543210", "repeats or counts up"],
    ["ada@example.com", "is mostly your own name"],
    ["Lovelace1815", "is mostly your own name"],
    ["analyticalengines", "is mostly your own name"],
    ["Hopline2026!", "is mostly your own name"],
  ])("%s %s", async (password, why) => {
    expect(await findPasswordFault(password, ADA)).toMatch(new RegExp(`^${why}.*: use several`));
  });
});

it.each([
  "correct horse battery",
  "plum velvet tractor",
  "open sesame",
  "xK9$mQ2vLp",
  "ada likes purple tractors",
  "пароль из трёх слов",
  "monkey 81723649102",
])("a new password may be %s, whatever kinds of characters are in it", async (password) => {
  expect(await findPasswordFault(password, ADA)).toBeNull();
});

it("of random passwords at most one in two hundred is taken for a common one, in 45 KB", () => {
  const random = Array.from({ length: 20_000 }, () => randomBytes(9).toString("base64url").toLowerCase());
  expect(random.filter((text) => isInFilter(text, COMMON_PASSWORDS)).length).toBeLessThan(100);
  expect(COMMON_PASSWORDS.length).toBe(45_000);
});

// It refused one of some hundreds, and `pnpm start` was refused again whenever it was run again.
it("no random password of 32 characters, as `pnpm start` makes them, is taken for a common one", async () => {
  const random = Array.from({ length: 20_000 }, () => randomBytes(24).toString("base64url"));
  const faults = await Promise.all(random.map((password) => findPasswordFault(password, ADA)));
  expect(faults.filter((fault) => fault !== null)).toEqual([]);
});

it("a filter has every text that it was made of", () => {
  const texts = Array.from({ length: 1_000 }, (_none, index) => `text ${index}`);
  const filter = makeFilter(texts);
  expect(texts.every((text) => isInFilter(text, filter))).toBe(true);
});
