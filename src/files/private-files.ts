/**
 * What Thinkon keeps of runs holds prompts, results and what tools have read: it is for its owner alone, whatever the umask. All
 * files and folders that Thinkon makes for itself are made here; what tools write for the user is not among them.
 *
 * 1. A new file has mode 0600, a new folder 0700.
 * 2. A wider file is tightened when it is opened, and so is a folder named `.thinkon`. Other folders are the user's, and are left alone.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'

/** For functions of Node that create files. */
export const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700
const OTHERS = 0o077
const OWN_FOLDER = '.thinkon'

/** Atomic: a reader sees the old text or the new one, never a part. Makes the folders that it needs. */
export function replaceFile(path: string, text: string): void {
  withDraft(path, { text, flush: false }, renameSync)
}

/** The same for a file that is made once: throws EEXIST if it is there. Not even a crash of the machine leaves it empty. */
export function createFile(path: string, text: string): void {
  withDraft(path, { text, flush: true }, linkSync)
}

function withDraft(
  path: string,
  { text, flush }: { text: string; flush: boolean },
  publish: (draft: string, path: string) => void,
): void {
  makeFolders(dirname(path))
  const draft = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(draft, text, { mode: PRIVATE_FILE, flush })
    publish(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

export function writeFile(path: string, text: string): void {
  writeFileSync(path, text, { mode: PRIVATE_FILE })
}

/** Without `recursive`, with which Node retries forever on file systems such as /proc. */
export function makeFolders(folder: string): void {
  if (!existsSync(folder)) makeFolders(dirname(folder))
  makeFolder(folder)
}

/** One level. */
export function makeFolder(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { mode: PRIVATE_FOLDER })
  else if (basename(folder) === OWN_FOLDER && lstatSync(folder).isDirectory()) tighten(folder)
}

/**
 * Makes an empty file unless there is one: SQLite would make it readable for others. It gives the files beside a database the mode of the
 * database. Where no file can be made, whoever opens it says so.
 */
export function makeDatabaseFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE))
  } catch {}
}

/**
 * Tightens a database that was checked to be one of ours, and the files beside it. By name: to close a file that SQLite has open would
 * release its locks.
 */
export function tightenDatabase(path: string): void {
  for (const end of ['', '-wal', '-shm']) tightenFile(path + end)
}

export function tightenFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) tighten(path)
}

/** What belongs to somebody else stays as it is. */
function tighten(path: string): void {
  try {
    const { mode } = statSync(path)
    if ((mode & OTHERS) !== 0) chmodSync(path, mode & ~OTHERS & 0o7777)
  } catch {}
}
