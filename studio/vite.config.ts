import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { oneFile } from './one-file.ts'

/** What of Thinkon the page is made with. */
const PARTS = ['protocol', 'views', 'client']

/** `index.html` is the page of a service. `--mode shared`: `shared.html`, one file that is made the page of a run by putting the run in. */
export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  // The page is served below any path, and opened from disk.
  base: './',
  plugins: [leftOut(), ...(mode === 'shared' ? [oneFile()] : [])],
  resolve: {
    alias: Object.fromEntries(
      PARTS.map((part) => [`thinkon/${part}`, join(import.meta.dirname, `../src/${part}.ts`)]),
    ),
  },
  build: {
    outDir: 'dist',
    emptyOutDir: mode !== 'shared',
    target: 'es2023',
    // Nothing is inlined unless it says so: the policy of the page allows no `data:` but for images.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    ...(mode === 'shared' && {
      rolldownOptions: {
        input: join(import.meta.dirname, 'shared.html'),
        output: { codeSplitting: false },
      },
    }),
  },
}))

/** Schema libraries that `thinkon/client` supports and the page does not use. */
const LEFT_OUT = new Set(['zod', '@valibot/to-json-schema'])
const REFUSAL = `const leftOut = () => { throw new Error('this is left out of the page') }
export { leftOut as default }`

function leftOut(): Plugin {
  return {
    name: 'left-out',
    enforce: 'pre',
    resolveId: (id) => (LEFT_OUT.has(id) ? `\0left-out:${id}` : null),
    load: (id) => (id.startsWith('\0left-out:') ? REFUSAL : null),
  }
}
