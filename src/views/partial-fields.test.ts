import { describe, expect, it } from 'vitest'
import { partialFields } from './partial-fields.ts'

const WANTED = new Set(['thought', 'result'])

/** What is read after each piece. */
function reads(...pieces: string[]): (string | null)[] {
  const fields = partialFields(WANTED, 40)
  return pieces.map((piece) => {
    fields.add(piece)
    return fields.read()
  })
}

describe('the fields of an object that is still being written', () => {
  it('show what has come of the last wanted one', () => {
    expect(
      reads('{"action":"fin', 'ish","tho', 'ught":"It is', ' there."', ',"result":', '"four', 'teen"}'),
    ).toEqual(['', '', 'It is', 'It is there.', 'It is there.', 'four', 'fourteen'])
  })

  it('are the same however the text is cut', () => {
    const text =
      '{ "x" : [ {"result":"inner"}, "{" ] ,\n"thought" : "say \\"hi\\"\\n\\u4e2d\\\\文" , "n": 1 }'
    const expected = 'say "hi"\n中\\文'
    expect(reads(text)).toEqual([expected])
    expect(reads(...text).at(-1)).toBe(expected)
  })

  it('of objects within are not meant', () => {
    expect(reads('{"steps":[{"result":"no"}],"more":{"thought":"no"}')).toEqual([''])
    expect(reads('{"thought":{"a":"b"},"y":"result","z":"no"')).toEqual([''])
  })

  it('may stand in a fence, after nothing else', () => {
    expect(reads('`', '``js', 'on\n{"result"', ':"yes')).toEqual(['', '', '', 'yes'])
    expect(reads('Sure! {"result":"yes"}')).toEqual([null])
    expect(reads('first words')).toEqual([null])
    expect(reads('[{"result":"yes"}]')).toEqual([null])
  })

  it('are given up in an object that has had none for long', () => {
    expect(reads(`{"data":"${'x'.repeat(100)}`, 'x'.repeat(300))).toEqual(['', null])
  })

  it('keep the end of a long text', () => {
    const [text] = reads(`{"result":"${'a'.repeat(10_000)}the end`)
    expect(text).toHaveLength(40)
    expect(text).toMatch(/athe end$/)
  })

  it('survive what is no JSON', () => {
    for (const text of [
      '{]]]]',
      '{"a":}}}',
      '{"result":"x"}"}',
      '{"result" "thought": "y',
      '{"\\uZZZZ":"',
      '{{{{"a"',
    ])
      expect(() => reads(...text)).not.toThrow()
  })
})
