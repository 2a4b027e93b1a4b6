// Reads which files under src/ and studio/src/ import which: the text of import and export-from statements and of import('…'), which
// Biome's formatting makes regular; an import() of a computed name can't be seen. Tests are left out.

import { globSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'

export interface Import {
  readonly line: number
  /** A path from the root when relative, otherwise a module's name. */
  readonly to: string
  readonly relative: boolean
  readonly kind: 'static' | 'type' | 'dynamic'
}

/** The imports of each file, in the order of the files. */
export type Imports = ReadonlyMap<string, readonly Import[]>

export function readImports(root: string): Imports {
  const files = globSync(['src/**/*.ts', 'studio/src/**/*.{ts,tsx}'], { cwd: root })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
  return new Map(files.map((file) => [file, importsOf(root, file)]))
}

function importsOf(root: string, file: string): Import[] {
  const text = blankComments(readFileSync(join(root, file), 'utf8'))
  const statement =
    /^[ \t]*(?:import|export)(\s+type(?=\s+[\w{*]))?\s*(?:(?:(?!\b(?:import|export)\b)[\w\s{},*$])*?\bfrom\s*)?(['"])(.+?)\2/gm
  const call = /\bimport\(\s*(['"])(.+?)\1/g
  const found: Import[] = []
  const add = (at: number, name: string, kind: Import['kind']) => {
    const relative = name.startsWith('.')
    const to = relative ? posix.join(posix.dirname(file), name) : name
    found.push({ line: text.slice(0, at).split('\n').length, to, relative, kind })
  }
  for (const match of text.matchAll(statement)) add(match.index, match[3] ?? '', match[1] ? 'type' : 'static')
  for (const match of text.matchAll(call)) add(match.index, match[2] ?? '', 'dynamic')
  return found.sort((a, b) => a.line - b.line)
}

// Comments and template texts become spaces, so that an import in them does not count; line numbers stay the same.
// Strings and regular expressions are matched so that a quote or slash in them begins nothing.
function blankComments(text: string): string {
  const string = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/
  const regex = /(?<=[(,=:[!&|?{};]\s*|return )\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//
  const blanked = /\/\*[\s\S]*?\*\/|\/\/.*|`(?:\\[\s\S]|[^`\\])*`/
  const token = new RegExp(`(${string.source}|${regex.source})|${blanked.source}`, 'g')
  return text.replace(token, (all, kept) => kept ?? all.replace(/[^\n]/g, ' '))
}
