/**
 * What a program imports, found in its text: nothing is executed. Follows imports as Node resolves them, also into packages, and every
 * text that names a file of code. What is computed can't be seen; guard-imports.ts refuses it when it is loaded.
 */
import { statSync } from 'node:fs'
import { createRequire, isBuiltin, registerHooks } from 'node:module'
import { dirname, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { realPathOf } from '../../files/look.ts'
import { readFileBytes } from '../../files/open-file.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { sha256 } from './trust-records.ts'

const MOST_FILES = 5_000

/** Path and hash of each file, the given ones included; `given` that can't be read are left out. */
export function findImports(given: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  const open = given.map(realFile).filter((path) => path !== undefined)
  const resolver = openResolver()
  try {
    for (const path of open) {
      if (found.has(path)) continue
      const content = readWhole(path)
      found.set(path, sha256(content))
      if (found.size > MOST_FILES)
        throw new ThinkonError(
          'BAD_INPUT',
          `${given[0]} imports more than ${MOST_FILES} files, too many to be checked: THINKON_TRUST=1 loads it unchecked`,
        )
      if (CODE.test(path)) open.push(...importsIn(content.toString('utf8'), path, resolver.resolve))
    }
  } finally {
    resolver.close()
  }
  return found
}

const LARGEST = 64 * 1024 * 1024

/** Not of pipes, devices and whatever else has no end; a file that is too large counts as empty, and is refused when it is loaded. */
export function readWhole(path: string): Buffer {
  const about = statSync(path)
  if (!about.isFile()) throw new Error(`${path} is no regular file`)
  return about.size > LARGEST ? Buffer.alloc(0) : readFileBytes(path)
}

/** The running program is trusted already. */
export function isOwnFile(path: string): boolean {
  return path.startsWith(OWN_FILES)
}

/** `src` of a checkout, or `dist`. */
const OWN_FILES = resolve(import.meta.dirname, '../..') + sep
const CODE = /\.[cm]?[jt]s$/
/** Behind `from`, `import`, `import(` or `require(`. In linear time, however many spaces there are. */
const IMPORTED = /\b(?:from|import|require)\s*(?:\(\s*)?['"`]([^'"`\n]{1,300})['"`]/g
/** Any text that names a file: of a strategy, a model, a worker, the executors. */
const NAMED = /['"`](?:module:)?([^'"`\n]{1,300}\.(?:[cm]?[jt]s|json|wasm|node|ya?ml))['"`]/g

type Resolve = (specifier: string, from: string) => string[]

function importsIn(text: string, from: string, resolveImport: Resolve): string[] {
  const imported = [...text.matchAll(IMPORTED)].flatMap(([, name = '']) => resolveImport(name, from))
  const named = [...text.matchAll(NAMED)].map(([, name = '']) => resolve(dirname(from), name))
  return [...imported, ...named]
    .map(realFile)
    .filter((path) => path !== undefined && !isOwnFile(path)) as string[]
}

function realFile(path: string): string | undefined {
  const real = realPathOf(path)
  return real !== null && statSync(real, { throwIfNoEntry: false })?.isFile() ? real : undefined
}

/** Resolves like `import` and like `require` of the importing file: which of them it is depends on more than its text. */
function openResolver(): { resolve: Resolve; close(): void } {
  let parent: string | undefined
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      parent === undefined ? next(specifier, context) : next(specifier, { ...context, parentURL: parent }),
  })
  const asImport = (specifier: string, from: string): string[] => {
    parent = pathToFileURL(from).href
    try {
      const url = import.meta.resolve(specifier)
      return url.startsWith('file:') ? [fileURLToPath(url)] : []
    } catch {
      return []
    } finally {
      parent = undefined
    }
  }
  const asRequire = (specifier: string, from: string): string[] => {
    try {
      return [createRequire(from).resolve(specifier)]
    } catch {
      return []
    }
  }
  return {
    resolve: (specifier, from) =>
      isBuiltin(specifier) ? [] : [...asImport(specifier, from), ...asRequire(specifier, from)],
    close: () => hooks.deregister(),
  }
}
