// `npm run measure [-- folder]`: figures about the sources of this checkout, or of the one in the folder. Tests are not counted.

import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findCycles } from './find-cycles.ts'
import { readImports } from './read-imports.ts'

const ours = join(import.meta.dirname, '..')
const root = process.argv[2] ?? ours
const files = globSync('{src,examples,bench}/**/*.{ts,tsx}', { cwd: root }).filter((file) => !isTest(file))
const texts = files.map((file) => readFileSync(join(root, file), 'utf8'))
const lengths = texts.map((text) => text.trimEnd().split('\n').length).sort((a, b) => a - b)
const functions = longAndComplex()

const figures = {
  'lines of source': lengths.reduce((sum, length) => sum + length, 0),
  files: files.length,
  'lines of the median file': lengths[Math.floor(lengths.length / 2)],
  'lines of the longest file': lengths.at(-1),
  'lines of the longest function': functions.longest,
  'functions of more than 50 lines': functions.long,
  'functions with a cognitive complexity over 15': functions.complex,
  'casts (as …, without as const)': texts.reduce((sum, text) => sum + castsIn(text), 0),
  'cycles of files or folders, type imports included': findCycles(readImports(root)).length,
}
for (const [name, figure] of Object.entries(figures)) console.log(`${String(figure).padStart(7)}  ${name}`)

function isTest(file: string): boolean {
  return file.endsWith('.test.ts')
}

/** Imports and exports have `as` for another name, comments and texts for anything. */
function castsIn(text: string): number {
  const code = text
    .replace(/^(?:import|export) (?:type )?(?:\{[^}]*\}|\* as \w+).*$/gm, '')
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'/g, '')
  return code.match(/(?<=[\w)\]}!>'"`] )as (?!const\b)[\w{[('"]/g)?.length ?? 0
}

/** As Biome counts them; its default bounds are 50 lines and a complexity of 15. */
function longAndComplex(): { longest: number; long: number; complex: number } {
  const rules = ['noExcessiveLinesPerFunction', 'noExcessiveCognitiveComplexity']
  const only = rules.map((rule) => `--only=complexity/${rule}`)
  const args = ['lint', ...only, '--reporter=json', '--max-diagnostics=none', 'src', 'examples', 'bench']
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1e8 } as const
  const { stdout } = spawnSync(join(ours, 'node_modules/.bin/biome'), args, options)
  const found: { category: string; message: string; location: { path: string } }[] =
    JSON.parse(stdout).diagnostics
  const [long = [], complex = []] = rules.map((rule) =>
    found.filter(({ category, location }) => category.endsWith(rule) && !isTest(location.path)),
  )
  const lines = long.map(({ message }) => Number(/\((\d+)\)/.exec(message)?.[1] ?? 0))
  return { longest: Math.max(0, ...lines), long: long.length, complex: complex.length }
}
