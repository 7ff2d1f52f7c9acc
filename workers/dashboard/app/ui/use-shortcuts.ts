/** Single keys, while nobody types into a field and no dialog is open. */
import { useEffect, useRef } from "react";

export function useShortcuts(shortcuts: { readonly [key: string]: (event: KeyboardEvent) => void }): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTaken =
        event.defaultPrevented ||
        document.querySelector(".dialog, .popup") !== null ||
        (event.target instanceof Element && event.target.closest("input, textarea, select") !== null);
      const shortcut = current.current[event.key];
      if (isTaken || shortcut === undefined || event.ctrlKey || event.metaKey || event.altKey) {
        return;
      }
      event.preventDefault();
      shortcut(event);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
