import { describe, expect, it } from "vitest";

import { createProgress, formatDuration } from "../src/console/progress.ts";

function record(isTTY: boolean) {
  let text = "";
  let nowMs = 0;
  let reminder: { readonly atMs: number; readonly run: () => void } | null = null;
  const progress = createProgress(
    { isTTY, write: (part) => (text += part) },
    () => nowMs,
    (delayMs, run) => {
      reminder = { atMs: nowMs + delayMs, run };
      return () => (reminder = null);
    },
  );
  const pass = (durationMs: number): void => {
    const endsAtMs = nowMs + durationMs;
    while (reminder !== null && reminder.atMs <= endsAtMs) {
      const { atMs, run } = reminder;
      [nowMs, reminder] = [atMs, null];
      run();
    }
    nowMs = endsAtMs;
  };
  return { progress, read: () => text, pass };
}

describe("the progress of a command in a log", () => {
  it("is one line for each finished step", async () => {
    const { progress, read, pass } = record(false);
    expect(await progress.step("Migrations", async () => pass(340))).toBeUndefined();
    expect(read()).toMatch(/^ {2}✓ Migrations +340 ms\n$/);
  });

  it("says nothing about a step that fails: its error is printed once, at the end", async () => {
    const { progress, read } = record(false);
    await expect(progress.step("Migrations", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(read()).toBe("");
  });

  it("says where long work is after every ten seconds of silence", async () => {
    const { progress, read, pass } = record(false);
    await progress.during("Redirects", async (report) => {
      pass(9_000);
      progress.line("news");
      report("round 1 of 3");
      pass(10_000);
      pass(4_000);
      await progress.during("Rules", async () => pass(6_000));
      report("round 2 of 3");
      pass(10_000);
    });
    pass(60_000);
    expect(read()).toBe(
      "news\n  … Redirects: round 1 of 3 (19 s)\n  … Redirects: round 1 of 3 (29 s), Rules (6 s)\n  … Redirects: round 2 of 3 (39 s)\n",
    );
  });
});

describe("the progress of a command on a terminal", () => {
  it("shows what is running and where it is, and erases it again", async () => {
    const { progress, read, pass } = record(true);
    await progress.during("One", async (report) => {
      await progress.during("Two", () => Promise.resolve());
      report("half");
      pass(60_000);
    });
    const frames = read().split("\r\u001B[2K");
    expect(frames).toEqual(["", "  … One", "  … One, Two", "  … One", "  … One: half", ""]);
  });

  it("prints a line above what is running", async () => {
    const { progress, read } = record(true);
    await progress.during("One", async () => progress.line("news"));
    expect(read()).toContain("\r\u001B[2Knews\n\r\u001B[2K  … One");
  });
});

it.each([
  [0.4, "    0 ms"],
  [999, "  999 ms"],
  [1_000, "   1.0 s"],
  [61_250, "  61.3 s"],
])("writes %d ms as %j", (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});
