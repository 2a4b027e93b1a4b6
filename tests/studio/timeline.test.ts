// Where the time and the money of a run went.
import { expect, it } from 'vitest'
import { type Event, foldEvents } from '../../src/protocol.ts'
import { joinBars, runTimeline } from '../../src/views.ts'
import { journal, kept, left, usage } from '../views/journal.ts'

const START = '2026-03-04T05:06:07.000Z'
const from = Date.parse(START)

function lineOf(events: readonly Event[], nowMs = 0) {
  return runTimeline(events, foldEvents(events), nowMs)
}

it('has a row for each block in the order of the tree, with bars for models, tools and people', () => {
  const { events } = journal(START, 100)
    .runStart('g', 'minimal@1')
    .start('1', 'g', 'minimal@1')
    .start('1-1', 'first', 'minimal@1')
    .start('1-2', 'second', 'minimal@1')
    .start('1-1-1', 'below the first', 'minimal@1')
    .model('1-1', 'minimal/next')
    .tool('1-1', 'read', {}, 'text', 'no such file')
    .add('1-2', { type: 'signal-asked', n: 9, name: 'q', question: { text: 'Which?' } } as never)
    .model('1-1-1', 'minimal/next')
    .add('1-2', { type: 'signal-answered', n: 9, number: 1, value: 'this' } as never)
  const { rows, times, roles } = lineOf(events)
  expect(rows.map(({ path, level }) => `${level} ${path}`)).toEqual(['0 1', '1 1-1', '2 1-1-1', '1 1-2'])
  expect(rows[1]?.bars).toEqual([
    { kind: 'model', from: from + 500, to: from + 600, failed: false },
    { kind: 'tool', from: from + 700, to: from + 800, failed: true },
  ])
  expect(rows[3]?.times).toEqual({ model: 0, tool: 0, wait: 300 })
  expect(times).toEqual({ model: 200, tool: 100, wait: 300 })
  expect([...roles]).toEqual([
    ['act', 200],
    ['tool', 100],
  ])
})

it('counts what is under way until now, and not the time in which nobody worked', () => {
  const request = { kind: 'k', version: 1, role: 'act', messages: [], settings: {} }
  const made = journal(START, 1_000)
    .runStart('g', 'minimal@1')
    .start('1', 'g', 'minimal@1')
    .add('1', { type: 'model-start', n: 1, request, reserve: kept } as never)
  expect(lineOf(made.events, from + 5_000).times.model).toBe(3_000)
  made.add('1', { type: 'run-resume' } as never)
  const value = { text: '', usage }
  made.add('1', { type: 'model-end', n: 1, result: { ok: true, value }, usage, left } as never)
  const [row] = lineOf(made.events).rows
  expect(row?.bars.map(({ from: begun, to }) => [begun - from, to - from])).toEqual([
    [2_000, 2_000],
    [3_000, 4_000],
  ])
})

it('draws bars that can not be told apart as one, and failures by themselves', () => {
  const bars = Array.from({ length: 1_000 }, (_, i) => ({
    kind: 'model' as const,
    from: i * 10,
    to: i * 10 + 5,
    failed: i === 500,
  }))
  expect(joinBars(bars, 20)).toHaveLength(3)
  expect(joinBars(bars, 1)).toHaveLength(1_000)
})
