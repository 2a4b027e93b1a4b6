import { expect, it } from 'vitest'
import { journal } from '../../tests/views/journal.ts'
import { emptyState, foldEvent } from '../protocol/index.ts'
import { SHIPPED_VIEWS } from '../strategies/shipped-views.ts'
import { createDetails } from '../views/details.ts'
import { plainText } from '../views/line.ts'
import { createStreams } from '../views/streams.ts'
import { frameLines } from './frame.ts'

const TEXT = Array.from({ length: 50 }, (_, i) => `line ${i + 1}`).join('\n')

function frame(maxLines: number, children = 0): string[] {
  const made = journal().runStart('all', 'fractal@3').start('1', 'all', 'fractal@3')
  for (let i = 1; i <= children; i++) made.start(`1-${i}`, `part ${i}`, 'fractal@3')
  const state = emptyState()
  for (const event of made.events) foldEvent(state, event)
  const streams = createStreams(SHIPPED_VIEWS)
  streams.add({ type: 'text-delta', run: 'r', path: '1', n: 1, text: TEXT })
  const drawn = { state, streams, details: createDetails(SHIPPED_VIEWS) }
  const options = { lang: 'en' as const, width: 60, maxLines, nowMs: Date.now(), sign: '-' }
  return plainText(frameLines(drawn, [], options)).split('\n')
}

it.each([8, 9, 10, 12, 24])('of %i rows are filled by the tree and the end of what is written', (rows) => {
  const lines = frame(rows)
  expect(lines).toHaveLength(rows)
  expect(lines.slice(0, 3)).toEqual([
    expect.stringContaining('1 "all"'),
    '',
    expect.stringContaining('── 1 all'),
  ])
  expect(lines.at(-3)).toBe('line 50')
})

it('a tree that needs the room keeps half of it', () => {
  const lines = frame(16, 20)
  expect(lines.length).toBeLessThanOrEqual(16)
  expect(lines.filter((line) => /^line \d+$/.test(line)).length).toBeGreaterThanOrEqual(3)
  expect(lines.filter((line) => /part \d+/.test(line)).length).toBeGreaterThanOrEqual(4)
})
