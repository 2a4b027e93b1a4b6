import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DatabaseSync, openDatabaseSync, rollBack } from './sqlite.ts'

/** Node up to 22.19 and 24.6 counts `?1` among the named parameters: a value for it is "column index out of range". */
test('no SQL text has a numbered parameter, which older versions of Node can not bind', () => {
  const source = join(import.meta.dirname, '..')
  const files = globSync('**/*.ts', { cwd: source, exclude: ['**/*.test.ts'] })
  const read = (file: string) => readFileSync(join(source, file), 'utf8')
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((file) => NUMBERED.test(read(file)))).toEqual([])
  expect('const A = `SELECT a FROM b\nWHERE c > ?1`').toMatch(NUMBERED)
})

test('a database waits for locks as long as it is opened for, and a rollback without a transaction does nothing', () => {
  const database = openDatabaseSync(':memory:', 1234)
  expect(Object.values(database.prepare('PRAGMA busy_timeout').get() ?? {})).toEqual([1234])
  rollBack(database)
  database.exec('BEGIN')
  rollBack(database)
  database.exec('BEGIN')
  database.close()
  expect(database).toBeInstanceOf(DatabaseSync)
})

const NUMBERED = /\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|VALUES)\b[^`;]*[\s(,=<>]\?\d/
