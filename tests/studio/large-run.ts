/** A run that is large on purpose: thousands of blocks, ten events each, in a store. For what draws runs. */
import type { Draft } from '../../src/kernel/store.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { kept, left, usage } from '../views/journal.ts'

export interface LargeRun {
  readonly id: string
  readonly blocks: number
  /** Blocks that have not ended are all shown; ended ones fold. */
  readonly hasEnded: boolean
}

const CHILDREN = 8
const CALLS = 4
const STEP_MS = 40
const EVENTS_AT_ONCE = 5_000

/** Returns how many events it has. */
export function writeLargeRun(file: string, { id, blocks, hasEnded }: LargeRun): number {
  return write(file, id, draftsOf(blocks, hasEnded))
}

export interface LongBlock {
  readonly id: string
  /** Each says what all before it have said. */
  readonly calls: number
  readonly notes: number
}

/** Returns how many events it has. */
export function writeLongBlock(file: string, { id, calls, notes }: LongBlock): number {
  const drafts: Draft[] = []
  const add = adder(drafts)
  begin(add)
  add('1', { type: 'block-start', n: 0, goal: 'long', strategy: 'minimal@3', options: {}, kept, left })
  const messages: object[] = [{ role: 'user', content: 'the goal' }]
  for (let n = 1; n <= calls; n++) {
    const request = { kind: 'minimal/step', version: 1, role: 'act', messages: [...messages], settings: {} }
    add('1', { type: 'model-start', n, request, reserve: kept })
    add('1', {
      type: 'model-end',
      n,
      result: { ok: true, value: { text: `reply ${n}`, usage } },
      usage,
      left,
    })
    messages.push({ role: 'assistant', content: `reply ${n}` }, { role: 'user', content: `result ${n} ` })
  }
  for (let n = 1; n <= notes; n++) add('1', { type: 'note', n: calls + n, name: 'long/score', data: { n } })
  return write(file, id, drafts)
}

function write(file: string, id: string, drafts: readonly Draft[]): number {
  const [first, ...rest] = drafts as [Draft, ...Draft[]]
  const store = sqliteStore(file)
  const epoch = store.create({ id, goal: 'a large goal', strategy: 'fractal' }, first)
  for (let at = 0; at < rest.length; at += EVENTS_AT_ONCE)
    store.append(id, epoch, rest.slice(at, at + EVENTS_AT_ONCE), false)
  store.release(id, epoch)
  store.close()
  return drafts.length
}

type Add = (path: string, body: object) => void

function adder(drafts: Draft[]): Add {
  const startMs = Date.parse('2026-03-04T05:06:07.000Z')
  return (path, body) => void drafts.push({ ...body, path, atMs: startMs + drafts.length * STEP_MS } as Draft)
}

function begin(add: Add): void {
  const limits = { depth: 8, tokens: 1e9, calls: 1e6, timeMs: 1e9, costUsd: 100 }
  const config = { thinkon: '0', model: 'scripted' }
  const begun = { type: 'run-start', format: 1, goal: 'a large goal', strategy: 'fractal', options: {} }
  add('1', { ...begun, limits, seed: 's', config })
}

function draftsOf(blocks: number, hasEnded: boolean): Draft[] {
  const drafts: Draft[] = []
  const add = adder(drafts)
  begin(add)
  solve(0, '1')
  if (hasEnded) add('1', { type: 'run-end', status: 'completed' })
  return drafts

  function solve(number: number, path: string): void {
    const goal = `sub-goal ${number}: ${'words about it '.repeat((number % 5) + 1)}`
    add(path, { type: 'block-start', n: 0, goal, strategy: 'fractal@3', options: {}, kept, left })
    for (let n = 1; n <= CALLS; n++) {
      const request = { kind: 'fractal/think', version: 1, role: 'plan', messages: [], settings: {} }
      add(path, { type: 'model-start', n, request, reserve: kept })
      const value = { text: `reply ${n}`, usage }
      add(path, { type: 'model-end', n, result: { ok: true, value }, usage, left })
    }
    for (let child = 1; child <= CHILDREN; child++) {
      const next = number * CHILDREN + child
      if (next < blocks) solve(next, `${path}-${child}`)
    }
    if (hasEnded)
      add(path, {
        type: 'block-end',
        n: 0,
        outcome: { status: 'completed', result: `result ${number}`, usage },
        left,
      })
    else add(path, { type: 'todo-set', n: 9, todo: [`the rest of ${number}`] })
  }
}
