/** Menus, tooltips and messages: the library behind them is loaded when the first screen is there, or when one is wanted sooner. */
import { useSyncExternalStore } from "react";
import type * as overlaysModule from "./overlays.tsx";

type Overlays = typeof overlaysModule;

let overlays: Overlays | null = null;
let loading: Promise<void> | null = null;
const listeners = new Set<() => void>();

export function loadOverlays(): void {
  loading ??= import("./overlays.tsx").then(
    (loaded) => {
      overlays = loaded;
      listeners.forEach((listener) => listener());
    },
    () => {
      // Offline, or gone with an older release: the next one who wants it tries again.
      loading = null;
    },
  );
}

/** `null` until they are loaded. */
export function useOverlays(): Overlays | null {
  return useSyncExternalStore(subscribe, () => overlays);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
