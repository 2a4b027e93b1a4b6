import { describe, expect, it } from 'vitest'
import { allNews } from '../../tests/views/draw.ts'
import { journal } from '../../tests/views/journal.ts'
import { type Event, emptyState, foldEvent } from '../protocol/index.ts'
import { eventLine, newsLine } from './event-line.ts'
import { plainText } from './line.ts'

const stamp = { seq: 12, ts: '2026-01-02T03:04:05.678Z', run: 'r', path: '1-2' }
const usage = { calls: 1, inputTokens: 10, outputTokens: 5, costUsd: 0.5 }
const left = { tokens: 0, calls: 0, timeMs: 0, costUsd: 0 }

describe('event lines', () => {
  it('tell every event on one line', () => {
    const event: Event = { ...stamp, type: 'todo-set', n: 1, todo: ['a\nb', 'c'] }
    expect(plainText([eventLine(event, 80)])).toBe('   12  03:04:05.678  todo-set         1-2  a b · c')
  })

  it('tell how a block ended, what it took and why', () => {
    const event: Event = {
      ...stamp,
      type: 'block-end',
      n: 1,
      outcome: { status: 'partial', result: 'half', reason: 'no time', usage },
      left,
    }
    const state = emptyState()
    foldEvent(state, event)
    const line = newsLine(state, event, 'en')
    expect(plainText([line ?? []])).toBe('[~] 1-2 partial: no time → half (1 call · 15 tokens · $0.50)')
    expect(plainText([newsLine(state, event, 'zh') ?? []])).toContain('部分完成')
  })

  it('say what a tool was called with and what it gave, whether it went well or not', () => {
    const made = journal()
      .start('1', 'look', 'dual@1')
      .note('1', 'dual/action-begun', { action: 'require_tool', params: { tool: 'read_file' }, thought: '' })
      .tool('1', 'read_file', { path: 'src/a.ts' }, { path: 'src/a.ts', content: 'export const a = 1\n' })
      .tool('1', 'search', { pattern: 'TODO', path: 'src', max: 20 }, [])
      .tool('1', 'write_file', { path: 'b.md', content: 'two\nlines' }, { path: 'b.md' })
      .tool('1', 'read_file', { path: 'c.ts' }, null, 'c.ts does not exist')
    expect(allNews(made).slice(1)).toEqual([
      '    1 read_file src/a.ts → export const a = 1',
      '    1 search TODO src max=20 → []',
      '    1 write_file b.md',
      '    1 read_file c.ts: c.ts does not exist',
    ])
  })

  it('name an executor as plans do, and what a block found without its stars', () => {
    const made = journal()
      .start('1', 'look', 'planner@3')
      .tool('1', 'executor__shell', { command: 'ls' }, 'a.js')
      .end('1', { status: 'completed', result: '**Confirmed** 2 * 3 is 6, and a**b** stays' })
    expect(allNews(made).slice(1)).toEqual([
      '    1 shell ls → a.js',
      expect.stringContaining('completed → Confirmed 2 * 3 is 6, and a**b** stays'),
    ])
  })

  it('are silent about what strategies call for their own bookkeeping', () => {
    const made = journal()
      .start('1', 'look', 'dual@1')
      .tool('1', 'memory__load', { query: 'x' }, [])
      .tool('1', 'tot/settle', {}, 1)
      .tool('1', 'read_result', { ref: '1/2' }, 'text')
      .tool('1', 'executor__observe', {}, [{ observation: 'exit code 0', verdict: 'met' }])
    expect(allNews(made)).toHaveLength(1)
  })
})
