import { expect, it } from 'vitest'
import { journal } from '../../tests/views/journal.ts'
import { emptyState, foldEvent } from '../protocol/index.ts'
import { SHIPPED_VIEWS } from '../strategies/shipped-views.ts'
import { plainText } from './line.ts'
import { streamedText } from './streamed-text.ts'
import { createStreams } from './streams.ts'
import { textWidth } from './text-width.ts'

const made = journal()
  .runStart('all', 'fractal@3')
  .start('1', 'all', 'fractal@3')
  .start('1-1', 'a paragraph', 'fractal@3')
  .start('1-2', '一段话', 'fractal@3')
const state = emptyState()
for (const event of made.events) foldEvent(state, event)

function shown(texts: Readonly<Record<string, string>>, width: number, maxLines: number) {
  const streams = createStreams(SHIPPED_VIEWS)
  for (const [path, text] of Object.entries(texts))
    streams.add({ type: 'text-delta', run: 'r', path, n: 1, text })
  const { lines, paths } = streamedText(state, streams, { width, maxLines })
  return { rows: plainText(lines).split('\n'), paths: [...paths] }
}

it('shows as much of the end of a text as there is room for', () => {
  const text = Array.from({ length: 50 }, (_, i) => `line ${i + 1}`).join('\n')
  const { rows } = shown({ '1-1': text }, 40, 12)
  expect(rows[0]).toBe('── 1-1 a paragraph ─────────────────────')
  expect(rows).toHaveLength(12)
  expect(rows.slice(1)).toEqual(Array.from({ length: 11 }, (_, i) => `line ${i + 40}`))
})

it('wraps words, and measures wide characters', () => {
  const { rows } = shown(
    { '1-1': `${'word '.repeat(20)}end`, '1-2': '灯塔是一台为了被看见而造的机器。'.repeat(5) },
    30,
    20,
  )
  expect(rows.every((row) => textWidth(row) <= 30)).toBe(true)
  expect(rows).toContain('word word end')
  expect(rows.join('')).toContain('一段话')
})

it('leaves a text that fits beside its row to that row, and drives no terminal', () => {
  expect(shown({ '1-1': 'short' }, 60, 20).paths).toEqual([])
  expect(shown({ '1-1': `\u001b[2J${'long '.repeat(30)}` }, 60, 20).rows.join('')).not.toMatch(/\p{Cc}/u)
})

it('several texts share the room; too many are left to their rows', () => {
  const long = 'word '.repeat(200)
  expect(shown({ '1-1': long, '1-2': long }, 40, 20).rows).toHaveLength(20)
  expect(shown({ '1-1': long, '1-2': long }, 40, 7).paths).toEqual(['1-1'])
  expect(shown({ '1-1': long }, 40, 3).paths).toEqual([])
})

it('its lines stay where they are while it grows', () => {
  const words = 'one two three four five six seven eight nine ten '
  const first = shown({ '1-1': words.repeat(4) }, 40, 40).rows
  const later = shown({ '1-1': words.repeat(6) }, 40, 40).rows
  expect(later.slice(0, first.length - 1)).toEqual(first.slice(0, -1))
})

it('measures only the end of a line of megabytes', () => {
  const { user } = process.cpuUsage()
  const { rows } = shown({ '1-1': `${'中'.repeat(1_000_000)}the end` }, 30, 5)
  expect(rows).toHaveLength(5)
  expect(rows.at(-1)).toMatch(/中the end$/)
  // Wrapping all of it takes 5 s.
  expect(process.cpuUsage().user - user).toBeLessThan(2_500_000)
})
