/** How the patterns of rules match paths relative to the workspace. */
import { globMatcher } from './glob.ts'

/** For rules that allow: the exact path. `src/` means everything inside. */
export function pathFits(pattern: string, name: string): boolean {
  const plain = pattern.replace(/^\.\//, '')
  if (plain.endsWith('/')) return globOf(`${plain}**`)(name)
  // A glob without a slash would match the last name in any folder.
  if (!plain.includes('/') && plain !== '**' && name.includes('/')) return false
  return globOf(plain)(name)
}

/** For rules that ask or deny: also everything in a matching folder, a bare name anywhere, in any case. */
export function isRestrictedPath(pattern: string, name: string): boolean {
  const fits = globOf(pattern.replace(/^\.\//, '').replace(/\/$/, '').toLowerCase())
  const parts = name.toLowerCase().split('/')
  return parts.some((_, i) => fits(parts.slice(0, i + 1).join('/')))
}

const compiled = new Map<string, (path: string) => boolean>()

function globOf(pattern: string): (path: string) => boolean {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  if (compiled.size >= 1_000) compiled.clear()
  const matcher = globMatcher(pattern)
  compiled.set(pattern, matcher)
  return matcher
}
