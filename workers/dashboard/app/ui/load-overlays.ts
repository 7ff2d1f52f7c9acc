/** Menus, tooltips and messages: the library behind them is loaded when the first screen is there, or when one is wanted sooner. */
import { createAtom, useSelector } from "@tanstack/react-store";
import type * as overlaysModule from "./overlays.tsx";

type Overlays = typeof overlaysModule;

const overlays = createAtom<Overlays | null>(null);
let loading: Promise<void> | null = null;

export function loadOverlays(): void {
  loading ??= import("./overlays.tsx").then(
    (loaded) => overlays.set(loaded),
    () => {
      // Offline, or gone with an older release: the next one who wants it tries again.
      loading = null;
    },
  );
}

/** `null` until they are loaded. */
export function useOverlays(): Overlays | null {
  return useSelector(overlays);
}
