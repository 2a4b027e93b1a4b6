/**
 * Commits without an end: `node committer.ts <store> <name> <how>`. `keep` keeps the store open; `reopen` opens it for a few commits each
 * time. Prints `<run> <seq>` after each commit, and the code of the error that ends it.
 */
import { writeSync } from 'node:fs'
import { ThinkonError } from '../../src/index.ts'
import type { Draft } from '../../src/kernel/store.ts'
import { sqliteStore } from '../../src/stores.ts'

const [path = '', name = '', how] = process.argv.slice(2)
const TEXT = 'A text of a run, which takes some room in the store. '.repeat(60)

try {
  if (how === 'keep') commit(Number.POSITIVE_INFINITY, name)
  else for (let i = 0; ; i++) commit(1 + (i % 7), `${name}-${i}`)
} catch (thrown) {
  print(ThinkonError.isInstance(thrown) ? thrown.code : String(thrown))
  process.exitCode = 1
}

function commit(count: number, run: string): void {
  const store = sqliteStore(path, { synchronous: 'normal' })
  store.create({ id: run, goal: run, strategy: 'none' }, note(0))
  for (let i = 1; i <= count; i++) print(`${run} ${store.append(run, 1, [note(i)], false)}`)
  store.release(run, 1)
  store.close()
}

/** No two have the same texts. */
function note(i: number): Draft {
  const data = [...TEXT].map((char, at) => (at % 50 === 0 ? String(i) : char)).join('')
  return { type: 'note', n: 1, name: 'committed', data, path: '1', atMs: Date.now() }
}

/** At once: the process is killed. */
function print(line: string): void {
  writeSync(1, `${line}\n`)
}
