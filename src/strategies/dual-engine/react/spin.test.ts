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

it('is a spin when the last three actions are equal in name, parameters and result', () => {
  const read = () => did('read', { path: 'a', range: { from: 1, to: 2 } }, { text: 'x', lines: [1, 2] })
  expect(sameActionSpin([])).toBe(false)
  expect(sameActionSpin([read(), read()])).toBe(false)
  expect(sameActionSpin([did('list', {}, []), read(), read(), read()])).toBe(true)
  expect(sameActionSpin([read(), read(), read(), did('list', {}, [])])).toBe(false)
})

it('is none when anything differs', () => {
  const read = (path: string, result: unknown) => did('read', { path }, result)
  expect(sameActionSpin([read('a', 'x'), read('a', 'x'), read('b', 'x')])).toBe(false)
  expect(sameActionSpin([read('a', 'x'), read('a', 'x'), read('a', 'y')])).toBe(false)
  expect(sameActionSpin([read('a', 'x'), did('write', { path: 'a' }, 'x'), read('a', 'x')])).toBe(false)
})

it('does not care for the order of fields', () => {
  const history = [
    did('run', { a: 1, b: { c: 2, d: 3 } }, { x: 1, y: 2 }),
    did('run', { b: { d: 3, c: 2 }, a: 1 }, { y: 2, x: 1 }),
    did('run', { a: 1, b: { c: 2, d: 3 } }, { x: 1, y: 2 }),
  ]
  expect(sameActionSpin(history)).toBe(true)
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
  expect(digestOf('1')).not.toBe(digestOf(1))
  expect(digestOf([1, 2])).not.toBe(digestOf([2, 1]))
  expect(digestOf(undefined)).toBe(digestOf(undefined))
  const digests = new Set(
    Array.from({ length: 20_000 }, (_, i) => digestOf({ line: i, text: `item ${i % 7}` })),
  )
  expect(digests.size).toBe(20_000)
})
