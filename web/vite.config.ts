import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig, type Plugin } from "vite";

const OUT = resolve(import.meta.dirname, "../python/dupack/playground");

/** Gives the service worker the list of files, and their digest as the name of its cache. */
function listed(): Plugin {
  return {
    name: "listed",
    apply: "build",
    closeBundle() {
      const files = (readdirSync(OUT, { recursive: true, withFileTypes: true }) as { isFile(): boolean; parentPath: string; name: string }[])
        .filter((entry) => entry.isFile() && entry.name !== "service-worker.js")
        .map((entry) => resolve(entry.parentPath, entry.name).slice(OUT.length + 1))
        .sort();
      const digest = createHash("sha256");
      for (const file of files) digest.update(file).update(readFileSync(resolve(OUT, file)));
      const script = resolve(OUT, "service-worker.js");
      const text = readFileSync(script, "utf8");
      writeFileSync(script, text.replace("[/* files */]", JSON.stringify(files)).replace("DIGEST", digest.digest("hex").slice(0, 16)));
    },
  };
}

// Relative URLs, so that the page works below any path: `dupack play`, the site, a static host.
export default defineConfig({
  base: "./",
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // All plans are one file: they are small, and whoever looks at one looks at others.
    rollupOptions: { output: { manualChunks: (id) => (id.includes("?raw") ? "plans" : undefined) } },
  },
  plugins: [listed()],
  worker: { format: "es" },
  server: { fs: { allow: [".."] } },
  // A busy machine must not fail a test.
  test: { include: ["tests/*.test.ts"], testTimeout: 600_000 },
} as Parameters<typeof defineConfig>[0]);
