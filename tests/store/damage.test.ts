import { expect, test } from 'vitest'
import { damageStore } from './damage.ts'

test('each of 30 random damages of a store is reported or changes nothing', async () => {
  const { reported, harmless, findings } = await damageStore(30, 7)
  expect(findings).toEqual([])
  expect(reported + harmless).toBe(30)
  expect(reported).toBeGreaterThan(10)
})
