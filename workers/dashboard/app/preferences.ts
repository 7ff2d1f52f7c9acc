/** What one person prefers in this browser: the theme, and the time zone of all dates and days. */
import { useSyncExternalStore } from "react";
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
const listeners = new Set<() => void>();
let current: Preferences = read();

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current);
}

/** That of all dates; a page that stays open when it changes has to be drawn again. */
export function preferredZone(): string {
  return current.timeZone;
}

export function setPreferences(change: Partial<Omit<Preferences, "timeZone">>): void {
  const { theme, chosenZone } = { ...current, ...change };
  current = toPreferences(theme, chosenZone);
  try {
    localStorage.setItem(KEY, JSON.stringify({ theme, timeZone: chosenZone }));
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  applyTheme();
  listeners.forEach((listener) => listener());
}

/** The system's theme is what the style sheet follows by itself. */
export function applyTheme(): void {
  const { theme } = current;
  if (theme === "system") {
    delete document.documentElement.dataset["theme"];
  } else {
    document.documentElement.dataset["theme"] = theme;
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function toPreferences(theme: Theme, chosenZone: string | null): Preferences {
  return { theme, chosenZone, timeZone: chosenZone ?? deviceZone() };
}

export function deviceZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function read(): Preferences {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    const { theme, timeZone } = (typeof kept === "object" && kept !== null ? kept : {}) as {
      readonly [name: string]: unknown;
    };
    return toPreferences(
      THEMES.find((one) => one === theme) ?? "system",
      typeof timeZone === "string" && isTimeZone(timeZone) ? timeZone : null,
    );
  } catch {
    return toPreferences("system", null);
  }
}

function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
