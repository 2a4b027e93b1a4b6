import { expect, test } from 'vitest'
import { turnOfLoop } from './turn-of-loop.ts'

test('those that come together get a turn of the event loop each', async () => {
  let turns = 0
  let counting = setImmediate(function count() {
    turns++
    counting = setImmediate(count)
  })
  const seen = await Promise.all(
    Array.from({ length: 5 }, async () => {
      await turnOfLoop()
      return turns
    }),
  )
  clearImmediate(counting)
  expect(new Set(seen).size).toBe(5)
})
