/** What one person prefers in this browser: the theme, and the time zone of all dates and days. */
import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export type Preferences = { readonly theme: Theme; readonly timeZone: string };

const KEY = "hopline.preferences";
const listeners = new Set<() => void>();
let current: Preferences = read();

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current);
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
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

function read(): Preferences {
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    const { theme, timeZone } = (
      typeof kept === "object" && kept !== null ? kept : {}
    ) as Partial<Preferences>;
    return {
      theme: THEMES.find((one) => one === theme) ?? "system",
      timeZone: typeof timeZone === "string" && isTimeZone(timeZone) ? timeZone : ownZone,
    };
  } catch {
    return { theme: "system", timeZone: ownZone };
  }
}

function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
