import { describe, expect, it } from "vitest";

import { createProgress, formatDuration } from "../src/console/progress.ts";

function record(isTTY: boolean) {
  let text = "";
  let nowMs = 0;
  const progress = createProgress({ isTTY, write: (part) => (text += part) }, () => nowMs);
  return { progress, read: () => text, pass: (durationMs: number) => (nowMs += durationMs) };
}

describe("the progress of a command", () => {
  it("is one line a finished step where nobody watches", async () => {
    const { progress, read, pass } = record(false);
    expect(await progress.step("Migrations", async () => pass(340))).toBe(340);
    expect(read()).toMatch(/^ {2}✓ Migrations +340 ms\n$/);
  });

  it("says nothing of a step that fails: its error is told once, at the end", async () => {
    const { progress, read } = record(false);
    await expect(progress.step("Migrations", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(read()).toBe("");
  });

  it("shows on a terminal what is running, and takes it away again", async () => {
    const { progress, read } = record(true);
    await progress.during("One", () => progress.during("Two", () => Promise.resolve()));
    const frames = read().split("\r\u001B[2K");
    expect(frames).toEqual(["", "  … One", "  … One, Two", "  … One", ""]);
  });

  it("puts a line above what is running", async () => {
    const { progress, read } = record(true);
    await progress.during("One", async () => progress.line("news"));
    expect(read()).toContain("\r\u001B[2Knews\n\r\u001B[2K  … One");
  });

  it.each([
    [0.4, "    0 ms"],
    [999, "  999 ms"],
    [1_000, "   1.0 s"],
    [61_250, "  61.3 s"],
  ])("writes %d ms as %j", (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text);
  });
});
