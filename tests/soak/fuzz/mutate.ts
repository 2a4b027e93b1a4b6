/** Inputs from samples: the same seed, family and number give the same input. */
import { createHash } from 'node:crypto'
import type { Family } from './family.ts'

export type Pick = (below: number) => number

export function pickOf(seed: number, family: string, index: number): Pick {
  const digest = createHash('sha256').update(`${seed} ${family} ${index}`).digest()
  let state = digest.readUInt32LE(0)
  // mulberry32
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below)
  }
}

const MAX_LENGTH = 40_000
/** Every so many inputs one is long or deep: what takes more than linear time shows there. */
const HEAVY_EVERY = 100

export function inputOf({ samples, words }: Material, pick: Pick): string {
  let text = one(samples, pick)
  if (pick(5) === 0) text = spliced(text, one(samples, pick), pick)
  const changes = pick(6)
  for (let i = 0; i < changes; i++) text = one(CHANGES, pick)(text, words, pick)
  if (pick(HEAVY_EVERY) === 0) text = one(HEAVY, pick)(text, words, pick)
  return text.slice(0, MAX_LENGTH)
}

type Material = { readonly [K in 'samples' | 'words']: Family[K] }
type Change = (text: string, words: readonly string[], pick: Pick) => string

function one<T>(list: readonly T[], pick: Pick): T {
  return list[pick(list.length)] as T
}

/** Two places, in order, mostly near each other. */
function range(text: string, pick: Pick): [number, number] {
  const from = pick(text.length + 1)
  const length = pick(pick(4) === 0 ? text.length + 1 : 12)
  return [from, Math.min(text.length, from + length)]
}

function replaced(text: string, [from, to]: [number, number], by: string): string {
  return text.slice(0, from) + by + text.slice(to)
}

function spliced(a: string, b: string, pick: Pick): string {
  return a.slice(0, pick(a.length + 1)) + b.slice(pick(b.length + 1))
}

const CHANGES: readonly Change[] = [
  (text, _, pick) => replaced(text, range(text, pick), ''),
  (text, words, pick) => replaced(text, range(text, pick), one(words, pick)),
  (text, words, pick) => {
    const at = pick(text.length + 1)
    return replaced(text, [at, at], one(words, pick))
  },
  (text, _, pick) => {
    const at = pick(text.length + 1)
    return replaced(text, [at, at], one(ODD, pick))
  },
  (text, _, pick) => {
    const [from, to] = range(text, pick)
    return replaced(text, [to, to], text.slice(from, to).repeat(1 + pick(5)))
  },
  (text, _, pick) => {
    const [from, to] = range(text, pick)
    const at = pick(text.length + 1)
    return replaced(text, [at, at], text.slice(from, to))
  },
  (text, _, pick) => text.slice(0, pick(text.length + 1)),
  (text, _, pick) => text.slice(pick(text.length + 1)),
  (text, _, pick) => text.replace(/\d+/, one(NUMBERS, pick)),
  (text, _, pick) => replaced(text, range(text, pick), String.fromCharCode(pick(128))),
]

const HEAVY: readonly Change[] = [
  (text, words, pick) => replaced(text, range(text, pick), one(words, pick).repeat(1 + pick(4_000))),
  (text, _, pick) => replaced(text, range(text, pick), one(ODD, pick).repeat(1 + pick(20_000))),
  (text, _, pick) => {
    const [open, close] = one(BRACKETS, pick)
    const levels = 1 + pick(5_000)
    return `${open.repeat(levels)}${text.slice(0, 1_000)}${pick(2) === 0 ? close.repeat(levels) : ''}`
  },
  (text, _, pick) => `${text}\n`.repeat(1 + pick(50)),
]

const BRACKETS: readonly (readonly [string, string])[] = [
  ['[', ']'],
  ['{"a":', '}'],
  ['(', ')'],
  ['{', '}'],
  ['<a>', '</a>'],
  ['```\n', '\n```'],
  ['- ', ''],
  ['"', '"'],
  ['$(', ')'],
]

const ODD: readonly string[] = [
  ...[
    '\0',
    '\u0001',
    '\u001b[2J',
    '\ufeff',
    '\u2028',
    '\u202e',
    '\ud800',
    '\udc00',
    '\u{e0041}',
    '\u{1f600}',
  ],
  ...[
    '\\',
    '\\\\',
    '\n',
    '\r\n',
    '\t',
    ' ',
    "'",
    '"',
    '`',
    '”',
    '：',
    '，',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
  ],
  ...[
    'a',
    '.',
    '*',
    '**',
    '?',
    '/',
    '../',
    '#',
    '!',
    '&',
    '|',
    ';',
    '$',
    '%',
    '@',
    '~',
    '=',
    '-',
    '+',
    ',',
    ':',
  ],
  ...['__proto__', 'constructor', 'null', 'undefined', 'NaN', 'true', '\\u0000', '\\ud800', '\\x'],
]

const NUMBERS: readonly string[] = [
  ...[
    '0',
    '-0',
    '-1',
    '1e999',
    '-1e999',
    '9007199254740993',
    '99999999999999999999',
    '0.1',
    '1e-999',
    '00',
    '0x1',
  ],
  ...['4294967296', '2147483648', 'NaN', 'Infinity', ''],
]
