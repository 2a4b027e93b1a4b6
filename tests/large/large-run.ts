// A run of many events, and a store that counts how many of them are read.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, type Engine, type EngineOptions } from '../../src/engine.ts'
import type { Strategy } from '../../src/index.ts'
import type { Model } from '../../src/kernel/model.ts'
import type { Store } from '../../src/kernel/store.ts'
import type { Event } from '../../src/protocol/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { inTime } from '../conformance/async.ts'

export const RUN = 'large'
/** The key of the run: a command trusts only outlines that were made with its own. */
export const KEY = 'the key of the large run, for tests'
const BRANCHES = 100
const LEAVES = 40

/** A leaf calls the model twice, a branch its leaves, the root its branches one after the other; the last branch asks a person, too. */
const branching: Strategy = {
  name: 'branching',
  version: 1,
  options: () => ({}),
  async solve(context) {
    if (context.level === 0)
      for (let i = 1; i <= BRANCHES; i++) await context.one(context.call(`branch ${i}`))
    else if (context.level === 1) {
      await context.all(Array.from({ length: LEAVES }, (_, i) => context.call(`leaf ${i + 1}`)))
      if (context.path === LAST_BRANCH)
        await context.one(context.ask({ text: 'go on?', choices: ['yes', 'no'] }))
    } else {
      for (const kind of ['first', 'second'])
        await context.one(context.model({ kind, version: 1, role: 'act', messages: [] }))
    }
    solved.blocks++
    return context.path
  },
}

/** How many blocks have been solved, or replayed, in this process. */
export const solved = { blocks: 0 }

/** The branch that is open when the run is interrupted. */
export const LAST_BRANCH = `1-${BRANCHES}`
const model: Model = {
  id: 'at-once',
  call: async () => ({ text: 'done', usage: { inputTokens: 2, outputTokens: 1 } }),
}

export interface LargeRun {
  readonly file: string
  readonly store: CountingStore
  readonly engine: Engine
  /** How many events it has. */
  readonly seq: number
  remove(): Promise<void>
}

/** A run that stands at its last branch's question; no process works on it. */
export async function largeRun(): Promise<LargeRun> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-large-'))
  const file = join(folder, 'runs.db')
  const first = createEngine(options(file))
  const run = await first.start('a large run', {
    id: RUN,
    strategy: 'branching',
    budget: { calls: 1e6, tokens: 1e9 },
  })
  await inTime(questionOf(run.events), 'the question')
  await first.close()
  const store = countingStore(sqliteStore(file, { synchronous: 'normal', key: KEY }))
  const engine = createEngine({ ...options(file), store })
  const { seq } = store.row(RUN)
  const remove = async () => {
    await engine.close()
    store.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { file, store, engine, seq, remove }
}

function options(store: string): EngineOptions {
  return { model, store, synchronous: 'normal', strategies: [branching], key: KEY }
}

async function questionOf(events: AsyncIterable<{ type: string }>): Promise<void> {
  for await (const { type } of events) if (type === 'signal-asked') return
}

/** Counts the events that it has given. */
export type CountingStore = Store & { given: number; onGiven(): void }

export function countingStore(store: Store): CountingStore {
  function* counted(events: Iterable<Event>): Generator<Event> {
    for (const event of events) {
      counting.given++
      counting.onGiven()
      yield event
    }
  }
  const counting: CountingStore = {
    ...store,
    given: 0,
    onGiven() {},
    read: (run, from, to) => counted(store.read(run, from, to)),
    pick: (run, seqs, from) => counted(store.pick(run, seqs, from)),
  }
  return counting
}
