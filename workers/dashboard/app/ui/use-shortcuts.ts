/** Single keys, while no field has them and no dialog is open; `Mod+k` is Ctrl or ⌘ with K, from a field, too. */
import { useEffect, useRef } from "react";

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
      const shortcut = current.current[`${isMod ? "Mod+" : ""}${event.key}`];
      if (isTaken || shortcut === undefined || event.altKey) {
        return;
      }
      event.preventDefault();
      shortcut(event);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
