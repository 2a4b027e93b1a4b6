/**
 * Checks every file that a configuration loads at the moment when it is loaded: what is executed is what was trusted, whatever
 * has been changed since. Static imports are loaded before any of them is executed. It stays for the life of the process, because
 * strategies and models load parts of themselves later.
 */
import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { realPathOf } from '../../files/look.ts'
import { isOwnFile } from './find-imports.ts'
import { sha256 } from './trust-records.ts'

/** Throws UNTRUSTED to refuse. */
export type CheckFile = (path: string, hash: string) => void

export interface ImportGuard {
  /** This file, and all that it imports, is the configuration's. */
  enter(path: string): void
}

export function guardImports(check: CheckFile): ImportGuard {
  const watched = new Set<string>()
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      const isImported = context.parentURL !== undefined && watched.has(plain(context.parentURL))
      if (isImported && !isOwn(found.url)) watched.add(plain(found.url))
      return found
    },
    load(url, context, next) {
      const loaded = next(url, context)
      if (url.startsWith('file:') && watched.has(plain(url)))
        check(fileURLToPath(url), sha256(bytesOf(loaded.source)))
      return loaded
    },
  })
  return { enter: (path) => void watched.add(pathToFileURL(realPathOf(path) ?? path).href) }
}

function isOwn(url: string): boolean {
  return url.startsWith('node:') || (url.startsWith('file:') && isOwnFile(fileURLToPath(url)))
}

/** `?x` makes it another module of the same file. */
function plain(url: string): string {
  return url.replace(/[?#].*$/, '')
}

function bytesOf(source: unknown): string | Uint8Array {
  if (typeof source === 'string') return source
  if (source instanceof ArrayBuffer) return new Uint8Array(source)
  return ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : ''
}
