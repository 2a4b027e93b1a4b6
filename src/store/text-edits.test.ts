import { describe, expect, it } from 'vitest'
import { applyEdit, editOf } from './text-edits.ts'

const line = (n: number) => `${n}. a line of a prompt that comes again, number ${n}\n`
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => line(from + i)).join('')

/** The second text as an edit of the first, which must give it back. */
function edit(first: string, second: string) {
  const made = editOf(first, second)
  if (made !== null) expect(applyEdit(first, made, 1_000_000)).toBe(second)
  return made
}

describe('a text as an edit of an earlier one', () => {
  it('takes the lines that come again, also where they have moved', () => {
    const [rules, end] = ['rules that are always the same\n', 'What is to be done next?']
    const done = (n: number) => `${rules}Done so far (${n}):\n${lines(n - 9, n)}${end}`
    const made = edit(done(12), done(13))
    expect(made?.filter((part) => typeof part === 'string')).toEqual(['3):\n', `13${line(13).slice(2)}`])
  })

  it('is none where little comes again, or where all that does is short', () => {
    expect(edit(lines(1, 9), lines(20, 29))).toBeNull()
    expect(edit(lines(1, 3), lines(3, 9))).toBeNull()
    expect(edit('a\nb\nc\nd\n'.repeat(9), 'd\nb\na\nc\n'.repeat(9))).toBeNull()
  })

  it('gives any text back: without lines, with empty ones, with the same one twice, with odd characters', () => {
    const texts = [
      lines(1, 20),
      lines(5, 24),
      `\n\n${lines(1, 20)}\n\n`,
      lines(1, 5).repeat(4),
      `${lines(1, 10)}¶t😀\ud800 \u0000"\\\r\n${lines(8, 20)}no end`,
      'x'.repeat(500),
      '',
    ]
    const edits = texts.flatMap((first) => texts.map((second) => edit(first, second)))
    expect(edits.filter((made) => made !== null).length).toBeGreaterThan(15)
  })
})
