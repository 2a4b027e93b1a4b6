/** What is on the disk, for callers to whom something that can't be read is the same as nothing. */
import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync, type Stats } from 'node:fs'
import { sep } from 'node:path'

/** Of a link itself, not of what it leads to. */
export function lstatOf(path: string): Stats | null {
  return orElse(() => lstatSync(path), null)
}

export function realPathOf(path: string): string | null {
  return orElse(() => realpathSync(path), null)
}

export function textOf(path: string): string {
  return orElse(() => readFileSync(path, 'utf8'), '')
}

export function entriesOf(folder: string): Dirent[] {
  return orElse(() => readdirSync(folder, { withFileTypes: true }), [])
}

/** Below the folder, and not the folder itself. Both are absolute, without `..` in them. */
export function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

export function isAtOrWithin(folder: string, path: string): boolean {
  return path === folder || isWithin(folder, path)
}

function orElse<T>(look: () => T, otherwise: T): T {
  try {
    return look()
  } catch {
    return otherwise
  }
}
