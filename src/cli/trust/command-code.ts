/**
 * The files that a command executes or reads, as far as its words show. A command is remembered if it has one of these forms, and no folder
 * of the workspace as an argument. Any other is asked for each time.
 * 1. `node <script>`: the imports of the script are found in its text.
 * 2. A program of the workspace that is not a script.
 * 3. A package of an exact version, which no file of the workspace can replace.
 * 4. An installed program that is not known to execute other code.
 */
import { hash } from 'node:crypto'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { findImports, readWhole } from '../../config/program-imports.ts'
import { homeFolder, isAtOrWithin, isWithin, realPathOf, textOf } from '../../files/look.ts'
import { errorText } from '../../protocol/index.ts'
import { launcherOf, SET_BY_EXPORT } from '../../tools/approval/launchers/index.ts'

export interface Command {
  /** Also the variables that it gets: `NAME=value`. */
  readonly words: readonly string[]
  /** Its current folder. */
  readonly base: string
}

/** Packages of an exact version, and the files of a project that can replace them. */
const PACKAGES: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /^npx\n(?:(?:-y|--yes)\n)?(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+(?:[A-Za-z_.+-][\w.+-]*)?(?:\n|$)/,
    ['package.json', 'node_modules', '.npmrc'],
  ],
  [/^uvx\n[\w.-]+(?:\[[\w,.-]+\])?(?:==|@)\d[\w.]*(?:\n|$)/, ['.python-version', '.python-versions']],
]
const SEPARATORS = /[\s'"`;&|()<>{}=:,@[\]]+/
/** An import whose name is computed. */
const COMPUTED = /\b(?:import|require)\s*\(\s*(?:[^'"`\s)]|`[^`]*\$\{|['"][^'"\n]*['"]\s*\+)/

/** Adds path and hash of each file to `files`; returns the reason to ask each time, or null. */
export function addCommand(files: Map<string, string>, command: Command, folder: string): string | null {
  const { words, base } = command
  const [program = '', script = ''] = words
  const isNear = (path: string) =>
    [folder, base].some((one) => isAtOrWithin(one, path) || isAtOrWithin(path, one))
  const existing = (names: readonly string[], places: readonly string[]) =>
    names
      .flatMap((name) => places.map((place) => resolve(place, name)))
      .filter((path) => existsSync(path) && (isNear(path) || isNear(realPathOf(path) ?? path)))
  // Programs of the workspace may be in the search path.
  const places = [base, ...(process.env.PATH ?? '').split(delimiter)]
  const programs = existing([program], places).filter(isFile)
  const named = existing(words.slice(1).flatMap(piecesOf), [base])
  try {
    for (const path of [...programs, ...named.filter(isFile)])
      files.set(realpathSync(path), hash('sha256', readWhole(path)))
    if (words.some((word) => SET_BY_EXPORT.test(word))) return 'a variable may change what is executed'
    if (!named.every(isFile)) return 'it has a folder of the workspace as an argument'
    if (programs.length === 0 && isExactPackage(command, folder)) return null
    const launchers = [program, ...programs.map((path) => realpathSync(path))].filter(launcherOf)
    const other = launchers.map((one) => basename(one)).find((one) => !/^node(?:\.exe)?$/.test(one))
    if (other !== undefined) return `${other} may execute what files of the project say`
    const text = programs.find((path) => !readWhole(path).includes(0))
    if (launchers.length === 0) return text === undefined ? null : `${basename(text)} may load other files`
    if (!isFile(resolve(base, script))) return 'it does not name a script first'
    return addImports(resolve(base, script), files, folder)
  } catch (thrown) {
    return errorText(thrown)
  }
}

function addImports(script: string, files: Map<string, string>, folder: string): string | null {
  const imports = [...findImports([script])].map(([path, found]) => files.set(path, found) && path)
  const own = imports.filter((path) => isWithin(folder, path) && !path.includes('node_modules'))
  const computing = own.find((path) => COMPUTED.test(textOf(path)))
  return computing === undefined ? null : `${basename(computing)} imports names that are computed`
}

/** Neither the folder of the command nor those above it may replace the package, up to the workspace or the person's own folder. */
function isExactPackage({ words, base }: Command, folder: string): boolean {
  const [, local] = PACKAGES.find(([form]) => form.test(words.join('\n'))) ?? []
  if (local === undefined) return false
  const levels = new Set([realPathOf(base) ?? base])
  for (const level of levels)
    if (level !== folder && dirname(level) !== homeFolder()) levels.add(dirname(level))
  return local.every((name) => ![...levels].some((level) => existsSync(join(level, name))))
}

/** They may name files: `--data=./a`, `-r./a`. */
function piecesOf(word: string): string[] {
  return [word, ...word.split(SEPARATORS)].flatMap((one) => [one, one.replace(/^-\w/, '')]).filter(Boolean)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
