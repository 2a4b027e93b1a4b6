import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from './budget.ts'
import type { Event, EventBody } from './event.ts'
import { emptyState, foldEvent, foldEvents } from './fold.ts'

const START = Date.UTC(2026, 0, 1)
const LEFT = { tokens: 1, calls: 1, timeMs: 1, costUsd: 1 }
const KEPT = { calls: 0, tokens: 0, costUsd: 0 }

const NO_RESERVE = { calls: 0, tokens: 0, costUsd: 0 }

/** Events from `[seconds, path, body]`. */
function journal(...rows: [number, string, EventBody][]): Event[] {
  return rows.map(([seconds, path, body], index) => {
    const ts = new Date(START + seconds * 1_000).toISOString()
    return { seq: index + 1, ts, run: 'r', path, ...body }
  })
}

const runStart: EventBody = {
  type: 'run-start',
  format: 1,
  goal: 'a goal',
  strategy: 'minimal@1',
  options: {},
  limits: DEFAULT_LIMITS,
  seed: 's',
  config: { thinkon: '0.1.0' },
}

function blockStart(n: number, goal = 'a goal'): EventBody {
  return { type: 'block-start', n, goal, strategy: 'minimal@1', options: {}, kept: KEPT, left: LEFT }
}

function blockEnd(n: number, result: string): EventBody {
  const outcome = {
    status: 'completed',
    result,
    usage: { calls: 0, inputTokens: 0, outputTokens: 0 },
  } as const
  return { type: 'block-end', n, outcome, left: LEFT }
}

function toolStart(n: number): EventBody {
  return { type: 'tool-start', n, name: 'look', input: {}, access: 'read', reserve: KEPT }
}

function toolEnd(n: number): EventBody {
  return {
    type: 'tool-end',
    n,
    result: { ok: true, value: 1 },
    usage: { calls: 1, inputTokens: 2, outputTokens: 3, costUsd: 0.5 },
    left: LEFT,
  }
}

const asked: EventBody = { type: 'signal-asked', n: 2, name: 'answer', question: { text: 'well?' } }
const answered: EventBody = {
  type: 'signal-answered',
  n: 2,
  name: 'answer',
  number: 1,
  result: { ok: true, value: 'yes' },
  left: LEFT,
}

