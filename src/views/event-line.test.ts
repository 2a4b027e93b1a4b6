import { describe, expect, it } from 'vitest'
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

  it('are silent about steps that went well', () => {
    const event: Event = { ...stamp, type: 'tool-end', n: 1, result: { ok: true, value: 1 }, usage, left }
    expect(newsLine(emptyState(), event, 'en')).toBeNull()
  })
})
