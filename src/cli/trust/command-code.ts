/**
 * The files in a folder that a command executes or reads, as far as its words show. A word may contain a path: `-r./hook`,
 * `--import=./hook.mjs`, `sh -c './a && ./b'`, `PATH=bin:…`. For code that the words don't show, there is a reason to ask each time.
 */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { findImports, readWhole } from '../../config/program-imports.ts'
import { isAtOrWithin, isWithin, realPathOf, textOf } from '../../files/look.ts'
import { errorText } from '../../protocol/index.ts'
import { sha256 } from './trust-records.ts'

export interface Command {
  readonly words: readonly string[]
  /** Folders where relative words may start. */
  readonly bases: readonly string[]
  /** In the sandbox, with permission: files that the words name are covered, what these load is not. */
  readonly isGuarded?: boolean
}

/** They execute what files of the project say, whatever their arguments are. */
const LAUNCHERS =
  /^(?:np[mx]|pnp[mx]|yarn|bunx?|deno|g?make|cmake|ninja|just|task|rake|bundle|cargo|go|mvnw?|gradlew?|ant|sbt|uvx?|pipx|poetry|pipenv|hatch|tox|nox|docker(?:-compose)?|podman|nx|turbo|nix|bazel|mise|composer|mix|dotnet|swift)(?:\.\w+)?$/
/** They execute another command of their arguments. */
const WRAPPERS =
  /^(?:\w*sh|env|exec|nohup|nice|time|timeout|stdbuf|setsid|sudo|xargs|cmd|powershell)(?:\.exe)?$/
