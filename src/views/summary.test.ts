import { expect, it } from 'vitest'
import { draw } from '../../tests/views/draw.ts'
import { type Journal, journal } from '../../tests/views/journal.ts'
import { emptyState, foldEvent } from '../protocol/index.ts'
import { plainText } from './line.ts'
import { summaryLine } from './summary.ts'

function summary(made: Journal): string {
  const state = emptyState()
  for (const event of made.events) foldEvent(state, event)
  return plainText([summaryLine(state, 'en')])
}

it('the time of the summary is that of the root, and says how much of it was active', () => {
  const asked = { type: 'signal-asked' as const, n: 1, name: 'answer', question: { text: 'go on?' } }
  const answered = { type: 'signal-answered' as const, n: 1, name: 'answer', number: 1 }
  const left = { tokens: 0, calls: 0, timeMs: 0, costUsd: 0 }
  const made = journal('2026-03-04T05:06:07.100Z', 30_000)
    .start('1', 'ask', 'minimal@3')
    .add('1', asked)
    .add('1', { ...answered, result: { ok: true, value: 'yes' }, left })
    .end('1', { status: 'completed', result: 'done' })
  expect(draw(made)).toContain('1m30s')
  expect(summary(made)).toMatch(/^completed · 1m30s \(1m00s active\) · /)
})

it('says one time where all of it was active', () => {
  const made = journal('2026-03-04T05:06:07.100Z', 10)
    .runStart('go', 'minimal@3')
    .start('1', 'go', 'minimal@3')
    .end('1', { status: 'completed', result: 'done' })
  expect(summary(made)).not.toContain('active')
})