describe('the fold', () => {
  it('knows the blocks, their children, what they did, spent and came to', () => {
    const state = foldEvents(
      journal(
        [0, '1', runStart],
        [0, '1', blockStart(0)],
        [1, '1', { type: 'todo-set', n: 1, todo: ['part'] }],
        [1, '1-1', blockStart(2, 'part')],
        [1, '1-1', toolStart(1)],
        [2, '1-1', toolEnd(1)],
        [2, '1-1', blockEnd(2, 'a part')],
        [2, '1', { type: 'done-add', n: 3, from: ['1-1'] }],
        [3, '1', blockEnd(0, 'the whole')],
        [3, '1', { type: 'run-end', status: 'completed' }],
      ),
    )
    expect(state).toMatchObject({ run: 'r', goal: 'a goal', status: 'completed', seq: 10, activeMs: 3_000 })
    expect(state.usage).toEqual({ calls: 1, inputTokens: 2, outputTokens: 3, costUsd: 0.5 })
    expect([...state.blocks.keys()]).toEqual(['1', '1-1'])
    expect(state.blocks.get('1')).toMatchObject({
      todo: ['part'],
      done: ['a part'],
      children: ['1-1'],
      doing: null,
    })
    expect(state.blocks.get('1-1')).toMatchObject({ parent: '1', status: 'completed', usage: { calls: 1 } })
  })

  it('says what a block is doing, and that it waits, while it is so', () => {
    const events = journal(
      [0, '1', runStart],
      [0, '1', blockStart(0)],
      [0, '1', toolStart(1)],
      [0, '1', toolEnd(1)],
      [0, '1', asked],
      [0, '1', answered],
    )
    const state = emptyState()
    const seen = events.map((event) => {
      foldEvent(state, event)
      const block = state.blocks.get('1')
      return [state.status, block?.status, block?.doing, block?.questions.length]
    })
    expect(seen.slice(2)).toEqual([
      ['running', 'running', 'look', 0],
      ['running', 'running', null, 0],
      ['waiting', 'waiting', null, 1],
      ['running', 'running', null, 0],
    ])
  })

  it('does not count the time in which only questions are open, or nobody is there', () => {
    const state = foldEvents(
      journal(
        [0, '1', runStart],
        [10, '1', blockStart(0)],
        [20, '1', asked],
        [1_000, '1', answered],
        [1_010, '1', toolStart(3)],
        [5_000, '1', { type: 'run-resume', epoch: 2 }],
        [5_005, '1', toolEnd(3)],
      ),
    )
    expect(state.activeMs).toBe((10 + 10 + 10 + 5) * 1_000)
    expect(state.resumes).toBe(1)
  })

  it('counts the time in which a step goes on beside a question', () => {
    const state = foldEvents(
      journal(
        [0, '1', runStart],
        [0, '1', blockStart(0)],
        [0, '1', asked],
        [0, '1', toolStart(3)],
        [30, '1', toolEnd(3)],
      ),
    )
    expect(state.activeMs).toBe(30_000)
  })

  it('gives equal states for equal events, whether at once or one by one', () => {
    const events = journal([0, '1', runStart], [0, '1', blockStart(0)], [1, '1', asked], [2, '1', answered])
    const state = emptyState()
    for (const event of structuredClone(events)) foldEvent(state, event)
    expect(state).toEqual(foldEvents(events))
  })

  it('keeps blocks, not steps: its size does not grow with the steps', () => {
    const rows: [number, string, EventBody][] = [
      [0, '1', runStart],
      [0, '1', blockStart(0)],
    ]
    const sizeAfter = (steps: number) => {
      const more = Array.from({ length: steps }, (_, i): [number, string, EventBody][] => [
        [i, '1', toolStart(i + 1)],
        [i, '1', toolEnd(i + 1)],
      ]).flat()
      const { blocks, ...rest } = foldEvents(journal(...rows, ...more))
      return JSON.stringify([rest, [...blocks]]).length
    }
    expect(Math.abs(sizeAfter(2_000) - sizeAfter(1_000))).toBeLessThan(20)
  })

  it('remembers where a fork came from', () => {
    const fork: EventBody = { type: 'run-fork', from: 'r0', at: 1, edited: false }
    expect(foldEvents(journal([0, '1', runStart], [9, '1', fork])).fork).toEqual({ from: 'r0', at: 1 })
  })
})

describe('a run that waits for its model', () => {
  const request = { kind: 'k', version: 1, role: 'plan' as const, messages: [] }
  const step = { path: '1-1', n: 1, model: 'm', message: '401 no key' }
  const waiting: [number, string, EventBody][] = [
    [0, '1', runStart],
    [0, '1', blockStart(0)],
    [0, '1-1', blockStart(1)],
    [0, '1-1', { type: 'model-start', n: 1, request, reserve: NO_RESERVE }],
    [3, '1', { type: 'run-wait', steps: [step] }],
  ]

  it('is waiting, with the steps, and so are their blocks; its step is still open', () => {
    const state = foldEvents(journal(...waiting))
    expect(state).toMatchObject({ status: 'waiting', outages: [step], openSteps: 1, activeMs: 3_000 })
    expect([...state.blocks.values()].map(({ status }) => status)).toEqual(['running', 'waiting'])
  })

  it.each<[string, EventBody]>([
    ['resumed', { type: 'run-resume', epoch: 2 }],
    ['forked', { type: 'run-fork', from: 'r', at: 5, edited: false }],
  ])('is running again when it is %s; the time between does not count', (_, body) => {
    const state = foldEvents(journal(...waiting, [3_000, '1', body]))
    expect(state).toMatchObject({ status: 'running', outages: [], openSteps: 1, activeMs: 3_000 })
    expect([...state.blocks.values()].map(({ status }) => status)).toEqual(['running', 'running'])
  })
})
