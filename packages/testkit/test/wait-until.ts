/** Waits for a condition, and says which one never came; the bound is for a broken build, not for timing. */
export async function waitUntil(
  what: string,
  holds: () => boolean | Promise<boolean>,
  boundMs = 20_000,
): Promise<void> {
  const giveUpAtMs = Date.now() + boundMs;
  while (!(await holds())) {
    if (Date.now() > giveUpAtMs) {
      throw new Error(`still not so: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
