import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { poison, sampleOf } from './poison.ts'

/** The gate's part of what `npm run soak -- --only poison` does with all objects and strategies. */
it('50 runs with model and tool objects that return anything: no crash, no hang, limits bind, replay is equal', async () => {
  const seed = Number(process.env.THINKON_PROPERTY_SEED ?? 7)
  const before = readdirSync('.')
  expect(await poison(sampleOf(50, seed))).toEqual([])
  expect(readdirSync('.'), 'the current folder is no workspace').toEqual(before)
}, 300_000)
