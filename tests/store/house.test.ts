// Deleting, sweeping and importing, with processes that write meanwhile, and processes that are killed in the middle.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../src/kernel/store.ts'
import { exportRun } from '../../src/store/export-run.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { END, START, said, saying, TOPICS } from './house-events.ts'

const PROGRAM = join(import.meta.dirname, 'house-program.ts')
const EXPECTED = TOPICS.map((topic) => said([START, ...saying(topic), END]))
const LASTING = TOPICS.map((topic) => said(saying(topic)))
const TOPIC_LENGTH = saying('').length
const EMPTY = { events: 0, unlisted: 0 }

let folder = ''
let file = ''
const children: ChildProcess[] = []
const stores: Store[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-house-'))
  file = join(folder, 'runs.db')
})

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  for (const store of stores.splice(0)) store.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('while another process writes', () => {
  it('a sweep takes nothing of its runs', async () => {
    const store = open()
    const workers = [start('work', '60'), start('work', '60')]
    let left = workers.length
    for (const { child } of workers) child.once('exit', () => left--)
    let deleted = 0
    while (left > 0) {
      for (const { id, owned } of store.list({ status: 'completed' })) {
        if (owned) continue
        store.delete(id)
        deleted++
      }
      for (const _ of store.sweep()) await new Promise(setImmediate)
      checkAll(store)
    }
    for (const worker of workers) expect(await worker.said).toContain('done')
    expect(deleted).toBeGreaterThan(20)
    checkAll(open())
    for (const { id } of store.list()) store.delete(id)
    sweep(store)
    expect(counts()).toEqual(EMPTY)
  })

  it('two sweeps at once and a writer leave every run whole', async () => {
    const store = open()
    await start('work', '40').said
    const [pruner, worker] = [start('prune'), start('work', '40')]
    for (const { id } of store.list({ status: 'completed', limit: 10 })) {
      try {
        store.delete(id)
      } catch {
        // The other one was faster.
      }
    }
    sweep(store)
    expect(await pruner.said).toContain('done')
    expect(await worker.said).toContain('done')
    checkAll(open())
  })
})

describe('killed in the middle', () => {
  it.each([0, 10, 30, 90])('a prune (after %i ms) leaves each run whole or gone', async (ms) => {
    await start('work', '60').said
    const pruner = start('prune')
    await pruner.begun
    await new Promise((resolve) => setTimeout(resolve, ms))
    pruner.child.kill('SIGKILL')
    await pruner.said
    const store = open()
    checkAll(store)
    sweep(store)
    checkAll(store)
    for (const { id } of store.list()) store.delete(id)
    sweep(store)
    expect(counts()).toEqual(EMPTY)
  })

  it('an import leaves the whole run or nothing, whenever that is', async () => {
    const drafts = Array.from({ length: 60 }, (_, i) => saying(TOPICS[i % TOPICS.length] as string)).flat()
    const whole = said([START, ...drafts, END])
    const source = memoryStore()
    const epoch = source.create({ id: 'big', goal: 'g', strategy: 's' }, { ...START })
    source.append('big', epoch, [...drafts, END], false)
    let text = ''
    for await (const line of exportRun(source, 'big')) text += line
    const big = join(folder, 'big.jsonl')
    writeFileSync(big, text)
    const store = open()
    const first = start('import', big, 'first')
    await first.begun
    const begunMs = performance.now()
    expect(await first.said).toContain('done')
    const tookMs = performance.now() - begunMs
    const seen = new Set<boolean>()
    for (const part of [0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1]) {
      const id = `import ${part}`
      const importer = start('import', big, id)
      await importer.begun
      await new Promise((resolve) => setTimeout(resolve, part * tookMs))
      importer.child.kill('SIGKILL')
      await importer.said
      seen.add(store.has(id))
      if (store.has(id)) expect(said([...store.read(id)])).toBe(whole)
    }
    expect(seen).toContain(false)
    expect(said([...store.read('first')])).toBe(whole)
    for (const { id } of store.list()) store.delete(id)
    sweep(store)
    expect(counts()).toEqual(EMPTY)
  })
})

/** Every run that has ended says what one of the topics says, and the lasting ones all of it, to a reader that remembers nothing. */
function checkAll(store: Store): void {
  const fresh = sqliteStore(file)
  try {
    for (const { id } of store.list({ search: '-lasting' })) {
      const events = fresh.has(id) ? [...fresh.read(id)].slice(1) : []
      for (let i = 0; i + TOPIC_LENGTH <= events.length; i += TOPIC_LENGTH)
        expect(LASTING).toContain(said(events.slice(i, i + TOPIC_LENGTH)))
    }
    for (const { id } of store.list({ status: 'completed' })) {
      const events = fresh.has(id) ? [...fresh.read(id)] : []
      if (events.length > 0) expect(EXPECTED).toContain(said(events))
    }
  } finally {
    fresh.close()
  }
}

function open(): Store {
  const store = sqliteStore(file, { synchronous: 'normal' })
  stores.push(store)
  return store
}

function sweep(store: Store): void {
  for (const _ of store.sweep());
}

function counts(): unknown {
  const database = new DatabaseSync(file)
  try {
    return database
      .prepare(
        `SELECT (SELECT count(*) FROM events) AS events,
         (SELECT count(*) FROM unlisted) AS unlisted`,
      )
      .get()
  } finally {
    database.close()
  }
}

/** `begun`: it has said something. `said`: all that it said until its end. */
function start(...args: string[]): { child: ChildProcess; begun: Promise<unknown>; said: Promise<string> } {
  const child = spawn(process.execPath, [PROGRAM, file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  let text = ''
  child.stdout?.on('data', (data) => (text += data))
  return {
    child,
    begun: once(child.stdout as NodeJS.ReadableStream, 'data'),
    said: once(child, 'close').then(() => text),
  }
}
