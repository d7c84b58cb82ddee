import { resolve } from "node:path";
import { defineConfig } from "vite";

// Relative URLs, so that the page works below any path: `dupack play`, the site, a static host.
export default defineConfig({
  base: "./",
  build: {
    outDir: resolve(import.meta.dirname, "../python/dupack/playground"),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: "es" },
  server: { fs: { allow: [".."] } },
});
