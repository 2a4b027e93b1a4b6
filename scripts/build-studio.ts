// `npm run studio`, and part of `npm install`: builds the web page into studio/dist, unless it is there as its sources are. `--force`
// builds it anyway.

import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const stamp = join(root, 'studio/dist/.sources')

/** What goes into it. */
const SOURCES = [
  'studio/index.html',
  'studio/vite.config.ts',
  'studio/public/*',
  'studio/src/**/*.*',
  'src/{protocol,views,client}.ts',
  'src/{protocol,views,client,streams,strategies,arithmetic}/**/*.ts',
  'package-lock.json',
]

const hash = createHash('sha256')
for (const file of globSync(SOURCES, { cwd: root }).sort()) hash.update(file).update(readFileSync(join(root, file)))
const sources = hash.digest('hex')

const isThere = existsSync(stamp) && readFileSync(stamp, 'utf8') === sources
if (!isThere || process.argv.includes('--force')) {
  await build({ configFile: join(root, 'studio/vite.config.ts'), logLevel: 'warn' })
  writeFileSync(stamp, sources)
}
