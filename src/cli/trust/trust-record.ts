/** Which folders a person has trusted, and as what: a file per folder in the state folder. */
import { hash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { entriesOf, textOf } from '../../files/look.ts'
import { replaceFile } from '../../files/private-files.ts'
import { openState, readState, stateFolder } from '../../files/state-folder.ts'
import { errorText, isObject, parseJson } from '../../protocol/index.ts'
import type { Power } from './powers.ts'

export interface TrustRecord {
  /** Its real path. */
  readonly folder: string
  /** ISO time. */
  readonly at: string
  readonly rows: readonly Power[]
}

const recordsFolder = () => join(stateFolder(), 'trust')
const recordPath = (folder: string) => join(recordsFolder(), `${hash('sha256', folder).slice(0, 32)}.json`)

/** Null if the folder is not trusted. A record that is damaged, or that is not the user's alone, is ignored; `warn` gets the reason. */
export function readTrust(folder: string, warn: (why: string) => void = () => {}): TrustRecord | null {
  try {
    const text = readState(recordPath(folder))
    if (text === null) return null
    const record = parseJson(text)
    if (isObject(record) && record.folder === folder && Array.isArray(record.rows))
      return record as unknown as TrustRecord
    warn(`${recordPath(folder)} is damaged, so it is not believed`)
  } catch (thrown) {
    warn(`you are not known to trust ${folder}: ${errorText(thrown)}`)
  }
  return null
}

/** The file appears whole or not at all. Throws STORE_IO. */
export function writeTrust(record: TrustRecord): void {
  openState(recordsFolder())
  replaceFile(recordPath(record.folder), `${JSON.stringify(record, null, 1)}\n`)
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
  const folders = found.flatMap((one) => (isObject(one) ? String(one.folder) : []))
  return folders.sort().flatMap((folder) => readTrust(folder) ?? [])
}
