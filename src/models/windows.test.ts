import { expect, it } from 'vitest'
import { windowOf } from './windows.ts'

it('knows a model by its name, also with a date, and never by a part of it', () => {
  expect(windowOf('openai', 'gpt-4o')).toBe(128_000)
  expect(windowOf('openai', 'gpt-4o-2024-08-06')).toBe(128_000)
  expect(windowOf('anthropic', 'claude-opus-4-5-20251101')).toBe(200_000)
  expect(windowOf('openai', 'gpt-4o-audio')).toBeUndefined()
  expect(windowOf('somebody', 'gpt-4o')).toBeUndefined()
})
