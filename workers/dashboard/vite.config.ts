/** Builds the web app into dist/web, as the Worker serves it. */
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  // Vite would keep a folder of its own beside the sources.
  cacheDir: "../../dist/vite",
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    // Named in test/bundle-budget.test.ts: which files the page loads at first.
    manifest: true,
    // Nothing inline: the content security policy allows files of this origin only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2024",
  },
});
