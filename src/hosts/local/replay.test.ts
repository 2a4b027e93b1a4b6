// The differences that a replay reports.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Kernel } from '../../kernel/durable.ts'
import { createKernel } from '../../kernel/kernel.ts'
import type { Context, Strategy } from '../../kernel/strategy.ts'
import type { Event, EventOf, EventType } from '../../protocol/index.ts'
import { memoryStore } from '../../store/memory.ts'
import { ScriptedModel } from '../../testing/index.ts'
import { localHost } from './host.ts'
import { replayRun } from './replay.ts'

const calls = { model: 0 }

const request = (kind: string) => ({ kind, version: 1, role: 'act' as const, messages: [] })

/** A leaf asks the model; the root calls two at once, races them, and asks the model, too. */
const family: Strategy<{ extra?: boolean; less?: boolean }> = {
  name: 'family',
  version: 1,
  options: (given) => given,
  async solve(context) {
    if (context.level > 0) return leaf(context)
    const children = [context.call('one'), context.call('two')]
    await context.first(children)
    await context.all(children)
    if (!now.less) context.plan('to ask')
    const { text } = await context.one(context.model(request('family/ask')))
    if (now.extra) await context.one(context.model(request('family/more')))
    return `the root: ${text}`
  },
}

async function leaf(context: Context<unknown>): Promise<string> {
  const { text } = await context.one(context.model(request('family/leaf')))
  return now.leaf ?? text
}

/** How the strategies are now. */
let now: { extra?: boolean; less?: boolean; leaf?: string } = {}

const model = new ScriptedModel(() => {
  calls.model++
  return 'said'
})
const entry = (version: number) => ({ version, load: async () => family as Strategy })
const kernelOf = (strategies: Map<string, ReturnType<typeof entry>>): Kernel =>
  createKernel({ strategies, model: () => model, tools: [] })
const kernel = kernelOf(new Map([['family', entry(1)]]))

let journal: readonly Event[]

beforeAll(async () => {
  const store = memoryStore()
  const host = localHost(store, kernel)
  const limits = { depth: 5, tokens: 1e6, calls: 100, timeMs: 1e6, costUsd: 10 }
  const spec = { id: 'r', goal: 'a goal', strategy: 'family', options: {}, limits, seed: 's' }
  await (await host.start({ ...spec, config: { thinkon: '0' } })).outcome
  journal = [...store.read('r')]
  await host.close()
})

afterAll(() => {
  now = {}
})

/** Replays the journal with these events in place of those with their numbers. */
async function replayed(is: typeof now, edits: readonly Event[] = [], with_: Kernel = kernel) {
  now = is
  const before = calls.model
  const events = journal.map((event) => edits.find(({ seq }) => seq === event.seq) ?? event)
  const report = await replayRun(events, with_)
  expect(calls.model).toBe(before)
  return report
}

function found<T extends EventType>(type: T, path: string): EventOf<T> {
  return journal.find((event) => event.type === type && event.path === path) as EventOf<T>
}

describe('a replay', () => {
  it('executes every block and operation, calls nothing, and finds no difference', async () => {
    const { outcome, ...report } = await replayed({})
    expect(outcome).toMatchObject({ status: 'completed', result: 'the root: said' })
    const operations = journal.filter((event) => 'n' in event && event.n && !event.type.endsWith('-end'))
    expect(report).toEqual({ blocks: 3, operations: operations.length, differences: [] })
  })

  it('tells an operation that the journal has and the strategy no longer makes', async () => {
    const plan = found('todo-set', '1')
    const { differences } = await replayed({ less: true })
    expect(differences[0]).toEqual({
      path: '1',
      n: plan.n,
      seq: plan.seq,
      what: 'the journal has todo-set, the strategy makes model-start family/ask',
    })
  })

  it('tells an operation that the strategy makes and the journal does not have', async () => {
    const { differences } = await replayed({ extra: true })
    expect(differences).toEqual([
      {
        path: '1',
        n: found('model-start', '1').n + 1,
        seq: null,
        what: 'the strategy makes model-start family/more, the journal has nothing there',
      },
      {
        path: '1',
        n: 0,
        seq: found('block-end', '1').seq,
        what: 'the journal has its end, the strategy has not come to one',
      },
    ])
  })

  it('tells a block that ends in another way, and gives its parent the recorded end', async () => {
    const { differences } = await replayed({ leaf: 'other' })
    const end = (path: string) => ({ path, n: 0, seq: found('block-end', path).seq })
    const what = 'it ended completed "said", now completed "other"'
    expect(differences.sort((a, b) => a.path.localeCompare(b.path))).toEqual([
      { ...end('1-1'), what },
      { ...end('1-2'), what },
    ])
  })

  it('tells which fields of an operation differ', async () => {
    const start = found('model-start', '1-1')
    const edited = { ...start, request: { ...start.request, messages: [{ role: 'user', content: 'hi' }] } }
    const { differences } = await replayed({}, [edited as Event])
    expect(differences).toEqual([
      { path: '1-1', n: start.n, seq: start.seq, what: 'model-start family/leaf differs in request' },
    ])
  })

  it('takes the winner of a race from the journal', async () => {
    const won = found('first-won', '1')
    const other = journal.find((event) => event.type === 'block-start' && event.path === '1-2')
    const edited = { ...won, winner: (other as EventOf<'block-start'>).n }
    // Other children are consumed in another order, which the root's knowledge shows; the race itself is no difference.
    const { differences } = await replayed({}, [edited])
    expect(differences.filter(({ n }) => n === won.n)).toEqual([])
  })

  it('tells a strategy of another version, and one that is not here', async () => {
    const second = await replayed({}, [], kernelOf(new Map([['family', entry(2)]])))
    expect(second.differences.map(({ path, n, what }) => ({ path, n, what }))).toEqual(
      ['1', '1-1', '1-2'].map((path) => ({
        path,
        n: 0,
        what: `block-start ${path} differs in strategy (family@1, here is family@2)`,
      })),
    )
    const none = await replayed({}, [], kernelOf(new Map()))
    expect(none).toMatchObject({
      blocks: 1,
      differences: [{ path: '1', what: 'block-start 1 differs in strategy (family@1, here is family@0)' }],
    })
  })

  it('of a run that has not ended stands still at its last event', async () => {
    now = {}
    const cut = journal.slice(0, found('model-start', '1').seq)
    expect(await replayRun(cut, kernel)).toMatchObject({ outcome: null, blocks: 3, differences: [] })
  })
})
