import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { textOf } from './look.ts'
import { closeDescriptor, isDatabasePath, isOpenDatabase } from './open-databases.ts'
import { openFile, readFileBytes } from './open-file.ts'
import { DatabaseSync } from './sqlite.ts'

let folder: string
let store: string
let database: DatabaseSync | null

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-databases-'))
  store = join(folder, 'runs.db')
  database = null
})
afterEach(() => {
  database?.close()
  rmSync(folder, { recursive: true })
})
const at = (name: string) => join(folder, name)

function openStore(): DatabaseSync {
  database = new DatabaseSync(store)
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS a (b); INSERT INTO a VALUES (1)')
  return database
}

/** Whether another process can take an exclusive lock on the database, which it can't while a connection is open. */
function canLock(file: string): boolean {
  const program = `const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    const database = new DatabaseSync(process.argv[1])
    try { database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE'); console.log('locked') } catch { console.log('refused') }`
  return execFileSync(process.execPath, ['--no-warnings', '-e', program, file]).toString() === 'locked\n'
}

describe('the files of an open database', () => {
  it.each(['', '-wal', '-shm'])('are not opened: %s', (end) => {
    openStore()
    expect(existsSync(store + end)).toBe(true)
    expect(() => openFile(store + end)).toThrow('EBUSY')
    expect(() => readFileBytes(store + end)).toThrow('EBUSY')
    expect(textOf(store + end)).toBe('')
    expect(canLock(store)).toBe(false)
  })

  it('are recognised behind links, and where they were renamed to', () => {
    openStore()
    for (const end of ['', '-shm']) {
      linkSync(store + end, at(`hard${end}`))
      symlinkSync(store + end, at(`soft${end}`))
    }
    expect(() => openFile(at('none'))).toThrow('ENOENT')
    for (const end of ['', '-shm']) {
      renameSync(store + end, at(`moved${end}`))
      for (const name of ['hard', 'moved']) expect(() => openFile(at(name + end))).toThrow('EBUSY')
    }
    renameSync(at('moved'), store)
    renameSync(at('moved-shm'), `${store}-shm`)
    for (const end of ['', '-shm']) expect(() => openFile(at(`soft${end}`))).toThrow('EBUSY')
    expect(canLock(store)).toBe(false)
  })

  it('are known by path before they exist', () => {
    openStore()
    expect(isDatabasePath(`${store}-journal`)).toBe(true)
    expect(isDatabasePath(`${store}.owner-12-abc`)).toBe(true)
    expect(isDatabasePath(`${store}.bak`)).toBe(false)
    expect(isDatabasePath(at('other.db'))).toBe(false)
  })

  it('keep their locks where a file was opened before it became a database', () => {
    openStore().close()
    database = null
    const file = openFile(store)
    const again = openStore()
    file.close()
    expect(canLock(store)).toBe(false)
    const { descriptor } = file
    expect(fstatSync(descriptor).ino).toBe(statSync(store).ino)
    again.close()
    database = null
    expect(() => fstatSync(descriptor)).toThrow('EBADF')
  })

  it('are ordinary files again when the last connection is closed', () => {
    const first = openStore()
    const second = new DatabaseSync(store)
    first.close()
    expect(() => openFile(store)).toThrow('EBUSY')
    second.close()
    database = null
    expect(readFileBytes(store).subarray(0, 6).toString()).toBe('SQLite')
    expect(isOpenDatabase(statSync(store, { bigint: true }))).toBe(false)
  })

  it('without this check lose the locks of the whole process', () => {
    openStore()
    closeSync(openSync(store, 'r'))
    expect(canLock(store)).toBe(true)
  })
})

it('reads other files, whole, in part and by chunks, and leaves no descriptor open', () => {
  openStore()
  writeFileSync(at('large'), 'ä'.repeat(400_000))
  const open = () => readdirSync('/proc/self/fd').length
  const before = process.platform === 'linux' ? open() : 0
  expect(readFileBytes(at('large')).toString()).toBe('ä'.repeat(400_000))
  expect(readFileBytes(at('large'), 4).toString()).toBe('ää')
  closeDescriptor(openSync(at('large'), 'r'))
  expect(process.platform === 'linux' ? open() : 0).toBe(before)
})
