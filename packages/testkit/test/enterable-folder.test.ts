import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { canReach, mayEnter } from "../src/postgres/enterable-folder.ts";

const postgres = { uid: 101, gid: 104 };

describe("entering a folder", () => {
  it.each([
    ["everyone may", { uid: 0, gid: 0, mode: 0o40755 }, true],
    ["only root may", { uid: 0, gid: 0, mode: 0o40700 }, false],
    ["its owner may", { uid: 101, gid: 0, mode: 0o40700 }, true],
    ["its owner may not, though everyone else may", { uid: 101, gid: 0, mode: 0o40077 }, false],
    ["its group may", { uid: 0, gid: 104, mode: 0o40710 }, true],
    ["its group may not, though everyone else may", { uid: 0, gid: 104, mode: 0o40701 }, false],
    ["everyone may read it and not enter", { uid: 0, gid: 0, mode: 0o40744 }, false],
    ["a temporary folder with the sticky bit", { uid: 0, gid: 0, mode: 0o41777 }, true],
  ])("%s", (_, folder, expected) => {
    expect(mayEnter(postgres, folder)).toBe(expected);
  });
});

describe("reaching a path", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "hopline-test-"));
    chmodSync(root, 0o755);
    mkdirSync(join(root, "open/inner"), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  // An account that owns nothing here: the last class of bits decides.
  const stranger = { uid: 4_000_000, gid: 4_000_000 };

  it("asks every ancestor, and not the path itself", () => {
    chmodSync(join(root, "open/inner"), 0o700);
    expect(canReach(stranger, join(root, "open/inner"))).toBe(true);
    expect(canReach(stranger, join(root, "open/inner/not-there-yet"))).toBe(false);
    chmodSync(root, 0o700);
    expect(canReach(stranger, join(root, "open/inner"))).toBe(false);
  });
});
