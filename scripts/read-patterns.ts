// Reads the regular expressions of src/ and studio/src/: the literals from the syntax trees, and those that are put together when a module is
// loaded by loading it. Tests are left out.

import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseAst } from 'vite'

export interface Pattern {
  readonly file: string
  readonly line: number
  readonly source: string
  readonly flags: string
}

/** Loading these would start a program. */
const PROGRAMS = /^src\/(?:cli\/main|tools\/builtin\/search-worker)\.ts$/

export async function readPatterns(root: string): Promise<Pattern[]> {
  const files = globSync(['src/**/*.ts', 'studio/src/**/*.{ts,tsx}'], { cwd: root })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => !file.endsWith('.test.ts') && !file.endsWith('.d.ts') && !file.includes('/assembly/'))
    .sort()
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  const literals = [...texts].flatMap(([file, text]) => literalsOf(file, text))
  const composing = [...texts].filter(([file, text]) => /\bRegExp\(/.test(text) && /^src\//.test(file))
  const composed = await composedIn(
    root,
    composing.map(([file]) => file).filter((file) => !PROGRAMS.test(file)),
  )
  return [...literals, ...composed]
}

function literalsOf(file: string, text: string): Pattern[] {
  const patterns: Pattern[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, regex, start } = node as {
      type?: string
      regex?: { pattern: string; flags: string }
      start?: number
    }
    if (type === 'Literal' && regex && start !== undefined)
      patterns.push({ file, line: lineOf(text, start), source: regex.pattern, flags: regex.flags })
    for (const part of Object.values(node)) visit(part)
  }
  visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }))
  return patterns
}

/** Made while their modules are loaded. Those that are made later depend on the input; their makers escape it. */
async function composedIn(root: string, files: readonly string[]): Promise<Pattern[]> {
  const native = globalThis.RegExp
  const patterns: Pattern[] = []
  const place = new native(`${pathToFileURL(root).href.replaceAll('.', '\\.')}/(src/[^:?]+):(\\d+)`)
  globalThis.RegExp = new Proxy(native, {
    construct(target, args, newTarget) {
      const made = Reflect.construct(target, args, newTarget) as RegExp
      const [, file, line] = place.exec(new Error().stack ?? '') ?? []
      if (file !== undefined)
        patterns.push({ file, line: Number(line), source: made.source, flags: made.flags })
      return made
    },
  })
  try {
    for (const file of files) await import(pathToFileURL(join(root, file)).href)
  } finally {
    globalThis.RegExp = native
  }
  return patterns
}

function lineOf(text: string, at: number): number {
  let line = 1
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++
  return line
}
