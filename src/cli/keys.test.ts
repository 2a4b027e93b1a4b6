import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Key, keyReader } from './keys.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function keysOf(...pieces: readonly (string | Buffer)[]): string[] {
  const keys: Key[] = []
  const reader = keyReader((key) => keys.push(key))
  for (const piece of pieces) reader.add(piece)
  vi.advanceTimersByTime(1_000)
  return keys.map((key) => ('text' in key ? `${key.name} ${key.text}` : key.name))
}

describe('keys of a raw terminal', () => {
  it('a character whose bytes arrive one by one is one character', () => {
    const bytes = [...Buffer.from('是👍')].map((byte) => Buffer.from([byte]))
    expect(keysOf(...bytes)).toEqual(['text 是', 'text 👍'])
  })

  it('text and control keys in one piece come in their order', () => {
    expect(keysOf('yes\rno\u007f\u0015\u0003')).toEqual([
      'text yes',
      'enter',
      'text no',
      'backspace',
      'clear',
      'interrupt',
    ])
  })

  it('a sequence that arrives in pieces is one key', () => {
    expect(keysOf('\u001b', '[', 'D', '\u001bO', 'C', '\u001b[3', '~')).toEqual(['left', 'right', 'delete'])
  })

  it('Escape alone is a key once nothing follows', () => {
    expect(keysOf('\u001b')).toEqual(['escape'])
    expect(keysOf('\u001b\u001b[C')).toEqual(['escape', 'right'])
  })

  it('a paste is one key, and its line ends submit nothing', () => {
    expect(keysOf('\u001b[20', '0~one\r\ntwo\u0003\r', 'three\u001b[201', '~x')).toEqual(
      ['paste one\ntwo\u0003\nthree', 'text x'].map((text) => text.replace('\u0003\n', '\u0003\n')),
    )
  })

  it.each([
    ['an unknown function key', '\u001b[17;5~'],
    ['one of the Linux console', '\u001b[[A'],
    ['a report of the cursor', '\u001b[12;40R'],
    ['a colour that the terminal reports', '\u001b]11;rgb:0000/0000/0000\u001b\\'],
    ['the same with BEL', '\u001b]11;rgb:0000/0000/0000\u0007'],
    ['a device string', '\u001bP>|tmux 3.4\u001b\\'],
    ['a mouse report', '\u001b[<0;10;5M'],
    ['focus', '\u001b[I\u001b[O'],
    ['Alt with a letter', '\u001bb'],
    ['Alt with a character beyond the first plane', '\u001b👍'],
  ])('%s is dropped, and what follows is typed', (_, bytes) => {
    expect(keysOf(bytes, 'a')).toEqual(['text a'])
    expect(keysOf(`${bytes}a`)).toEqual(['text a'])
  })

  it('a sequence that never ends swallows nothing typed later', () => {
    const keys: Key[] = []
    const reader = keyReader((key) => keys.push(key))
    reader.add('\u001b[12')
    vi.advanceTimersByTime(1_000)
    reader.add('y')
    expect(keys).toEqual([{ name: 'text', text: 'y' }])
  })
})
