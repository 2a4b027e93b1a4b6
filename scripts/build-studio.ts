// `npm run studio`, and part of `npm install`: builds the web pages into studio/dist, unless they are there as their sources are. `--force`
// builds them anyway.

import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'studio/dist')
/** What the page was built from. */
const stamp = join(root, 'node_modules/.cache/studio-sources')

/** What goes into it. */
const SOURCES = [
  'studio/*.{html,ts}',
  'studio/src/**/*.*',
  'src/{protocol,views,client}.ts',
  'src/{protocol,views,client,streams,strategies,arithmetic}/**/*.ts',
  'package-lock.json',
]

const hash = createHash('sha256')
for (const file of globSync(SOURCES, { cwd: root }).sort())
  hash.update(file).update(readFileSync(join(root, file)))
const sources = hash.digest('hex')

// A copy to be packed has the page and not its sources.
const hasSources = existsSync(join(root, 'studio/src'))
const isThere = existsSync(dist) && existsSync(stamp) && readFileSync(stamp, 'utf8') === sources
if (hasSources && (!isThere || process.argv.includes('--force'))) {
  // Tests build it, too, and get the page that is shipped.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  const configFile = join(root, 'studio/vite.config.ts')
  await build({ configFile, logLevel: 'warn' })
  await build({ configFile, logLevel: 'warn', mode: 'shared' })
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, sources)
}
