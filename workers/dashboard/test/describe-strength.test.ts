import { expect, it } from "vitest";
import { describeStrength } from "../app/people/describe-strength.ts";

it.each([
  ["tractor", "short"],
  ["1234567890", "weak"],
  ["aaaaaaaaaaaaaaaaaaaa", "weak"],
  ["plumtractor", "weak"],
  ["plum tractor velvet", "fair"],
  ["plum tractor velvet under moon", "strong"],
  ["xK9$mQ2vLp4&", "fair"],
])("a new password such as %s looks %s", (password, strength) => {
  expect(describeStrength(password, 10)).toBe(strength);
});
