/**
 * Which folders' configurations a person has trusted, and as what. Kept in the person's own state, not in the folder: a file
 * for each folder, so that processes that trust different folders at the same time do not disturb each other.
 */
import { createHash } from 'node:crypto'
import { chmodSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { entriesOf, textOf } from '../../files/look.ts'
import { makeFolders, replaceFile } from '../../files/private-files.ts'
import { stateFolder } from '../../files/state-folder.ts'
import { errorText, isObject, parseJson, ThinkonError } from '../../protocol/index.ts'
import type { Power } from './powers.ts'

export interface TrustRecord {
  /** Its real path. */
  readonly folder: string
  /** ISO time. */
  readonly at: string
  /** Path and SHA-256 of everything that was there to be executed or believed. */
  readonly files: Readonly<Record<string, string>>
  /** What the question showed. */
  readonly does: readonly Power[]
}

/** Null if the folder is not trusted. A record that is damaged, or that others can write, counts as none, and `warn` says why. */
export function readTrust(folder: string, warn: (why: string) => void = () => {}): TrustRecord | null {
  return readRecord(recordPath(folder), folder, warn)
}

/** The file appears whole or not at all. Throws STORE_IO. */
export function writeTrust(record: TrustRecord): void {
  try {
    makeFolders(trustFolder())
    // Whoever can write in it decides what is trusted.
    chmodSync(trustFolder(), 0o700)
    replaceFile(recordPath(record.folder), `${JSON.stringify(record, null, 1)}\n`)
  } catch (cause) {
    throw new ThinkonError(
      'STORE_IO',
      `that you trust ${record.folder} can't be remembered: ${errorText(cause)} (THINKON_TRUST=1 trusts it for one command)`,
      { cause },
    )
  }
}

/** False if it was not trusted. */
export function forgetTrust(folder: string): boolean {
  const path = recordPath(folder)
  const wasThere = statSync(path, { throwIfNoEntry: false }) !== undefined
  rmSync(path, { force: true })
  return wasThere
}

/** By folder. */
export function listTrust(): TrustRecord[] {
  const records = entriesOf(trustFolder())
    .map(({ name }) => name)
    .filter((name) => name.endsWith('.json'))
    .map((name) => readRecord(join(trustFolder(), name)))
    .filter((record) => record !== null)
  return records.sort((a, b) => (a.folder < b.folder ? -1 : 1))
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

export function trustFolder(): string {
  return join(stateFolder(), 'trust')
}

function recordPath(folder: string): string {
  return join(trustFolder(), `${sha256(folder).slice(0, 32)}.json`)
}

function readRecord(
  path: string,
  folder?: string,
  warn: (why: string) => void = () => {},
): TrustRecord | null {
  const [file, place] = [path, trustFolder()].map((one) => statSync(one, { throwIfNoEntry: false }))
  if (file === undefined) return null
  for (const [at, stat] of [
    [path, file],
    [trustFolder(), place],
  ] as const) {
    if (stat !== undefined && isOthers(stat)) {
      warn(`${at} can be written by others, so it is not believed`)
      return null
    }
  }
  const record = parseJson(textOf(path))
  if (isRecord(record) && (folder === undefined || record.folder === folder)) return record
  warn(`${path} is damaged, so it is not believed`)
  return null
}

/** Windows has no such modes, and no user ids. */
function isOthers({ uid, mode }: { uid: number; mode: number }): boolean {
  const own = process.getuid?.()
  if (own === undefined) return false
  return (uid !== own && uid !== 0) || (mode & 0o022) !== 0
}

function isRecord(value: unknown): value is TrustRecord {
  if (!isObject(value) || typeof value.folder !== 'string' || typeof value.at !== 'string') return false
  if (!isObject(value.files) || !Object.values(value.files).every((hash) => typeof hash === 'string'))
    return false
  return Array.isArray(value.does) && value.does.every(isPower)
}

function isPower(value: unknown): boolean {
  return isObject(value) && typeof value.power === 'string' && typeof value.what === 'string'
}
