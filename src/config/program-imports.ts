/**
 * What programs import, found in their text without executing them, and the check of each file when it is loaded: only what was hashed
 * before is executed. Imports are resolved as Node does, into packages too.
 */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { createRequire, isBuiltin, registerHooks } from 'node:module'
import { dirname, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { realPathOf } from '../files/look.ts'
import { readFileBytes } from '../files/open-file.ts'
import { ThinkonError } from '../protocol/index.ts'

const MOST_FILES = 5_000
const LARGEST = 64 * 1024 * 1024
/** `src` of a checkout, or `dist`: the running program is trusted already. */
const OWN_FILES = resolve(import.meta.dirname, '..') + sep
const IMPORTED = /\b(?:from|import|require)\s*(?:\(\s*)?['"`]([^'"`\n]{1,300})['"`]/g
/** A quoted name of a file of code: of a strategy, a model, a worker, the executors. */
const NAMED = /['"`](?:module:)?([^'"`\n]{1,300}\.(?:[cm]?[jt]sx?|json|wasm|node|sh|ya?ml))['"`]/g
/** A quoted relative name: `require` may have another name. */
const RELATIVE = /['"`](\.{1,2}\/[^'"`\n]{1,300})['"`]/g

/** Path and hash of each program and of what it imports. Throws BAD_INPUT if these are too many. */
export function findImports(programs: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  const open = programs.flatMap(realFile)
  for (const path of open) {
    if (found.has(path)) continue
    const content = readWhole(path)
    found.set(path, createHash('sha256').update(content).digest('hex'))
    if (found.size > MOST_FILES)
      throw new ThinkonError(
        'BAD_INPUT',
        `${programs[0]} imports more than ${MOST_FILES} files: THINKON_TRUST=1`,
      )
    if (/\.(?:json|wasm|node|ya?ml)$/.test(path)) continue
    const text = content.toString('utf8')
    const named = [...text.matchAll(NAMED)].map(([, name = '']) => resolve(dirname(path), name))
    const imported = [...text.matchAll(IMPORTED), ...text.matchAll(RELATIVE)].flatMap(([, name = '']) =>
      resolved(name, path),
    )
    open.push(...[...named, ...imported].flatMap(realFile).filter((one) => !one.startsWith(OWN_FILES)))
  }
  return found
}

/**
 * Throws for pipes, devices and other files without an end. A file that is too large is represented by its size and time: a
 * change is noticed, and it is refused when it is loaded.
 */
export function readWhole(path: string): Buffer {
  const about = statSync(path)
  if (!about.isFile()) throw new Error(`${path} is no regular file`)
  return about.size > LARGEST ? Buffer.from(`${about.size} ${about.mtimeMs}`) : readFileBytes(path)
}

function realFile(path: string): string[] {
  const real = realPathOf(path)
  return real !== null && statSync(real, { throwIfNoEntry: false })?.isFile() ? [real] : []
}

/** By `import` and by `require`: which of them a file uses depends on more than its text. */
function resolved(name: string, from: string): string[] {
  if (isBuiltin(name)) return []
  installHooks()
  const attempt = (find: () => string) => {
    try {
      return [find()]
    } catch {
      return []
    }
  }
  parent = pathToFileURL(from).href
  const imported = attempt(() => import.meta.resolve(name)).filter((url) => url.startsWith('file:'))
  parent = undefined
  return [...imported.map((url) => fileURLToPath(url)), ...attempt(() => createRequire(from).resolve(name))]
}

let parent: string | undefined
let isInstalled = false
const watched = new Map<string, CheckFile>()
/** Throws UNTRUSTED to refuse. */
export type CheckFile = (path: string, content: Uint8Array) => void

/** `check` gets this file, and all that it imports, before it is executed, as long as the process lives. */
export function watchImports(path: string, check: CheckFile): void {
  installHooks()
  watched.set(pathToFileURL(realPathOf(path) ?? path).href, check)
}

function installHooks(): void {
  if (isInstalled) return
  isInstalled = true
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, parent === undefined ? context : { ...context, parentURL: parent })
      const check = watched.get(plain(context.parentURL ?? ''))
      const isFile = found.url.startsWith('file:') && !fileURLToPath(found.url).startsWith(OWN_FILES)
      if (check !== undefined && isFile) watched.set(plain(found.url), check)
      return found
    },
    load(url, context, next) {
      const loaded = next(url, context)
      watched.get(plain(url))?.(fileURLToPath(url), Buffer.from((loaded.source ?? '') as string))
      return loaded
    },
  })
}

/** `?x` makes another module of the same file. */
function plain(url: string): string {
  return url.split(/[?#]/)[0] as string
}
