/** Waits for a condition and says which one never came; the deadline is for a broken build, not for timing. */
export async function waitUntil(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAtMs = Date.now() + 20_000;
  while (!(await holds())) {
    if (Date.now() > giveUpAtMs) {
      throw new Error(`waited in vain until ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
