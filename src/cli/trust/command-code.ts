/**
 * The files in a folder that a command executes or reads, as far as its words show. A word may contain a path: `-r./hook`,
 * `--import=./hook.mjs`, `sh -c './a && ./b'`, `PATH=bin:…`. For code that the words don't show, there is a reason to ask each time.
 */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { findImports, readWhole } from '../../config/program-imports.ts'
import { homeFolder, isAtOrWithin, isWithin, realPathOf, textOf } from '../../files/look.ts'
import { errorText } from '../../protocol/index.ts'
import { launcherOf } from '../../tools/approval/launchers/index.ts'
import { sha256 } from './trust-record.ts'

export interface Command {
  readonly words: readonly string[]
  /** Folders where relative words may start. */
  readonly bases: readonly string[]
}

/** Of these programs, the words show the code. Others that are known to execute code or configuration are asked for each time. */
const INTERPRETERS = /^(?:node(?:js)?|python[\d.]*|perl|ruby|php)(?:\.exe)?$/
/** They execute another command of their arguments. */
const WRAPPERS = /^(?:(?:ba|da)?sh|env|exec|nohup|nice|time|timeout|stdbuf|setsid|sudo)$/
/** Packages of an exact version, and the files of a project that can replace them. */
const PACKAGES: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /^npx\n(?:(?:-y|--yes)\n)?(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+(?:[A-Za-z_.+-][\w.+-]*)?(?:\n|$)/,
    ['package.json', 'node_modules', '.npmrc'],
  ],
  [/^uvx\n[\w.-]+(?:\[[\w,.-]+\])?(?:==|@)\d[\w.]*(?:\n|$)/, ['.python-version', '.python-versions']],
]
/** Code in an argument, a module by its name, a script of package.json. */
const INLINE = /^(?:-\w*[cemp]|--(?:eval|print|run|test|experimental-(?:default-)?config-file)\b|.*data:)/
/** Text that a shell expands or executes. */
const EXPANDED = /[$`*?[\]~\\'"(){}]|\b(?:cd|eval|source)\s|(?:^|\s)\.\s/
const SEPARATORS = /[\s'"`;&|()<>{}=:,@[\]]+/
const SUFFIXES = '|.js|.cjs|.mjs|.ts|.cts|.mts|.tsx|.jsx|.json|.node|.py|.rb|.pl|.pm|.php|.sh'.split('|')
const SCRIPT = /^(?:|\.(?:py|rb|p[lm]|php|\w*sh))$/i
/** An import whose name is computed. */
const COMPUTED = /\b(?:import|require)\s*\(\s*(?:[^'"`\s)]|`[^`]*\$\{|['"][^'"\n]*['"]\s*\+)/
const MOST = 1_000

/** Adds path and hash of each file to `files`; returns the reasons why there may be more. */
export function addCommand(files: Map<string, string>, command: Command, folder: string): string[] {
  const { words, bases } = command
  const names = programsIn(words)
  const interpreter = names.find((name) => INTERPRETERS.test(name)) ?? ''
  const reasons = reasonsIn(command, names, folder)
  const code: Code = { files, reasons, bases, folder, interpreter }
  const open = new Set(words.flatMap((word) => pathsIn(word, bases, folder)))
  for (const path of open) {
    if (open.size > MOST) return [...reasons, `its arguments have more than ${MOST} files`]
    try {
      const parts = statSync(path).isFile() ? partsOfFile(path, code) : partsOfFolder(path, code)
      for (const part of parts) open.add(part)
    } catch (thrown) {
      reasons.push(errorText(thrown))
    }
  }
  return reasons
}

function programsIn(words: readonly string[]): string[] {
  const isWrapped = WRAPPERS.test(basename(words[0] ?? ''))
  const programs = isWrapped ? words.flatMap((word) => word.split(SEPARATORS)) : words.slice(0, 1)
  return programs.map((one) => basename(one))
}

function isLauncher(name: string): boolean {
  return launcherOf(name) !== undefined && !INTERPRETERS.test(name) && !WRAPPERS.test(name)
}

function reasonsIn({ words, bases }: Command, names: readonly string[], folder: string): string[] {
  const isWrapped = names.length > 1
  const launcher = isExactPackage(words, bases, folder) ? undefined : names.find(isLauncher)
  const interpreter = names.find((name) => INTERPRETERS.test(name))
  // Options of the script itself mean something else.
  const script = words.findIndex((word, at) => at > 0 && !/^-/.test(word) && !/^-/.test(words[at - 1] ?? ''))
  const options = isWrapped || script < 0 ? words : words.slice(0, script)
  const isInline = interpreter !== undefined && options.some((word) => INLINE.test(word))
  const isExpanded = isWrapped && words.some((word) => /\s/.test(word) && EXPANDED.test(word))
  return [
    ...(launcher === undefined ? [] : [`${launcher} may execute what files of the project say`]),
    ...(isInline ? [`${interpreter} gets code, or the name of a module`] : []),
    ...(isExpanded ? ['a shell replaces parts of it'] : []),
  ]
}

interface Code {
  readonly files: Map<string, string>
  readonly reasons: string[]
  readonly bases: readonly string[]
  readonly folder: string
  readonly interpreter: string
}

/** Neither the folders of the command nor those above it may replace the package, up to the workspace or the person's own folder. */
function isExactPackage(words: readonly string[], bases: readonly string[], folder: string): boolean {
  const [, local] = PACKAGES.find(([form]) => form.test(words.join('\n'))) ?? []
  if (local === undefined) return false
  const levels = new Set(bases.map((base) => realPathOf(base) ?? base))
  for (const level of levels)
    if (level !== folder && dirname(level) !== homeFolder()) levels.add(dirname(level))
  return local.every((name) => ![...levels].some((level) => existsSync(join(level, name))))
}

function partsOfFolder(path: string, { folder, interpreter, reasons }: Code): string[] {
  if (!isAtOrWithin(path, folder)) return readdirSync(path).map((name) => join(path, name))
  if (interpreter.startsWith('node') && existsSync(join(path, 'package.json')))
    return [createRequire(join(path, 'x')).resolve(path), join(path, 'package.json')]
  reasons.push('it has the whole folder as an argument')
  return []
}

/** Adds its hash; returns the paths of what belongs to it. */
function partsOfFile(path: string, code: Code): string[] {
  const { files, folder, interpreter, reasons, bases } = code
  files.set(realpathSync(path), sha256(readWhole(path)))
  const text = textOf(path)
  const shebang = /^#!(.*)/.exec(text)?.[1]?.trim().split(/\s+/) ?? []
  reasons.push(...reasonsIn({ words: shebang, bases }, programsIn(shebang), folder))
  if (text.includes('NODE_OPTIONS')) reasons.push(`${basename(path)} sets NODE_OPTIONS`)
  const parts = shebang.flatMap((word) => pathsIn(word, bases, folder))
  const kind = /\b(?:node|python)/.exec(shebang.join(' '))?.[0] ?? (extname(path) || interpreter)
  if (/^(?:\.[cm]?[jt]sx?$|node)/.test(kind)) addImports(path, code)
  else if (SCRIPT.test(extname(path)) && !basename(path).startsWith('.') && !text.includes('\0')) {
    if (namesOthers(text, path, code)) reasons.push(`${basename(path)} names other files`)
    // Python searches for modules in the folder of the script.
    if (/^\.?py/.test(kind)) parts.push(dirname(path))
  }
  return parts
}

function addImports(path: string, { files, folder, reasons }: Code): void {
  const imports = [...findImports([path])].map(([one, hash]) => files.set(one, hash) && one)
  const own = imports.filter((one) => isWithin(folder, one) && !one.includes('node_modules'))
  const computing = own.find((one) => COMPUTED.test(textOf(one)))
  if (computing !== undefined) reasons.push(`${basename(computing)} imports names that are computed`)
}

function namesOthers(text: string, path: string, { bases, folder }: Code): boolean {
  const code = text.replace(/^[ \t]*#.*$/gm, '')
  const words = new Set(code.split(SEPARATORS))
  const places = [...bases, dirname(path)]
  const isNamed = (word: string) => pathsIn(word, places, folder).some((one) => one !== path)
  const commands = code.split(/[\n;&|]+|\bexec\s/).map((line) => line.trim().split(/\s/, 1)[0] ?? '')
  return (
    words.size > MOST || [...words].some(isNamed) || commands.some(isLauncher) || /[$`][^\s$`]*\//.test(code)
  )
}

/** The existing paths, in the workspace and where the command starts, that a word may name, also as a module without its extension. */
function pathsIn(word: string, bases: readonly string[], folder: string): string[] {
  // An empty part of a search path is the current folder.
  const empty = /^\w*PATH=./.test(word) && word.split(/[=:]/).includes('') ? ['.'] : []
  const pieces = [word, ...word.split(SEPARATORS)].flatMap((one) => [one, one.replace(/^-\w/, '')])
  const found = [...new Set([...pieces.filter(Boolean), ...empty])].flatMap((piece) =>
    bases.flatMap((base) => SUFFIXES.map((suffix) => resolve(base, piece) + suffix)),
  )
  const isInside = (path: string) =>
    [folder, ...bases].some((one) => isAtOrWithin(one, path) || isAtOrWithin(path, one))
  return found.filter((path) => existsSync(path) && (isInside(path) || isInside(realPathOf(path) ?? path)))
}
