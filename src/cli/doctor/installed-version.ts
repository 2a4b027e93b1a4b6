import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The version of an optional package; null if it is not installed where Thinkon finds it. */
export function installedVersion(name: string): string | null {
  try {
    const file = findPackageJSON(name, import.meta.url)
    return file === undefined ? null : String(JSON.parse(readFileSync(file, 'utf8')).version)
  } catch {
    return null
  }
}
