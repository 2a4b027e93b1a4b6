// An answer and a time-out at the same moment: the answer counts, or it is refused. None is accepted and dropped.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import type { Store } from '../../src/kernel/store.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { defineStrategy } from '../../src/strategies/define-strategy.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { later } from '../conformance/later.ts'

const asks = defineStrategy({
  name: 'asks',
  version: 1,
  options: () => ({}),
  solve: async (context) => {
    const answer = await context.one(
      context.ask({ text: 'Publish?', choices: ['yes', 'no'] }, { timeoutMs: 50 }),
    )
    return `answer: ${answer ?? 'none'}`
  },
})

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

function sqlite(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-timed-out-'))
  closers.push(() => rmSync(folder, { recursive: true, force: true }))
  return sqliteStore(join(folder, 'runs.db'))
}

const STORES: [string, () => Store, boolean][] = [
  ['memory', memoryStore, false],
  ['SQLite', sqlite, false],
  ['a store that answers later', memoryStore, true],
]
const MOMENTS: [string, 'before' | 'after', (name: string, drafts: unknown) => boolean][] = [
  ['before it is closed', 'before', (name) => name === 'expire'],
  ['after it is closed', 'after', (name) => name === 'expire'],
  ['after the inbox was read', 'after', (name) => name === 'pending'],
  [
    'before the commit',
    'before',
    (name, drafts) => name === 'append' && /"signal-answered"/.test(JSON.stringify(drafts)),
  ],
]
const CASES = STORES.flatMap(([store, open, isLater]) =>
  MOMENTS.map(([moment, when, matches]) => [store, moment, { open, isLater, when, matches }] as const),
)

describe('an answer by another process as a question times out', () => {
  it.each(CASES)('%s: %s', async (_, __, { open, isLater, when, matches }) => {
    const store = open()
    const accepted: boolean[] = []
    let isDue = false
    const answer = () => {
      const [question] = store.questions()
      // As another process does it. The question may be closed or unknown.
      if (isDue)
        accepted.push(question !== undefined && store.answer(question.run, question.id, 'yes') !== null)
    }
    const paused = new Proxy(store, {
      get(target, name: keyof Store) {
        const member = target[name]
        if (typeof member !== 'function') return member
        return (...given: unknown[]) => {
          const isMoment = matches(name, given[2])
          if (isMoment && when === 'before') answer()
          const value = (member as (...given: unknown[]) => unknown)(...given)
          if (isMoment && when === 'after') answer()
          return value
        }
      },
    })
    const engine = createEngine({
      model: new ScriptedModel([]),
      store: isLater ? later(paused) : paused,
      strategies: [asks],
    } as never)
    closers.push(() => engine.close())
    const run = await engine.start('publish', { strategy: 'asks' } as never)
    isDue = true
    const { result } = await run.outcome
    expect(result).toBe(accepted.includes(true) ? 'answer: yes' : 'answer: none')
    expect(store.pending(run.id)).toEqual([])
    expect(store.questions()).toEqual([])
  })

  it('a question that times out at once is closed, too', async () => {
    const atOnce = defineStrategy({
      name: 'at-once',
      version: 1,
      options: () => ({}),
      solve: async (context) =>
        `${await context.one(context.ask({ text: 'Publish?', fallback: 'no' }, { timeoutMs: 0 }))}`,
    })
    const engine = createEngine({
      model: new ScriptedModel([]),
      store: sqlite(),
      strategies: [atOnce],
    } as never)
    closers.push(() => engine.close())
    const run = await engine.start('publish', { strategy: 'at-once' } as never)
    expect((await run.outcome).result).toBe('no')
    expect(await engine.questions()).toEqual([])
  })
})
