import fc from 'fast-check'
import { expect, test } from 'vitest'
import { repetitions } from '../../tests/repetitions.ts'
import type { JsonSchema } from '../schema/check-schema.ts'
import { readReply } from './read-reply.ts'

const STEP: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    done: { type: 'boolean' },
    cost: { type: ['number', 'null'] },
    more: {},
  },
  required: ['name', 'done'],
}
const SCHEMA: JsonSchema = {
  type: 'object',
  properties: { goal: { type: 'string' }, plan: { type: 'array', items: STEP } },
  required: ['goal', 'plan'],
}

function value(text: fc.Arbitrary<string>, more: fc.Arbitrary<unknown>) {
  const number = fc.integer({ min: -1e6, max: 1e6 })
  const step = fc.record(
    { name: text, done: fc.boolean(), cost: fc.option(number), more },
    { requiredKeys: ['name', 'done'], noNullPrototype: true },
  )
  return fc.record({ goal: text, plan: fc.array(step, { maxLength: 4 }) }, { noNullPrototype: true })
}

const anything = value(fc.string({ unit: 'grapheme' }), fc.jsonValue())
const plainText = fc.stringMatching(/^[a-z]{1,12}( [a-z]{1,8}){0,3}$/)
const plain = value(plainText, fc.constant(1))

const WRAPPINGS: ((json: string) => string)[] = [
  (json) => json,
  (json) => `Sure! Here it is:\n\n${json}\n\nLet me know.`,
  (json) => `\`\`\`json\n${json}\n\`\`\``,
  (json) => `好的：\n\`\`\`\n${json}\n\`\`\`\n完成。`,
  (json) => `<think>maybe {"goal": "no", "plan": []}?</think>${json}`,
  (json) => `I don't "know" {x}, but [see](here)\n</think>\n${json}`,
  (json) => `\ufeff <answer>${json}</answer>`,
  (json) => JSON.stringify(json),
]

/** A text that is left out stands for another: it is asked for again. */
const LEFT_OUT = /"\s*(?:\.{3,}|…+)\s*"/

test('any value comes back equal out of any wrapping', async () => {
  const wrapping = fc.constantFrom(...WRAPPINGS)
  await fc.assert(
    fc.asyncProperty(anything, wrapping, fc.constantFrom(0, 2), async (given, wrap, indent) => {
      const json = JSON.stringify(given, null, indent)
      fc.pre(!LEFT_OUT.test(json))
      expect(await readReply(wrap(json), SCHEMA)).toMatchObject({ value: JSON.parse(json) })
    }),
    { numRuns: repetitions(400, 20_000) },
  )
})

test('with one mark of syntax lost or doubled it is the same value or none', async () => {
  const at = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  await fc.assert(
    fc.asyncProperty(plain, at, fc.boolean(), fc.constantFrom(0, 2), async (given, place, lost, indent) => {
      const json = JSON.stringify(given, null, indent)
      const marks = [...json.matchAll(/[{}[\]",:]/g)].map(({ index }) => index)
      const mark = marks[Math.floor(place * marks.length)]!
      const broken = json.slice(0, mark) + (lost ? '' : json[mark]) + json.slice(lost ? mark + 1 : mark)
      const reading = await readReply(broken, SCHEMA)
      if (!('error' in reading)) expect(reading.value).toEqual(given)
    }),
    { numRuns: repetitions(400, 2_000) },
  )
})

test('never throws, whatever is said', async () => {
  const pieces = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ',',
      ':',
      '\\',
      '\n',
      '```',
      '<think>',
      '</think>',
      '“',
      '”',
      '：',
      '...',
      '//',
    ],
    ...[
      'goal',
      'plan',
      'true',
      'NaN',
      '1',
      '- ',
      '&quot;',
      ' ',
      '/*',
      '#',
      '\u200b',
      '{"goal":',
      '"""',
      '|',
      '---\n',
    ],
  )
  const junk = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 60 }).map((all) => all.join('')),
  )
  await fc.assert(
    fc.asyncProperty(junk, async (text) => {
      const reading = await readReply(text, SCHEMA)
      expect('error' in reading || 'value' in reading).toBe(true)
    }),
    { numRuns: repetitions(1_000, 6_000) },
  )
})

const UNITS = [
  ...[
    '{',
    '[',
    '{"',
    '["',
    '[{',
    '"',
    '\\"',
    '{"a":',
    '{"a":"',
    '["a",',
    '{"a":1,',
    'x: [',
    '```\n',
    '<think>',
    '</think>',
  ],
  ...[
    '<',
    ' ',
    '\n',
    '- a\n',
    'goal: a\n',
    'goal: {\n',
    "{'a':'",
    '“',
    '｛“',
    '{"goal":"a "b',
    '["a" "b"\n',
    '// \n',
    '/*',
  ],
  ...[
    '&quot;{',
    '{\\"',
    '}',
    ']}',
    '{}',
    '[1]',
    '{"goal":"x","plan":[]}',
    '"",',
    '{a',
    '{"a":"b"\n',
    '#',
    '{"a"   ',
    '..."',
  ],
]

// A linear reader takes a tenth of a second here, a quadratic one runs into the time-out.
test.each(UNITS)('takes time in proportion to the length of junk: %j', { timeout: 15_000 }, async (unit) => {
  const text = unit.repeat(Math.ceil(400_000 / unit.length))
  await readReply(text, SCHEMA)
  await readReply(`{"goal": "${text}`, SCHEMA)
})
