/** What is on the disk, for callers to whom something that can't be read is the same as nothing. */
import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, relative, sep } from 'node:path'
import { readFileText } from './open-file.ts'

/** Of a link itself, not of what it leads to. */
export function lstatOf(path: string): Stats | null {
  return orElse(() => lstatSync(path), null)
}

export function realPathOf(path: string): string | null {
  return orElse(() => realpathSync(path), null)
}

export function textOf(path: string): string {
  return orElse(() => readFileText(path), '')
}

export function entriesOf(folder: string): Dirent[] {
  return orElse(() => readdirSync(folder, { withFileTypes: true }), [])
}

/**
 * Of the user. Whom the system does not know (in a container), and who sets no HOME, has none; nor is one that depends on the current
 * folder, whose owner may be anybody: then it is a folder that is not there.
 */
export function homeFolder(): string {
  const home = orElse(homedir, '')
  return isAbsolute(home) ? home : '/nonexistent'
}

/** Below the folder, and not the folder itself. Both are absolute, without `..` in them. */
export function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

export function isAtOrWithin(folder: string, path: string): boolean {
  return path === folder || isWithin(folder, path)
}

/** Relative to the folder if it is inside. */
export function pathIn(path: string, folder: string): string {
  const inside = relative(folder, path)
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? path : inside || '.'
}

function orElse<T>(look: () => T, otherwise: T): T {
  try {
    return look()
  } catch {
    return otherwise
  }
}
