import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

/** What of Thinkon the page is made with. */
const PARTS = ['protocol', 'views', 'client']

export default defineConfig({
  root: import.meta.dirname,
  // The page is served below any path, and opened from disk.
  base: './',
  plugins: [leftOut()],
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

/** What `thinkon/client` loads for schemas of other libraries, and to check values by schemas: the page does neither. */
const LEFT_OUT = new Set(['zod', '@valibot/to-json-schema', '@cfworker/json-schema', 'node:vm'])
const REFUSAL = `const leftOut = () => { throw new Error('this is left out of the page') }
export { leftOut as default, leftOut as validate, leftOut as dereference, leftOut as createContext, leftOut as Script }`

function leftOut(): Plugin {
  return {
    name: 'left-out',
    enforce: 'pre',
    resolveId: (id) => (LEFT_OUT.has(id) ? `\0left-out:${id}` : null),
    load: (id) => (id.startsWith('\0left-out:') ? REFUSAL : null),
  }
}
