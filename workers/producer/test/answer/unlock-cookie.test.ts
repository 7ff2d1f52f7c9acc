import { expect, it } from "vitest";
import { createUnlockCookies } from "../../src/answer/password/unlock-cookie.ts";

const LINK = { linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f", version: 1 };
const REQUEST = { url: "https://go.example.com/locked", path: "/locked" };
const SECRET = Buffer.alloc(32, 7).toString("base64");

it.each(["", "not base64 at all", "====", "ä"])(
  "a SEAL_KEY that is no key (%j) unlocks nothing, issues nothing and rejects nothing",
  async (secret) => {
    const usable = await createUnlockCookies(SECRET, () => 0).issue(LINK, REQUEST);
    const cookies = createUnlockCookies(secret, () => 0);
    expect(await cookies.issue(LINK, REQUEST)).toBeNull();
    expect(await cookies.isUnlocked(LINK, usable)).toBe(false);
  },
);
