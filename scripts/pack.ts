// Node does not strip types under node_modules, so what is published must be JavaScript, while a checkout runs
// its sources. `prepack` builds dist/ and points package.json's exports there; `postpack` puts it back.

import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const manifest = join(root, 'package.json')
const original = join(root, '.package.json.orig')

const steps: Record<string, () => void> = { prepack, postpack }
const step = steps[process.argv[2] ?? '']
if (!step) throw new Error('usage: node scripts/pack.ts prepack|postpack')
step()

// The manifest is changed last: a failed build leaves it as it was, and npm runs no postpack then.
function prepack() {
  postpack() // an earlier pack may have been interrupted
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })

  // What is read at run time, or by editors, and is no code.
  for (const file of globSync('src/**/*.{yaml,schema.json}', { cwd: root }))
    cpSync(join(root, file), join(root, file.replace(/^src/, 'dist')))

  const pkg = JSON.parse(readFileSync(manifest, 'utf8'))
  for (const [subpath, target] of Object.entries<string>(pkg.exports)) {
    if (target.endsWith('.ts')) pkg.exports[subpath] = built(target)
    else pkg.exports[subpath] = target.replace('./src/', './dist/')
  }
  copyFileSync(manifest, original)
  writeFileSync(manifest, `${JSON.stringify(pkg, null, 2)}\n`)
}

function postpack() {
  if (existsSync(original)) renameSync(original, manifest)
}

function built(source: string) {
  const base = source.replace('./src/', './dist/').slice(0, -'.ts'.length)
  return { types: `${base}.d.ts`, default: `${base}.js` }
}
