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

it('a result that is as short as the words that would stand for it stays when it is folded', () => {
  const line = (text: string) =>
    shownResult({ call: { name: 'search', input: {} }, result: { ok: true, value: text }, ref: '1/2' }).line
  expect(line('no matches')).toMatch(/^search \{\} <data-\w+ from="search">\nno matches\n<\/data-\w+>$/)
  expect(line('x'.repeat(100))).toBe('search {} [… 100 of 100 characters left out; read_result "1/2"]')
})
