// Node does not strip types under node_modules, so what is published must be JavaScript, while a checkout runs its sources. `prepack`
// builds dist/ and changes what is published: package.json points to dist/, and links of the docs to what is not in the package
// become addresses. `postpack` puts the files back.

import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { lineMappings } from './line-map.ts'

const root = join(import.meta.dirname, '..')
/** What was changed, as it was. */
const originals = join(root, '.packing')
/** How declarations import each other. */
const IMPORTED = /((?:from |import\(|declare module )["'])(\.[^"']*)\.ts(["'])/g

const steps: Record<string, () => void> = { prepack, postpack }
const step = steps[process.argv[2] ?? '']
if (!step) throw new Error('usage: node scripts/pack.ts prepack|postpack')
step()

// The build comes first: if it fails, nothing is changed, and npm runs no postpack then.
function prepack() {
  postpack() // an earlier pack may have been interrupted
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  build(Object.values<string>(manifest.exports))
  const address = String(manifest.repository.url).replace(/^git\+|\.git$/g, '')
  change('package.json', () => `${JSON.stringify(published(manifest), null, 2)}\n`)
  for (const page of globSync(['*.md', 'docs/**/*.md'], { cwd: root }))
    change(page, (text) => withAddresses(forReaders(text, address), page, address, manifest.files))
}

function postpack() {
  for (const file of globSync('**/*.*', { cwd: originals }))
    renameSync(join(originals, file), join(root, file))
  rmSync(originals, { recursive: true, force: true })
}

function build(entries: string[]) {
  const dist = join(root, 'dist')
  rmSync(dist, { recursive: true, force: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
  const reached = declarations(entries.filter((entry) => entry.endsWith('.ts')))
  for (const file of globSync('dist/**/*.d.ts', { cwd: root })) {
    if (!reached.has(file)) rmSync(join(root, file))
  }
  for (const file of globSync('dist/**/*.js.map', { cwd: root })) {
    const map = JSON.parse(readFileSync(join(root, file), 'utf8'))
    writeFileSync(join(root, file), JSON.stringify({ ...map, mappings: lineMappings(map.mappings) }))
  }
  // What is read at run time, or by editors, and is no code.
  for (const file of globSync('src/**/*.{yaml,schema.json,wasm,gguf}', { cwd: root }))
    cpSync(join(root, file), join(root, file.replace(/^src/, 'dist')))
}

/** Those that users' compilers read: of what is exported, and of what it is made of. The compiler leaves the names of imported files as they are. */
function declarations(entries: string[]): Set<string> {
  const reached = new Set(
    entries.map((entry) => join(entry.replace('./src/', 'dist/').replace(/\.ts$/, '.d.ts'))),
  )
  for (const file of reached) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, , imported] of text.matchAll(IMPORTED)) reached.add(join(dirname(file), `${imported}.d.ts`))
    writeFileSync(join(root, file), text.replace(IMPORTED, '$1$2.js$3'))
  }
  return reached
}

function change(file: string, edit: (text: string) => string) {
  const text = readFileSync(join(root, file), 'utf8')
  const edited = edit(text)
  if (edited === text) return
  mkdirSync(dirname(join(originals, file)), { recursive: true })
  cpSync(join(root, file), join(originals, file))
  writeFileSync(join(root, file), edited)
}

/**
 * Without what is only for the checkout. The two scripts of packing stay: if this pack is interrupted, the next one begins with the
 * manifest that this one has left, and must put things right.
 */
function published({ devDependencies: _, overrides: __, allowScripts: ___, ...manifest }: Manifest) {
  const { prepack, postpack } = manifest.scripts
  const exports = Object.entries(manifest.exports).map(([subpath, target]) => [subpath, built(target)])
  return { ...manifest, scripts: { prepack, postpack }, exports: Object.fromEntries(exports) }
}

function built(source: string) {
  const target = source.replace('./src/', './dist/')
  if (!target.endsWith('.ts')) return target
  const base = target.slice(0, -'.ts'.length)
  return { types: `${base}.d.ts`, default: `${base}.js` }
}

/** Without the code in comments, which only tests need; files of the repository, such as `src/engine.ts`, are links to it. */
function forReaders(text: string, address: string): string {
  const parts = text.replace(/^<!--[\s\S]*?-->\n/gm, '').split(/(^[ \t]*```[\s\S]*?^[ \t]*```)/m)
  const linked = parts.map((part) =>
    part.startsWith('```')
      ? part
      : part.replace(
          /(?<!\[)`((?:src|tests|examples|scripts|bench|training)\/[\w./-]+)`/g,
          (span, path: string) => {
            if (!existsSync(join(root, path))) return span
            return `[${span}](${address}/${/\.\w+$/.test(path) ? 'blob' : 'tree'}/main/${path})`
          },
        ),
  )
  return linked.join('')
}

/** A link to something in the package stays: it works there, in the repository, and on npm's page of the package. */
function withAddresses(text: string, page: string, address: string, shipped: string[]): string {
  const isShipped = (path: string) =>
    /^[^/]+\.md$|^LICENSE$/.test(path) ||
    (shipped.some((start) => path.startsWith(start)) &&
      !shipped.some((start) => start.startsWith('!') && path.startsWith(start.slice(1))))
  const links = text.replace(/(\]\()(?!#|\w+:)([^)#\s]+)/g, (link, start: string, target: string) => {
    const path = join(dirname(page), target)
    if (isShipped(path)) return link
    const kind = existsSync(join(root, path)) && /\.\w+$/.test(path) ? 'blob' : 'tree'
    return `${start}${address}/${kind}/main/${path}`
  })
  // A picture is shown where it is linked, so its address is that of the file and not of the page about it.
  return links.replace(/((?:src|srcset)=")(?!\w+:)([^"\s]+)/g, (link, start: string, target: string) => {
    const path = join(dirname(page), target)
    return isShipped(path) ? link : `${start}${address}/raw/main/${path}`
  })
}

interface Manifest {
  scripts: Record<string, string>
  devDependencies: unknown
  overrides: unknown
  allowScripts: unknown
  exports: Record<string, string>
}
