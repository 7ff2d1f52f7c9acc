/** Single keys, while no field has them and no dialog is open; `Mod+k` is Ctrl or ⌘ with K, from a field, too. */
import { useEffect, useEffectEvent } from "react";

export function useShortcuts(shortcuts: { readonly [key: string]: (event: KeyboardEvent) => void }): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const isMod = event.ctrlKey || event.metaKey;
    const isTaken =
      event.defaultPrevented ||
      document.querySelector(".dialog, .popup") !== null ||
      (!isMod && event.target instanceof Element && event.target.closest("input, textarea, select") !== null);
    const shortcut = shortcuts[`${isMod ? "Mod+" : ""}${event.key}`];
    if (isTaken || shortcut === undefined || event.altKey) {
      return;
    }
    event.preventDefault();
    shortcut(event);
  });
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
