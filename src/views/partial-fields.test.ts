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

  it('of objects in a list are meant where the name says so', () => {
    const reply =
      '{"n":[{"content":"no"}],"list":[{"content":"one","x":{"content":"no"},"y":"content"},{"z":["content",{"content":"no"}],"content":"two"}]}'
    for (const pieces of [[reply], [...reply]]) {
      const fields = partialFields(new Set(['list.content']))
      for (const piece of pieces) fields.add(piece)
      expect(fields.readAll()).toBe('one\n\ntwo')
    }
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
    const [, ...grown] = reads('{"result":"', ...Array.from('a'.repeat(500)))
    expect(Math.max(...grown.map((kept) => kept?.length ?? 0))).toBe(80)
    expect(Math.min(...grown.slice(40).map((kept) => kept?.length ?? 0))).toBe(40)
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

/** All of the fields, however the reply is cut. */
function fieldsOf(reply: string, names = ['thought', 'result']) {
  const byChar = partialFields(new Set(names))
  for (const char of reply) byChar.add(char)
  const whole = partialFields(new Set(names))
  whole.add(reply)
  const shown = (fields: typeof whole) => [
    fields.form,
    ...names.map((name) => fields.field(name)).map((field) => field && [field.text, field.ended]),
  ]
  expect(shown(byChar)).toEqual(shown(whole))
  return shown(whole)
}

describe('the fields of a reply in YAML', () => {
  it('are read as they are written, block texts up to the last character', () => {
    expect(reads('thought: |\n', '  It is', ' there.\n', '\n    And here', '.\nresult: "four"\n')).toEqual([
      '',
      'It is',
      'It is there.',
      'It is there.\n\n  And here',
      'four',
    ])
  })

  it('are the same however the reply is cut, in a fence or not', () => {
    const yaml =
      'thought: |-\n  one\n\n  two: 2\n   - three\nplanning:\n  - result: no\nresult: >\n  long\n  line\nnext: true\n'
    const expected = ['fields', ['one\n\ntwo: 2\n - three', true], ['long line', true]]
    for (const reply of [
      yaml,
      `\`\`\`yaml\n${yaml}\`\`\``,
      `Here it is:\n\n\`\`\`yaml\nfirst: 1\n${yaml}\`\`\`\nDone.`,
    ])
      expect(fieldsOf(reply)).toEqual(expected)
    expect(fieldsOf("---\nresult: 'it''s'\n")).toEqual(['fields', undefined, ["it's", true]])
  })

  it('are not looked for in prose that looks a little like it', () => {
    expect(fieldsOf('note: this is prose\nresult: of a kind\n')[0]).toBe('prose')
    expect(fieldsOf('Result: it works.')[0]).toBe('prose')
  })
})

describe('the fields of a reply in tags', () => {
  it('are read up to where the closing tag may begin', () => {
    expect(
      reads('<tho', 'ught>\nHm', 'm, <b>', 'a</b></tho', 'ught> and <result>', '4</', 'result>'),
    ).toEqual([null, 'Hm', 'Hmm, <b>', 'Hmm, <b>a</b>', '', '4', '4'])
  })

  it('are the same however the reply is cut', () => {
    expect(fieldsOf('<thought>a < b</thought>\n<result>\n14 </ x\n</result>')).toEqual([
      'fields',
      ['a < b', true],
      ['14 </ x\n', true],
    ])
  })
})

it('thinking aloud before a reply is no part of it', () => {
  for (const reply of ['{"result":"x"}', 'result: x\n', '<result>x</result>'])
    expect(fieldsOf(`<think>{"result":"no"}\nresult: no\n</think>\n${reply}`)[2]).toEqual(['x', true])
  expect(fieldsOf('<think>never closed {"result":"x"}')).toEqual(['unknown', undefined, undefined])
})

describe('a text with backslashes that a model may have meant', () => {
  const sureOf = (json: string) => {
    const fields = partialFields(new Set(['result']))
    for (const char of json) fields.add(char)
    const { text = '', sure = 0 } = fields.field('result') ?? {}
    return text.slice(0, sure)
  }

  it('is sure up to them', () => {
    for (const meant of ['\\times 3', '\\frac 3', '\\beta', '\\alpha', '\\nu = 3', '\\nabla f', '\\rho'])
      expect(sureOf(`{"result":"It is 2 ${meant}, all in all`)).toBe('It is 2 ')
  })

  it('is sure up to a path without doubled backslashes, and up to what is no character', () => {
    for (const meant of ['C:\\new\\table', 'D:\\temp', 'C:\\readme.md'])
      expect(sureOf(`{"result":"It is in ${meant} now`)).toBe(`It is in ${meant.slice(0, 2)}`)
    expect(sureOf('{"result":"As for b:\\n- one\\n- two, and')).toBe('As for b:\n- one\n- two, and')
    expect(sureOf('{"result":"caf\\u00zz and')).toBe('caf')
  })

  it('is sure of every character that is written as its number', () => {
    expect(sureOf('{"result":"a\\u0000b\\ufffd\\ud83d\\ude00 and')).toBe('a\u0000b\ufffd\ud83d\ude00 and')
  })

  it('is sure when a word after a line break is whole', () => {
    expect(sureOf('{"result":"One\\nnu')).toBe('One')
    expect(sureOf('{"result":"One\\nunder ')).toBe('One\nunder ')
    expect(sureOf('{"result":"One\\n\\nTwo\\n- three\\ttab \\"q\\" \\\\times')).toBe(
      'One\n\nTwo\n- three\ttab "q" \\times',
    )
    expect(sureOf('{"result":"One\\nu"}')).toBe('One')
    expect(sureOf('{"result":"One\\nTwo"}')).toBe('One\nTwo')
  })
})

it.each([' ', '\n', `\`\`\`${' '.repeat(100)}`, '--- '])(
  'takes a stream of %j in proportion to its length',
  (piece) => {
    const ms = (count: number) => {
      const fields = partialFields(WANTED, 1_000)
      const start = performance.now()
      for (let i = 0; i < count; i++) {
        fields.add(piece)
        fields.read()
      }
      return performance.now() - start
    }
    ms(1_000)
    const [short, long] = [ms(5_000), ms(40_000)]
    expect(long).toBeLessThan(8 * 4 * Math.max(short, 10))
  },
)
