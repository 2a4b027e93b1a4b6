import { expect, test } from 'vitest'
import type { JsonSchema } from '../schema/check-schema.ts'
import { readReply } from './read-reply.ts'

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    type: { enum: ['CALL', 'RETURN'] },
    description: { type: 'string' },
    plan: { type: 'array' },
  },
  required: ['type', 'description'],
}
const VALUE = { type: 'CALL', description: 'x' }
const JSON_TEXT = JSON.stringify(VALUE)

test.each<[string, string, string[]]>([
  ['nothing when it is proper JSON', JSON_TEXT, []],
  ['thinking', `<think>{"type":"RETURN","description":"no"}</think>\n${JSON_TEXT}`, ['thinking-removed']],
  ['a fence', `\`\`\`json\n${JSON_TEXT}\n\`\`\``, ['fence-removed']],
  ['prose', `Sure: ${JSON_TEXT}. Done.`, ['prose-removed']],
  ['a fence with prose', `Sure:\n\`\`\`\n${JSON_TEXT}\n\`\`\`\nDone.`, ['fence-removed', 'prose-removed']],
  ['a trailing comma', '{"type":"CALL","description":"x",}', ['syntax-repaired']],
  ['single quotes', "{'type':'CALL','description':'x'}", ['quotes-replaced']],
  ['bare keys', '{type:"CALL",description:"x"}', ['words-quoted']],
  ['comments', '{"type":"CALL", /* why */ "description":"x"}', ['comments-removed']],
  ['punctuation', '｛"type"："CALL"，"description"："x"｝', ['punctuation-replaced']],
  ['a byte order mark', `\ufeff${JSON_TEXT}`, ['invisible-removed']],
  ['a missing bracket', '{"type":"CALL","description":"x"', ['cut-off-closed']],
  ['a wrapper', `{"result":${JSON_TEXT}}`, ['wrapper-removed']],
  ['JSON in a text', JSON.stringify(JSON_TEXT), ['double-encoded']],
  ['null for an optional field', '{"type":"CALL","description":"x","plan":null}', ['nulls-removed']],
  ['entities', JSON_TEXT.replaceAll('"', '&quot;'), ['entities-decoded']],
  ['YAML', 'type: CALL\ndescription: x', ['yaml-read']],
  ['an undefined field', '{"type":"CALL","description":"x","plan":undefined}', ['literals-replaced']],
])('names what it mended: %s', async (_, text, repairs) => {
  expect(await readReply(text, SCHEMA)).toEqual({ value: VALUE, repairs })
})

const NULLS: JsonSchema = {
  type: 'object',
  properties: {
    list: { type: 'array', items: { type: 'object', properties: { note: { type: 'string' } } } },
    any: { type: ['number', 'null'] },
    part: { type: 'object', properties: { n: { type: 'number' } } },
  },
  required: ['list'],
  additionalProperties: false,
}

test('a null that the schema does not allow is a field that is left out, at any depth; one that it allows stays', async () => {
  const text = '{"list":[{"note":null},{"note":"b"}],"any":null,"part":{"n":null}}'
  expect(await readReply(text, NULLS)).toEqual({
    value: { list: [{}, { note: 'b' }], any: null, part: {} },
    repairs: ['nulls-removed'],
  })
  const both = '{"list":"[{\\"note\\":null}]"}'
  expect(await readReply(both, NULLS)).toEqual({
    value: { list: [{}] },
    repairs: ['double-encoded', 'nulls-removed'],
  })
})

test.each([
  ['a required field', '{"list":null}', ['list']],
  ['an item of a list', '{"list":[null]}', ['list', 0]],
  ['a field that there is not', '{"list":[],"other":null}', ['other']],
])('null is refused as %s', async (_, text, path) => {
  expect(await readReply(text, NULLS)).toMatchObject({ kind: 'invalid', violations: [{ path }] })
})

