import { expect, it } from 'vitest'
import type { Event } from '../protocol/index.ts'
import { SHIPPED_VIEWS } from '../strategies/shipped-views.ts'
import { createStreams, type Streams } from './streams.ts'

const write = (streams: Streams, path: string, n: number, text: string) =>
  streams.add({ type: 'text-delta', run: 'r', path, n, text })
const end = (path: string, n: number) => ({ type: 'model-end', path, n }) as Event

it('keeps what comes in until its call has ended', () => {
  const streams = createStreams(SHIPPED_VIEWS)
  write(streams, '1', 1, 'one ')
  write(streams, '1', 1, 'two')
  write(streams, '1-1', 1, 'other')
  expect([streams.of('1'), streams.of('1-1'), streams.of('1-2')]).toEqual(['one two', 'other', ''])
  streams.follow(end('1', 1))
  expect([streams.of('1'), streams.of('1-1')]).toEqual(['', 'other'])
  streams.follow({ type: 'block-end', path: '1-1' } as Event)
  expect(streams.of('1-1')).toBe('')
})

it('shows the call that began to write last, of those that write at once', () => {
  const streams = createStreams(SHIPPED_VIEWS)
  write(streams, '1', 1, 'first')
  write(streams, '1', 2, 'second')
  write(streams, '1', 1, ' more')
  expect(streams.of('1')).toBe('second')
  streams.follow(end('1', 2))
  expect(streams.of('1')).toBe('first more')
})

it('is bounded, on one line, and drives no terminal', () => {
  const streams = createStreams(SHIPPED_VIEWS)
  for (let i = 0; i < 10_000; i++) write(streams, '1', 1, `\u001b[3${i % 8}m👍 line\n`)
  const text = streams.of('1')
  expect(text.length).toBeLessThanOrEqual(400)
  expect(text).toMatch(/👍 line 👍 line$/)
  expect(text).not.toMatch(/\p{Cc}|\p{Cs}|\ufffd/u)
})

it('shows the words for people of a reply in JSON, as far as they have come', () => {
  const streams = createStreams(SHIPPED_VIEWS)
  write(streams, '1', 1, '{"action":"require_tool","human_readable_thought":"Look at')
  expect(streams.of('1')).toBe('Look at')
  write(streams, '1', 1, ' the files.","tool":"list_files","params":{"path":"')
  expect(streams.of('1')).toBe('Look at the files.')
  write(streams, '1-1', 1, '{"type":"TODO","description":"1. north\\n2. sou')
  expect(streams.of('1-1')).toBe('1. north 2. sou')
  write(streams, '1-2', 1, `{"candidates":["${'x'.repeat(400)}`)
  expect(streams.of('1-2')).toMatch(/^x+$/)
})