const INTERPRETERS = /^(?:node(?:js)?|python[\d.]*|perl|ruby|php|lua|tsx|ts-node)(?:\.exe)?$/
/** Code in an argument, a module by its name, a script of package.json. */
const INLINE = /^(?:-\w*[cemp]|--(?:eval|print|run|test)\b|.*data:)/
/** Text that a shell expands or executes. */
const EXPANDED = /[$`*?[\]~\\'"(){}]|\b(?:cd|eval|source)\s|(?:^|\s)\.\s/
const SEPARATORS = /[\s'"`;&|()<>{}=:,@[\]]+/
const SUFFIXES = '|.js|.cjs|.mjs|.ts|.cts|.mts|.tsx|.jsx|.json|.node|.py|.rb|.pl|.pm|.php|.lua|.sh'.split('|')
const SCRIPT = /^(?:|\.(?:py|rb|p[lm]|php|lua|\w*sh))$/
/** An import whose name is computed. */
const COMPUTED = /\b(?:import|require)\s*\(\s*(?:[^'"`\s)]|`[^`]*\$\{|['"][^'"\n]*['"]\s*\+)/
const MOST = 1_000

/** Adds path and hash of each file to `files`; returns the reasons why there may be more. */
export function addCommand(files: Map<string, string>, command: Command, folder: string): string[] {
  const { words, bases, isGuarded = false } = command
  const isWrapped = WRAPPERS.test(basename(words[0] ?? ''))
  const names = (isWrapped ? words.flatMap((word) => word.split(SEPARATORS)) : words.slice(0, 1)).map((one) =>
    basename(one),
  )
  const interpreter = names.find((name) => INTERPRETERS.test(name)) ?? ''
  const open = new Set(words.flatMap((word) => pathsIn(word, bases, folder)))
  const code: Code = { files, reasons: reasonsIn(words, names, interpreter), bases, folder, interpreter }
  for (const path of open) {
    if (open.size > MOST) return [...code.reasons, `its arguments have more than ${MOST} files`]
    try {
      for (const more of isGuarded ? hashFile(path, code) : partsOf(path, code)) open.add(more)
    } catch (thrown) {
      code.reasons.push(errorText(thrown))
    }
  }
  return code.reasons
}

interface Code {
  readonly files: Map<string, string>
  readonly reasons: string[]
  readonly bases: readonly string[]
  readonly folder: string
  readonly interpreter: string
}

function reasonsIn(words: readonly string[], names: readonly string[], interpreter: string): string[] {
  const isWrapped = names.length > 1
  const launcher = names.find((name) => LAUNCHERS.test(name))
  // Options of the script itself mean something else.
  const script = words.findIndex((word, at) => at > 0 && !/^-/.test(word) && !/^-/.test(words[at - 1] ?? ''))
  const options = isWrapped || script < 0 ? words : words.slice(0, script)
  const isInline = interpreter !== '' && options.some((word) => INLINE.test(word))
  const isExpanded = isWrapped && words.some((word) => /\s/.test(word) && EXPANDED.test(word))
  return [
    ...(launcher === undefined ? [] : [`${launcher} executes what files of the project say`]),
    ...(isInline ? [`${interpreter} gets code, or the name of a module`] : []),
    ...(isExpanded ? ['a shell replaces parts of it'] : []),
  ]
}

function hashFile(path: string, { files }: Code): string[] {
  if (statSync(path).isFile()) files.set(realpathSync(path), sha256(readWhole(path)))
  return []
}

/** Paths that belong to a file or a folder. */
function partsOf(path: string, code: Code): string[] {
  const { folder, interpreter, reasons } = code
  if (statSync(path).isFile()) return partsOfFile(path, code)
  if (!isAtOrWithin(path, folder)) return readdirSync(path).map((name) => join(path, name))
  if (interpreter.startsWith('node') && existsSync(join(path, 'package.json')))
    return [createRequire(join(path, 'x')).resolve(path), join(path, 'package.json')]
  reasons.push('it has the whole folder as an argument')
  return []
}

function partsOfFile(path: string, code: Code): string[] {
  hashFile(path, code)
  const { files, folder, interpreter, reasons } = code
  const text = textOf(path)
  const kind = /^#!.*\b(node|python)/.exec(text)?.[1] ?? (extname(path) || interpreter)
  if (/^(?:\.[cm]?[jt]sx?$|node)/.test(kind)) {
    const imports = [...findImports([path])].map(([one, hash]) => files.set(one, hash) && one)
    const own = imports.filter((one) => isWithin(folder, one) && !one.includes('node_modules'))
    const computing = own.find((one) => COMPUTED.test(textOf(one)))
    if (computing !== undefined) reasons.push(`${basename(computing)} imports names that are computed`)
    return []
  }
  if (!SCRIPT.test(extname(path)) || basename(path).startsWith('.') || text.includes('\0')) return []
  if (loadsOthers(text, path, code)) reasons.push(`${basename(path)} names other files`)
  // Python searches for modules in the folder of the script.
  return /^\.?py/.test(kind) ? [dirname(path)] : []
}

function loadsOthers(text: string, path: string, { bases, folder }: Code): boolean {
  const code = text.replace(/^[ \t]*#.*$/gm, '')
  const words = new Set(code.split(SEPARATORS))
  const places = [...bases, dirname(path)]
  const isNamed = [...words].some((word) => pathsIn(word, places, folder).some((one) => one !== path))
  const commands = code.split(/[\n;&|]+|\bexec\s/).map((line) => line.trim().split(/\s/, 1)[0] ?? '')
  return (
    words.size > MOST ||
    isNamed ||
    commands.some((name) => LAUNCHERS.test(name)) ||
    /[$`][^\s$`]*\//.test(code)
  )
}

/** The existing paths in the folder that a word may name, also as a module without its extension. */
function pathsIn(word: string, bases: readonly string[], folder: string): string[] {
  const pieces = new Set([word, ...word.split(SEPARATORS)].flatMap((one) => [one, one.replace(/^-\w/, '')]))
  const found = [...pieces]
    .filter(Boolean)
    .flatMap((piece) => bases.flatMap((base) => SUFFIXES.map((suffix) => resolve(base, piece) + suffix)))
  const isInside = (path: string) => isAtOrWithin(folder, path) || isAtOrWithin(path, folder)
  return found.filter((path) => existsSync(path) && (isInside(path) || isInside(realPathOf(path) ?? path)))
}
