/** What one person prefers in this browser: the theme, and the time zone of all dates and days. */
import { createAtom, useSelector } from "@tanstack/react-store";
import { attempt } from "./attempt.ts";
import { THEME_NAMES } from "./words.ts";
type Theme = keyof typeof THEME_NAMES;
export const THEMES = Object.keys(THEME_NAMES) as Theme[];
export type Preferences = {
  readonly theme: Theme;
  /** As the device says, until another one is chosen. */
  readonly timeZone: string;
  /** `null`: none. */
  readonly chosenZone: string | null;
};

const KEY = "hopline.preferences";
const preferences = createAtom(read());

export function usePreferences(): Preferences {
  return useSelector(preferences);
}

/** That of all dates; a page that stays open when it changes has to be drawn again. */
export function preferredZone(): string {
  return preferences.get().timeZone;
}

export function setPreferences(change: Partial<Omit<Preferences, "timeZone">>): void {
  const { theme, chosenZone } = { ...preferences.get(), ...change };
  preferences.set(toPreferences(theme, chosenZone));
  // Without storage the choice lasts as long as the page.
  attempt(() => localStorage.setItem(KEY, JSON.stringify({ theme, timeZone: chosenZone })));
  applyTheme();
}

/** The style sheet has rules for light and dark, and follows the system without one. */
export function applyTheme(): void {
  document.documentElement.dataset["theme"] = preferences.get().theme;
}

function toPreferences(theme: Theme, chosenZone: string | null): Preferences {
  return { theme, chosenZone, timeZone: chosenZone ?? deviceZone() };
}

export function deviceZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function read(): Preferences {
  const kept = attempt((): unknown => JSON.parse(localStorage.getItem(KEY) ?? ""));
  const { theme, timeZone } = {
    ...(kept as { readonly theme?: unknown; readonly timeZone?: unknown } | null),
  };
  return toPreferences(
    THEMES.find((one) => one === theme) ?? "system",
    typeof timeZone === "string" && isTimeZone(timeZone) ? timeZone : null,
  );
}

function isTimeZone(name: string): boolean {
  return attempt(() => Intl.DateTimeFormat("en", { timeZone: name })) !== null;
}
