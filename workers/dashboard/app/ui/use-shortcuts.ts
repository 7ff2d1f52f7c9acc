/** Single keys, while no field has them and no dialog is open; `Mod+k` is Ctrl or ⌘ with K, from a field, too. */
import { useEffect, useRef } from "react";

const FIND = "Mod+k";
/** Longer ago, a person no longer waits for it. */
const KEPT_MS = 10_000;
/** Pressed before there was a page: kept for the first one. */
let early: KeyboardEvent | null = null;

const keyOf = ({ ctrlKey, metaKey, key }: KeyboardEvent) => `${ctrlKey || metaKey ? "Mod+" : ""}${key}`;

function keepEarly(event: KeyboardEvent): void {
  if (keyOf(event) === FIND && document.querySelector("form") === null) {
    event.preventDefault();
    early = event;
  }
}
addEventListener("keydown", keepEarly);

export function useShortcuts(shortcuts: { readonly [key: string]: (event: KeyboardEvent) => void }): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isMod = event.ctrlKey || event.metaKey;
      const isTaken =
        event.defaultPrevented ||
        document.querySelector(".dialog, .popup") !== null ||
        (!isMod &&
          event.target instanceof Element &&
          event.target.closest("input, textarea, select") !== null);
      const shortcut = current.current[keyOf(event)];
      if (isTaken || shortcut === undefined || event.altKey) {
        return;
      }
      event.preventDefault();
      shortcut(event);
    };
    addEventListener("keydown", onKey);
    if (FIND in current.current) {
      removeEventListener("keydown", keepEarly);
      if (early !== null && performance.now() - early.timeStamp < KEPT_MS) {
        current.current[FIND]?.(early);
      }
      early = null;
    }
    return () => removeEventListener("keydown", onKey);
  }, []);
}