test.each<[string, string, string, RegExp]>([
  [
    'two values that fit',
    `${JSON_TEXT} or {"type":"RETURN","description":"y"}`,
    'ambiguous',
    /2 different values/,
  ],
  [
    'a field given twice',
    '{"type":"CALL","description":"x","type":"RETURN"}',
    'unreadable',
    /"type" is there twice/,
  ],
  ['something left out', '{"type":"CALL","description":"x","plan":["a", ...]}', 'unreadable', /left out/],
  ['a text that was cut off', '{"type":"CALL","description":"x', 'unreadable', /inside a text/],
  [
    'a list that was cut off',
    '{"type":"CALL","description":"x","plan":["a","b',
    'unreadable',
    /inside a list/,
  ],
  [
    'a cut after a digit',
    '{"type":"CALL","description":"x","plan":[12',
    'unreadable',
    /cut off inside a number/,
  ],
  ['nothing but thinking', `<think>${JSON_TEXT}</think>`, 'unreadable', /after the thinking/],
  ['prose', 'I would rather not.', 'unreadable', /no JSON/],
])('refuses and says why: %s', async (_, text, kind, error) => {
  expect(await readReply(text, SCHEMA)).toMatchObject({ kind, error: expect.stringMatching(error) })
})

test('says which field is wrong when a value does not fit', async () => {
  const reading = await readReply('```json\n{"type":"CALL","description":3}\n```', SCHEMA)
  expect(reading).toMatchObject({
    kind: 'invalid',
    violations: [{ path: ['description'], message: 'must be a string, not 3' }],
  })
})

test.each([
  ['in a fence', '```json\n{"type":"CALL"}\n```'],
  ['after a word', 'Here you are: {"type":"CALL"}'],
  ['beside another', 'Given {"x":1}, I choose {"type":"CALL"}'],
])('says which field is missing in a value %s', async (_, text) => {
  const violations = [{ path: ['description'], message: 'is missing', atKey: true }]
  expect(await readReply(text, SCHEMA)).toMatchObject({ kind: 'invalid', violations })
})

test('an example that fits is not taken for an answer that does not', async () => {
  const reading = await readReply(`For example ${JSON_TEXT}. Mine: {"type":"CALL","description":7}`, SCHEMA)
  expect(reading).toMatchObject({ kind: 'ambiguous' })
})

test('what is inside a broken value is not the value', async () => {
  expect(await readReply(`{"steps": @@ [${JSON_TEXT}]}`, SCHEMA)).toMatchObject({ kind: 'unreadable' })
})

test('a bracket too many in the middle does not cut off what follows it', async () => {
  const text = '{"type":"CALL","description":"x","plan":[{"a":1}},{"a":2}]}'
  expect(await readReply(text, SCHEMA)).toMatchObject({ kind: 'unreadable' })
})

const LONG = 300_000

test('a long reply is read if it is JSON, in a fence or not', async () => {
  const value = { type: 'CALL', description: 'x'.repeat(LONG) }
  const json = JSON.stringify(value)
  expect(await readReply(`\n${json}\n`, SCHEMA)).toMatchObject({ value })
  expect(await readReply(`\`\`\`json\n${json}\n\`\`\``, SCHEMA)).toMatchObject({
    value,
    repairs: ['fence-removed'],
  })
})

test('a long reply is not mended', async () => {
  const text = 'x'.repeat(LONG)
  for (const reply of [
    `Here: {"type":"CALL","description":"${text}"}`,
    `{"type":"CALL","type":"RETURN","description":"${text}"}`,
  ])
    expect(await readReply(reply, SCHEMA)).toMatchObject({
      kind: 'unreadable',
      error: expect.stringContaining('longer than'),
    })
  expect(await readReply(`{"type":"CALL","description":["${text}"]}`, SCHEMA)).toMatchObject({
    kind: 'invalid',
  })
})

test.each(['{a,b}', '\\frac{1}{2} ', '{{goal}} ', '[', '```yaml\na: b\n'])(
  '4 MiB of %j are refused in time',
  async (piece) => {
    const start = performance.now()
    await readReply(piece.repeat((4 * 1024 * 1024) / piece.length), SCHEMA)
    expect(performance.now() - start).toBeLessThan(10_000)
  },
)
