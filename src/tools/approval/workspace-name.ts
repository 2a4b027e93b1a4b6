import { relative, resolve, sep } from 'node:path'

/** A path as rules name it: from the workspace, without `.` and `..` in it; `.` is the workspace itself. */
export function nameIn(workspace: string, path: string): string {
  if (IS_PLAIN.test(path)) return path
  return relative(workspace, resolve(workspace, path)).replaceAll(sep, '/') || '.'
}

/** Relative, with nothing to resolve: most of what a walk finds. */
const IS_PLAIN = /^(?:[^./\\:][^/\\]*\/)*[^./\\:][^/\\]*$/
