import { expect, it } from 'vitest'
import { shownResult } from './shown-result.ts'

const failed = (name: string, code: 'DENIED' | 'TOOL_ERROR') =>
  shownResult({
    call: { name, input: {} },
    result: { ok: false, error: { code, message: 'a person said no' } },
    ref: '1/2',
  }).text(1_000)

it('after a denial, our own words, outside the fence, say what to do', () => {
  expect(failed('shell', 'DENIED')).toMatch(
    /a person said no\n<\/data-\w+>\nDon't look for a way around this\./,
  )
  expect(failed('shell', 'TOOL_ERROR')).toMatch(/<\/data-\w+>$/)
  // That nobody is there to answer is no denial.
  expect(failed('ask_user', 'DENIED')).toMatch(/<\/data-\w+>$/)
})
