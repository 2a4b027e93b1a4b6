import { expect, it } from 'vitest'
import { REFLECTION_LEVELS } from '../notes.ts'
import { asksModel, type LastIteration, reflectionLevel } from './reflect.ts'

const level = (last: Partial<LastIteration>) =>
  reflectionLevel({ enabled: true, iteration: 1, failed: false, spins: 0, circles: 0, ...last })

it('is none when it is switched off, whatever happened', () => {
  expect(level({ enabled: false, failed: true, spins: 3 })).toBe('none')
})

it('is critical after an error, above all else', () => {
  expect(level({ failed: true })).toBe('critical')
  expect(level({ failed: true, spins: 2, iteration: 8 })).toBe('critical')
})

it('is standard on the first spin and deep from the second', () => {
  expect(level({ spins: 1 })).toBe('standard')
  expect(level({ spins: 2 })).toBe('deep')
  expect(level({ spins: 5, iteration: 8 })).toBe('deep')
})

it('is deep at once after the model has judged that the loop goes round in circles', () => {
  expect(level({ circles: 1, iteration: 9 })).toBe('deep')
  expect(level({ circles: 1, iteration: 9, failed: true })).toBe('critical')
})

it('is standard every eighth iteration, minimal otherwise', () => {
  const levels = Array.from({ length: 17 }, (_, i) => level({ iteration: i + 1 }))
  expect(levels.flatMap((one, i) => (one === 'standard' ? [i + 1] : []))).toEqual([8, 16])
  expect(new Set(levels)).toEqual(new Set(['minimal', 'standard']))
})

it('asks a model from standard up', () => {
  expect(REFLECTION_LEVELS.filter(asksModel)).toEqual(['standard', 'deep', 'critical'])
})
