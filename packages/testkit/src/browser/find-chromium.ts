/** Finds a Chromium on this machine: Debian's, Chrome, or the one that CHROMIUM names. The project brings none of its own. */
import { access } from "node:fs/promises";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** An absolute path; `null` if there is none. */
export async function findChromium(): Promise<string | null> {
  const { CHROMIUM = "" } = process.env;
  for (const place of CHROMIUM === "" ? PLACES : [CHROMIUM]) {
    const isThere = await access(place).then(
      () => true,
      () => false,
    );
    if (isThere) {
      return place;
    }
  }
  return null;
}
