/** Which folders a person has trusted, and as what: a file per folder in the state folder. */
import { createHash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { entriesOf, textOf } from '../../files/look.ts'
import { replaceFile } from '../../files/private-files.ts'
import { openState, readState, stateFolder } from '../../files/state-folder.ts'
import { errorText, isObject, parseJson, ThinkonError } from '../../protocol/index.ts'
import type { Power } from './powers.ts'

export interface TrustRecord {
  /** Its real path. */
  readonly folder: string
  /** ISO time. */
  readonly at: string
  /** Path and hash of everything that would be executed or believed. */
  readonly files: Readonly<Record<string, string>>
  /** What the question showed. */
  readonly does: readonly Power[]
}

/** Null if the folder is not trusted. A record that is damaged, or that is not the user's alone, is ignored; `warn` gets the reason. */
export function readTrust(folder: string, warn: (why: string) => void = () => {}): TrustRecord | null {
  const path = recordPath(folder)
  try {
    const text = readState(path)
    if (text === null) return null
    const record = parseJson(text)
    if (isObject(record) && record.folder === folder && isObject(record.files) && Array.isArray(record.does))
      return record as unknown as TrustRecord
    warn(`${path} is damaged, so it is not believed`)
  } catch (thrown) {
    warn(`you are not known to trust ${folder}: ${errorText(thrown)}`)
  }
  return null
}

/** The file appears whole or not at all. Throws STORE_IO. */
export function writeTrust(record: TrustRecord): void {
  try {
    openState(recordsFolder())
    replaceFile(recordPath(record.folder), `${JSON.stringify(record, null, 1)}\n`)
  } catch (cause) {
    const why = `that you trust ${record.folder} can't be remembered: ${errorText(cause)}`
    throw new ThinkonError('STORE_IO', `${why} (THINKON_TRUST=1 trusts it for one command)`, { cause })
  }
}

/** False if it was not trusted. */
export function forgetTrust(folder: string): boolean {
  const wasThere = existsSync(recordPath(folder))
  rmSync(recordPath(folder), { force: true })
  return wasThere
}

/** By folder. */
export function listTrust(): TrustRecord[] {
  const found = entriesOf(recordsFolder()).map(({ name }) => parseJson(textOf(join(recordsFolder(), name))))
  const folders = found.flatMap((one) => (isObject(one) && typeof one.folder === 'string' ? one.folder : []))
  return folders.sort().flatMap((folder) => readTrust(folder) ?? [])
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

function recordsFolder(): string {
  return join(stateFolder(), 'trust')
}

function recordPath(folder: string): string {
  return join(recordsFolder(), `${sha256(folder).slice(0, 32)}.json`)
}
