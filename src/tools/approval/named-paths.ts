/**
 * The paths that a command may name, as far as that can be told without running it: in which folders its words are looked up,
 * what a shell makes of its wildcards, and what stands within a word.
 */
import { isAbsolute, posix, relative, resolve, sep } from 'node:path'
import { globMatcher, isRestrictedPath } from '../glob.ts'
import { mayOverlap } from '../glob-overlap.ts'
import { readCommand } from './command.ts'
import { hasWildcard } from './policy.ts'

/** Relative to the workspace; null if there are too many to tell. */
export function namesInCommand(command: string, workspace: string, folder: string): string[] | null {
  const words = readCommand(command).parts.flat()
  const pieces = words.flatMap((word) => word.split(BETWEEN_NAMES)).filter((piece) => piece !== '')
  const folders = foldersOf(pieces, folder)
  if (folders.size > MAX_FOLDERS) return null
  const paths = new Set([...words, ...pieces, ...pieces.map((piece) => piece.replace(/^-\w(?=.)/, ''))])
  if (paths.size * folders.size > MAX_NAMES) return null
  const inFolders = (path: string) => [...folders].flatMap((one) => namesOf(path, workspace, one))
  return [...new Set([...paths].flatMap(inFolders))]
}

/** Relative to the workspace, as seen from a folder; as it stands if it leads elsewhere. */
export function namesOf(path: string, workspace: string, folder = '.'): string[] {
  if (path === '') return []
  if (LEADS_ANYWHERE.test(path)) return tailsOf(path)
  const name = relative(workspace, resolve(workspace, folder, path)).replaceAll(sep, '/') || '.'
  return [name.startsWith('..') || isAbsolute(name) ? withoutLeading(path) : name]
}

/** Without dots and slashes at its beginning, as far as a slash follows them. */
function withoutLeading(path: string): string {
  const leading = /^[./]*/.exec(path)?.[0].length ?? 0
  return path.slice(Math.min(leading, path.lastIndexOf('/')))
}

/** A word with wildcards names all that it fits. A shell does not let a leading wildcard stand for a dot. */
export function mayName(pattern: string, name: string): boolean {
  if (isRestrictedPath(pattern, name)) return true
  if (!hasWildcard(name)) return false
  const word = name.toLowerCase()
  const fitsSample = samplesOf(pattern).some((sample) => {
    const isDotted = sample.startsWith('.') || sample.includes('/.')
    if (isDotted && /(^|\/)[*?[]/.test(word)) return false
    // `cat *` stays in its folder; of `git diff -- '*.json'` that is not known.
    const staysAbove = sample.includes('/') && !/\/|[^*?[\]{}]{2}/.test(word)
    return !staysAbove && fitsGlob(word, sample)
  })
  return fitsSample || mayOverlap(pattern, word)
}

/** Some of the names that a pattern stands for. */
function samplesOf(pattern: string): string[] {
  const plain = pattern
    .toLowerCase()
    .replace(/^\.\/|\/$/g, '')
    .replaceAll('**/', '')
    .replaceAll('\\', '')
  return ['', 'x'].map((any) => plain.replace(/\*+/g, any).replaceAll('?', 'x'))
}

function fitsGlob(glob: string, name: string): boolean {
  try {
    return globMatcher(glob)(name)
  } catch {
    return true // too much to say what it does not name
  }
}

/** Words after which the next one is the folder that names are relative to. */
const ENTERS = new Set(['cd', 'pushd', '-C', '--directory', '--chdir', '--cwd', '--prefix'])

/** A command with more of them is not looked through: it may name anything. Folders are those that it enters, in any order. */
const MAX_FOLDERS = 32
const MAX_NAMES = 20_000

/** A name may be part of a word: --file=.env, @.env, HEAD:.env, {.env,x}, sh -c 'cat .env', $'.env'. */
const BETWEEN_NAMES = /[\s=:,@;&|<>()"'`{}\\$]+/

/** $PWD/.env, ~+/.env, /proc/self/cwd/.env */
const LEADS_ANYWHERE = /^(?:[$~]|\/+proc\/)/
const MAX_PARTS = 40

function tailsOf(path: string): string[] {
  const parts = posix.normalize(path).split('/').filter(Boolean).slice(-MAX_PARTS)
  return parts.map((_, i) => parts.slice(i).join('/'))
}

/** Where it may be: each folder that it enters, from each that it may have been in before. */
function foldersOf(pieces: readonly string[], start: string): ReadonlySet<string> {
  const folders = new Set([posix.normalize(start)])
  for (let i = 0; i < pieces.length && folders.size <= MAX_FOLDERS; i++) {
    const entered = enteredAt(pieces, i)
    if (entered === undefined) continue
    for (const folder of [...folders])
      folders.add(isAbsolute(entered) ? entered : posix.join(folder, entered))
  }
  return folders
}

function enteredAt(pieces: readonly string[], i: number): string | undefined {
  const piece = pieces[i] as string
  if (!ENTERS.has(piece)) return /^-\w*C([\s\S]+)$/.exec(piece)?.[1]
  let next = i + 1
  while (pieces[next]?.startsWith('-')) next++
  return pieces[next]
}
