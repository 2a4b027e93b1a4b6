/**
 * What the sandbox has to do with the result of a command. Programs report what it does as something else: a protected file is "busy",
 * a hidden key "does not exist", a host "can't be resolved". Who believes that draws wrong conclusions, or tries again.
 */
import { basename } from 'node:path'
import { homeFolder } from '../files/look.ts'
import type { ProcessEnd } from './run-process.ts'
import { trustedBy } from './trusted-files.ts'

interface Circumstances {
  readonly network: boolean
  readonly hidden: readonly string[]
  readonly denied: readonly string[]
  readonly placeholders: readonly string[]
  /** Trusted files that appeared or changed. */
  readonly changed: readonly string[]
}

export function sandboxNotes(command: string, end: ProcessEnd, around: Circumstances): string[] {
  return [
    ...readOnlyNote(command, end),
    ...hiddenNote(command, end, around.hidden),
    ...ownNote(command, end),
    ...deniedNote(end, around.denied),
    ...(around.network ? [] : networkNote(end)),
    ...placeholderNote(end, around.placeholders),
    ...changeNote(around.changed),
  ]
}

const READ_ONLY = /Read-only file system|Device or resource busy|EROFS|EBUSY/
/** `echo x > package.json`, where there is none. */
const STAND_IN = /Is a directory|EISDIR/

function readOnlyNote(command: string, { exitCode, stdout, stderr }: ProcessEnd): string[] {
  // Models like to write `2>&1 | tail`: the words are then in stdout, and the exit code is that of tail.
  const rows = `${stderr}\n${stdout}`.split('\n')
  const refused = rows.filter((row) => READ_ONLY.test(row))
  const named = trustedIn([...refused, ...rows.filter((row) => exitCode !== 0 && STAND_IN.test(row))])
  // `sed -i` names only its own temporary file.
  const found = named ?? (refused.length > 0 ? trustedIn([command]) : undefined)
  if (found !== undefined) {
    const instead = NEVER_WRITTEN.test(found)
      ? 'only a person can change it.'
      : 'a file tool can write it, if a person agrees.'
    return [
      `${found} is read-only for commands in the sandbox, because other programs execute or trust it; ${instead}`,
    ]
  }
  if (rows.some(isNpmCache)) return [NPM]
  return refused.length > 0 && exitCode !== 0 ? [OUTSIDE] : []
}

const OUTSIDE = 'Commands in the sandbox can write in the workspace and in /tmp only.'
/** Of what npm says, `tail` may show the end alone. */
const NPM_CACHE = /^npm (?:error|ERR!) (?:rofs|code EROFS)/

function isNpmCache(row: string): boolean {
  const at = row.search(/EROFS\b/)
  return NPM_CACHE.test(row) || (at !== -1 && row.includes('_cacache', at))
}

/** Where npm may write. */
export const NPM_FOLDER = '/tmp/.npm'
const NPM = `npm can only read its cache in the sandbox; with --cache ${NPM_FOLDER} it has one that it can write to.`
/** Not by file tools, either. */
const NEVER_WRITTEN = /(^|\/)\.(git|thinkon)(\/|$)/

function trustedIn(texts: readonly string[]): string | undefined {
  const words = texts.flatMap((text) => text.split(/[\s'"`:;|&<>()=‘’]+/))
  return words.find((word) => trustedBy(word) !== null)
}

function hiddenNote(command: string, { stderr }: ProcessEnd, hidden: readonly string[]): string[] {
  const text = `${command}\n${stderr}`
  const found = hidden.find((path) => spellings(path).some((one) => names(text, one)))
  return found === undefined
    ? []
    : [`Files that may hold keys are hidden from commands in the sandbox, among them ${found}.`]
}

const UNREADABLE = /permission denied|EACCES|no such file|ENOENT/i

const OWN_STATE = /(?:^|[\s/'"=])\.thinkon\/(?!executors|blueprints)\S/

function ownNote(command: string, { stderr }: ProcessEnd): string[] {
  return OWN_STATE.test(command) && UNREADABLE.test(stderr)
    ? ['Of .thinkon, commands in the sandbox see executors and blueprints only.']
    : []
}

/** "Permission denied" would lead to `chmod`. */
function deniedNote({ stdout, stderr }: ProcessEnd, denied: readonly string[]): string[] {
  const rows = `${stderr}\n${stdout}`.split('\n').filter((row) => UNREADABLE.test(row))
  const found = denied.find((path) => rows.some((row) => names(row, basename(path))))
  return found === undefined ? [] : [`A rule denies reading ${basename(found)}, to commands, too.`]
}

function spellings(path: string): string[] {
  const home = process.env.HOME ?? homeFolder()
  if (!path.startsWith(`${home}/`)) return [path]
  return [path, ...['~', '$HOME', `\${HOME}`].map((name) => name + path.slice(home.length))]
}

function names(text: string, path: string): boolean {
  const [, ...after] = text.split(path)
  return after.some((rest) => !/^[\w.-]/.test(rest))
}

const UNREACHABLE =
  /could not resolve host|failure in name resolution|name or service not known|network is unreachable|ENOTFOUND|EAI_AGAIN|ENETUNREACH/i

function networkNote({ stdout, stderr }: ProcessEnd): string[] {
  return UNREACHABLE.test(stderr) || UNREACHABLE.test(stdout)
    ? ['Commands in the sandbox have no network; only a person can give it to them, in the configuration.']
    : []
}

/** A list of files would be misleading without it. */
function placeholderNote({ stdout }: ProcessEnd, placeholders: readonly string[]): string[] {
  const words = new Set(stdout.split(/[\s/'":,]+/))
  const listed = placeholders.filter((name) => words.has(name))
  if (listed.length === 0) return []
  const names = listed.join(', ')
  return [
    `There is no ${names}: empty, read-only folders are in their place while a command runs in the sandbox.`,
  ]
}

function changeNote(changed: readonly string[]): string[] {
  if (changed.length === 0) return []
  const names = changed.slice(0, MAX_NAMED).join(', ')
  const more = changed.length > MAX_NAMED ? ` and ${changed.length - MAX_NAMED} more` : ''
  return [
    `While the command ran, files appeared or changed that other programs execute or trust; look at them before you use them: ${names}${more}`,
  ]
}

const MAX_NAMED = 20
