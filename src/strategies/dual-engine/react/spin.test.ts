import { expect, it } from 'vitest'
import type { ActionRecord } from './loop.ts'
import { actionRecord, digestOf, repeatsOf, sameActionSpin } from './reflect.ts'

let iteration = 0
function did(action_name: string, action_params: Record<string, unknown>, result: unknown): ActionRecord {
  return actionRecord(
    { action_type: 'tool', action_name, action_params, iteration_index: ++iteration },
    result,
  )
}

const spins = (history: readonly ActionRecord[]) => sameActionSpin(history, 3)

it('is a spin when the last three actions are equal in name, parameters and result', () => {
  const read = () => did('read', { path: 'a', range: { from: 1, to: 2 } }, { text: 'x', lines: [1, 2] })
  expect(spins([])).toBe(false)
  expect(spins([read(), read()])).toBe(false)
  expect(spins([did('list', {}, []), read(), read(), read()])).toBe(true)
  expect(spins([read(), read(), read(), did('list', {}, [])])).toBe(false)
})

it('the same action with the same parameters counts also when a counter or a time in the result changes', () => {
  const poll = (result: unknown) => did('run', { command: 'status' }, result)
  expect(spins([poll('try 9 of 10'), poll('try 10 of 10'), poll('try 11 of 1,000.5')])).toBe(true)
  expect(
    spins([poll({ at: '2026-11-16T09:59:59Z', n: 1 }), poll({ at: '2026-11-16T10:00:00Z', n: 2 })]),
  ).toBe(false)
  const times = ['2026-11-16T09:59:59Z', '2026-11-16T10:00:00Z', '2026-11-16T10:00:01.25Z']
  expect(spins(times.map((at, n) => poll({ at, n, state: 'busy' })))).toBe(true)
  // Other words are news.
  expect(spins([poll('try 1: busy'), poll('try 2: busy'), poll('try 3: ready')])).toBe(false)
})

it('the same actions at once are a spin like one of them, in any order', () => {
  const both = (n: number, other = 'y') => {
    const calls = [did('run', { command: 'x' }, `try ${n}`), did('run', { command: other }, `at ${n}`)]
    return calls.map((call) => ({ ...call, iteration_index: n }))
  }
  expect(spins([...both(1), ...both(2)])).toBe(false)
  expect(spins([...both(1), ...both(2).reverse(), ...both(3)])).toBe(true)
  expect(spins([...both(1), ...both(2), ...both(3, 'z')])).toBe(false)
})

it('takes as many as the threshold says', () => {
  const same = (n: number) => Array.from({ length: n }, () => did('a', {}, 1))
  expect([1, 2, 3].map((n) => sameActionSpin(same(n), 2))).toEqual([false, true, true])
  expect([4, 5].map((n) => sameActionSpin(same(n), 5))).toEqual([false, true])
})

it('is none when anything differs', () => {
  const read = (path: string, result: unknown) => did('read', { path }, result)
  expect(spins([read('a', 'x'), read('a', 'x'), read('b', 'x')])).toBe(false)
  expect(spins([read('a', 'x'), read('a', 'x'), read('a', 'y')])).toBe(false)
  expect(spins([read('a', 'x'), did('write', { path: 'a' }, 'x'), read('a', 'x')])).toBe(false)
})

it('does not care for the order of fields', () => {
  const history = [
    did('run', { a: 1, b: { c: 2, d: 3 } }, { x: 1, y: 2 }),
    did('run', { b: { d: 3, c: 2 }, a: 1 }, { y: 2, x: 1 }),
    did('run', { a: 1, b: { c: 2, d: 3 } }, { x: 1, y: 2 }),
  ]
  expect(spins(history)).toBe(true)
})

it('counts how often the last action was repeated', () => {
  const history = [did('a', {}, 1), did('b', {}, 1), did('b', {}, 1), did('b', {}, 1), did('b', {}, 1)]
  expect(repeatsOf(history)).toBe(4)
  expect(repeatsOf(history, 2)).toBe(2)
  expect(repeatsOf([])).toBe(0)
})

it('tells results apart by a short digest', () => {
  const long = 'x'.repeat(100_000)
  expect(digestOf(long).length).toBeLessThan(40)
  expect(digestOf(`${long}y`)).not.toBe(digestOf(`${long}z`))
  expect(digestOf('x')).not.toBe(digestOf(['x']))
  expect(digestOf(['a', 'b'])).not.toBe(digestOf(['b', 'a']))
  expect(digestOf(undefined)).toBe(digestOf(undefined))
  const digests = new Set(
    Array.from({ length: 20_000 }, (_, i) => digestOf({ line: word(i), text: `item ${word(i % 7)}` })),
  )
  expect(digests.size).toBe(20_000)
})

/** A number in letters. */
function word(n: number): string {
  return [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
}
