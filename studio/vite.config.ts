import { join } from 'node:path'
import { defineConfig } from 'vite'

/** What of Thinkon the page is made with. */
const PARTS = ['protocol', 'views', 'client']

export default defineConfig({
  root: import.meta.dirname,
  // The page is served below any path, and opened from disk.
  base: './',
  resolve: {
    alias: Object.fromEntries(
      PARTS.map((part) => [`thinkon/${part}`, join(import.meta.dirname, `../src/${part}.ts`)]),
    ),
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Nothing is inlined: the policy of the page allows no `data:` but for images.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
  },
})
