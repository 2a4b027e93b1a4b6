/** Replies that say something else than a parser would make of them: read as they are meant, or asked for again; never misread. */
import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../schema/check-schema.ts'
import { readReply } from './read-reply.ts'

const THINK: JsonSchema = {
  type: 'object',
  properties: { type: { enum: ['TODO', 'RETURN'] }, description: { type: 'string' } },
  required: ['type', 'description'],
}
const SCORE: JsonSchema = {
  type: 'object',
  properties: {
    score: { type: 'number' },
    reason: { type: 'string' },
    final: { type: 'boolean' },
    limit: { type: ['number', 'null'] },
  },
  required: ['score', 'reason', 'final'],
}
const TAGS: JsonSchema = { type: 'array', items: { type: 'string' } }
const NUMBERS: JsonSchema = { type: 'array', items: { type: 'number' } }
const CLOSED: JsonSchema = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
}

const todo = (description: string) => ({ type: 'TODO', description })
const json = (description: string) => JSON.stringify(todo(description))
const SCORED = '{"score": 3, "reason": "r", "final": true}'

async function expectRefused(text: string, schema: JsonSchema): Promise<void> {
  expect(await readReply(text, schema)).toHaveProperty('error')
}

async function expectRead(text: string, schema: JsonSchema, value: unknown): Promise<void> {
  expect(await readReply(text, schema)).toMatchObject({ value })
}

describe('YAML that would lose some of a plain text is refused', () => {
  test.each([
    'use C # not Java',
    'open the file # the first one',
    'fix issue #12 first # really',
    '!!python/name do it',
    '!important do it # now',
    '&a go *a',
    'first line\nsecond line goes on\nthird',
    'first line\nand then: more text',
    'first line\nNote: more text',
    'first line\n\nThe second paragraph of it.',
    'first line\n---\nthe rest of it',
    'the steps:\n- one\n- two',
    'steps\n  - one\n  - two',
    'Steps: these\n  1. one\n  2. two',
    'Compute: the sum # of a and b',
    'first\n  # second\n',
    'a\n  <<: *b',
  ])('%j', async (text) => {
    await expectRefused(`type: TODO\ndescription: ${text}`, THINK)
    await expectRefused(`\`\`\`yaml\ntype: TODO\ndescription: ${text}\n\`\`\``, THINK)
    await expectRefused(`description: ${text}\ntype: TODO`, THINK)
  })

  test.each([
    '- red # not green\n- green',
    '- a\ncontinued\n- b',
    '- a\n\nand b',
    '- a\n- b\nand c',
    '[red # or green\n]',
  ])('in a list: %j', async (text) => {
    await expectRefused(text, TAGS)
    await expectRefused(`\`\`\`\n${text}\n\`\`\``, TAGS)
  })

  test('a block of text that goes on without its indentation', async () => {
    await expectRefused('type: TODO\ndescription: |\n  one\ntwo', THINK)
    await expectRefused('description: |\n  one\ntwo\ntype: TODO', THINK)
  })

  test.each([
    ['a number in another notation', 'score: 007\nreason: r\nfinal: true'],
    ['an infinite number', 'score: 1\nreason: r\nfinal: true\nlimit: .inf'],
    ['a value that was cut off', 'score: 1\nreason: r\nfinal: true\nlimit:'],
    ['another word for true', 'score: 1\nreason: r\nfinal: yes'],
    ['a second document', 'score: 1\nreason: r\nfinal: true\n---\nscore: 2'],
  ])('%s', async (_, text) => expectRefused(text, SCORE))
})

describe('YAML with one reading is read', () => {
  test.each<[string, JsonSchema, unknown]>([
    ['type: TODO # or RETURN\ndescription: go', THINK, todo('go')],
    ['type: TODO\ndescription: "use C # not Java"', THINK, todo('use C # not Java')],
    ["type: TODO\ndescription: 'a' # b", THINK, todo('a')],
    ['# The plan\ntype: TODO\n# what\ndescription: go', THINK, todo('go')],
    ['type: TODO\ndescription: use C# and F#', THINK, todo('use C# and F#')],
    ['type: TODO\ndescription: AT&T, 5 * 3, wow!', THINK, todo('AT&T, 5 * 3, wow!')],
    ['type: TODO\ndescription: |\n  # a\n  !b &c *d: e', THINK, todo('# a\n!b &c *d: e\n')],
    ['type: TODO\ndescription: yes', THINK, todo('yes')],
    ['type: TODO\ndescription: first\n  second', THINK, todo('first second')],
    ['type: TODO\ndescription: go\n\nLet me know if you need more.', THINK, todo('go')],
    ['description: go\ntype: TODO\nThat is all.', THINK, todo('go')],
    ['type: TODO\ndescription: Compute: the sum', THINK, todo('Compute: the sum')],
    [
      'score: 0.9 # of 1\nreason: r\nfinal: true # sure\nlimit: ~',
      SCORE,
      { score: 0.9, reason: 'r', final: true, limit: null },
    ],
  ])('%j', async (text, schema, value) => expectRead(text, schema, value))
})

describe('signs in YAML that are text to a person are text', () => {
  const SIGNS = [
    'tag it #urgent',
    'fix #12, then #13',
    '!important do it',
    '&co and others',
    '&nbsp; is printed',
    '*star* text',
  ]
  const MORE = [
    '*.ts files',
    '@home',
    '`code` is',
    '%s is printed',
    '[draft] write it',
    '{id} is left',
    '> 5 items',
    '| separates',
  ]
  test.each([...SIGNS, ...MORE, 'a: b and c: d', '#12 is first', '~/.profile is read'])(
    '%j',
    async (text) => {
      await expectRead(`type: TODO\ndescription: ${text}`, THINK, todo(text))
      await expectRead(`description: ${text}\ntype: TODO # or RETURN`, THINK, todo(text))
      await expectRead(`\`\`\`yaml\ntype: TODO\ndescription: ${text}\n\`\`\``, THINK, todo(text))
      await expectRead(`type: TODO\ndescription: ${text}\n  and more`, THINK, todo(`${text} and more`))
      await expectRead(`- ${text}\n- x`, TAGS, [text, 'x'])
      await expectRead(
        `thoughts:\n  - x\n  - ${text}`,
        { properties: { thoughts: TAGS }, required: ['thoughts'] },
        { thoughts: ['x', text] },
      )
    },
  )

  test('items with a name in front', async () => {
    await expectRead('- Run: `npm test`\n- Note: *now*', TAGS, ['Run: `npm test`', 'Note: *now*'])
  })
})

describe('texts with only a blank between them are not one text', () => {
  test.each([
    '["red" "green"]',
    '["red", "green" "blue"]',
    '["red"  "green"  "blue"]',
    '["red" and "green"]',
    '["red" or "green", "blue"]',
    "['red' 'green']",
    '["red"; "green"]',
    '["red"/"green"]',
    '["red" | "green"]',
  ])('%s', async (text) => {
    await expectRefused(text, TAGS)
    await expectRefused(`{"thoughts": ${text}}`, { properties: { thoughts: TAGS }, required: ['thoughts'] })
  })

  test('a quote that opens and does not close', async () => {
    await expectRefused('{"type": "TODO", "description": "she said "go", "more": "he stayed"}', THINK)
    await expectRead('{"type": "TODO", "description": "a 72" TV"}', THINK, todo('a 72" TV'))
  })

  test.each(['"a" "b"', '"a"\n"b"', '"a" or "b"', '"a" and then "b"'])('a field: %j', async (text) =>
    expectRefused(`{"type": "TODO", "description": ${text}}`, THINK),
  )

  test('items on lines of their own are items, and quotes that open and close are part of a text', async () => {
    await expectRead('["red"\n"green"]', TAGS, ['red', 'green'])
    await expectRead('["say "hello" to Bob"]', TAGS, ['say "hello" to Bob'])
  })
})

describe('an example is not the answer', () => {
  test.each([
    `For example ${json('an example')}. Mine: {"type": "TODO"}`,
    `For example ${json('an example')}. Mine: {"Type": "RETURN", "Description": "mine"}`,
    `For example ${json('an example')}. Mine: {"type": "RETURN"`,
    `${json('an example')}\n{"type": "RETURN", "desc": "b"}`,
    `${json('an example')}\n{"description": "b"}`,
    `${json('an example')}\nMine: type: RETURN, description: done`,
    `An example:\n${json('an example')}\nMine:\ntype: RETURN\ndescription: done`,
    `\`\`\`json\n${json('an example')}\n\`\`\`\n\`\`\`json\n{"type": "RETURN"\n\`\`\``,
    `\`\`\`json\n${json('an example')}\n\`\`\`\n\`\`\`yaml\ntype: RETURN\n\`\`\``,
    `It could be, for example: ${json('an example')}`,
    `e.g. ${json('an example')}`,
    `Here is an example:\n\`\`\`json\n${json('an example')}\n\`\`\``,
    `<example>${json('an example')}</example> I can't answer.`,
    `${json('an example')}\n\nThis is only an example.`,
    `Not ${json('a')}, since the goal is reached.`,
    `I must not answer ${json('a')}`,
    `Rather than ${json('a')} I would stop.`,
    `~~${json('a')}~~`,
    `<!-- ${json('a')} -->`,
    `<del>${json('a')}</del>`,
    `Maybe ${json('a')}?`,
    `例如：${json('a')}`,
    'An example:\n\ntype: TODO\ndescription: an example\n\nI am not sure.',
    `The form is\n\n${json('a')}\n\nand I say no.`,
    `Output format: ${json('a')}`,
    `${json('a')} {"my_description": "b"}`,
    `{"example": ${json('a')}}`,
    `{"properties": ${json('a')}}`,
  ])('%s', async (text) => expectRefused(text, THINK))

  test.each([
    `Here is the answer, like your example: ${json('a')}`,
    `As in the example, my answer is ${json('a')}`,
    `In the format you asked for:\n${json('a')}`,
    `Here is the plan in the requested JSON format:\n${json('a')}`,
    `Why not? Here it is: ${json('a')}`,
    `Input was {"goal": "x"}. So: ${json('a')}`,
    `<answer>${json('a')}</answer>`,
  ])('the answer is read: %s', async (text) => expectRead(text, THINK, todo('a')))

  test('of lists', async () => {
    await expectRefused('As in [1] we see that [2, 3, ...]', NUMBERS)
    await expectRefused('For example ["a", "b"]. Mine: ["c", 5]', TAGS)
    await expectRead('Tags: ["a", "b"], weights: [1, 2]', TAGS, ['a', 'b'])
  })

  test.each([
    '...',
    '…',
    '<description>',
    '<your description>',
    '[insert description here]',
    '{{description}}',
  ])('a placeholder is no text: %j', async (text) => expectRefused(json(text), THINK))

  test('a list whose last text stands for more is no whole list', async () => {
    await expectRefused('["a", "b", "..."]', TAGS)
    await expectRead('["a...", "<br>", "[x]", "wait..."]', TAGS, ['a...', '<br>', '[x]', 'wait...'])
  })

  test('the form that was asked for is no answer', async () => {
    await expectRefused('{"answer": "string"}', CLOSED)
    await expectRefused(JSON.stringify(THINK), THINK)
    await expectRefused(JSON.stringify(TAGS), TAGS)
    await expectRefused('{"required": ["type", "description"]}', TAGS)
  })
})

describe('a value that is corrected after it is not the value', () => {
  test.each([
    'wait, no: 5',
    'Wait — that should be 5.',
    'Correction: 5',
    'Correction: {"score": 5}',
    'Actually, the score is 5.',
    'Actually 5.',
    'Oops, I meant 5.',
    'Sorry, 5 it is.',
    'No, 5.',
    'Hmm, 5 would be better.',
    'On second thought: 5',
    'Scratch that.',
    'The score should be 5.',
    'It should have been 5.',
    'Edit: 5',
    'Make that 5.',
    'I made a mistake: it is 5.',
    'Ignore the above.',
    'Please disregard this.',
    'That is wrong.',
    'score: 5',
    '**Score:** 5',
    'The final score is 5.',
    'final = false',
    'This is not my final answer.',
    'But 5 is better.',
    'Or rather 5.',
    'Replace 3 with 5.',
    'Let me reconsider.',
    'I take that back.',
    'Not 3, 5!',
    'Final answer: 5',
    'The result is 5.',
    'Das ist falsch.',
    '更正：5 分',
    '不对，应该是 5',
    '等等，我算错了。',
  ])('%s', async (after) => {
    await expectRefused(`${SCORED}\n${after}`, SCORE)
    await expectRefused(`\`\`\`json\n${SCORED}\n\`\`\`\n\n${after}`, SCORE)
    await expectRefused(`reason: "r"\nscore: 3\nfinal: true\n\n${after}`, SCORE)
  })

  test.each([
    '["example", "tags"] would be the form; mine are: red, green',
    '["a", "b"] is an example.',
    '["a"] might be one.',
    '["a", "b"]\n\nMy answer is: c',
  ])('in the same sentence: %s', async (text) => expectRefused(text, TAGS))

  test('in a comment', async () => {
    await expectRefused('{"score": 3, // wait, it should be 5\n"reason": "r", "final": true}', SCORE)
    await expectRefused('{"score": 3, // or 4\n"reason": "r", "final": true}', SCORE)
    await expectRead('{"score": 3, // out of ten\n"reason": "r", "final": true}', SCORE, JSON.parse(SCORED))
  })

  test.each([
    'Let me know if this should be changed.',
    'Let me know if I made a mistake!',
    'Feel free to ask for corrections.',
    'I chose 3 instead of 5 because two cases are missing.',
    'Score: 3/10',
    'The score is 3, since it actually works.',
    'If you would rather have 5, tell me.',
    'I hope this helps!',
    '如有错误请告诉我。',
    'User: thanks',
  ])('what is no correction stays outside: %s', async (after) =>
    expectRead(`${SCORED}\n${after}`, SCORE, JSON.parse(SCORED)),
  )

  test('by naming another choice', async () => {
    for (const after of ['RETURN', 'RETURN would do as well.', 'The type is `RETURN`.', 'Or RETURN?'])
      await expectRefused(`${json('a')}\n${after}`, THINK)
    for (const after of ['I chose TODO instead of RETURN.', 'TODO, not RETURN: more is to do.'])
      await expectRead(`${json('a')}\n${after}`, THINK, todo('a'))
  })

  test('a correction with the whole value is still two values', async () => {
    await expectRefused(`${SCORED}\nCorrection: ${SCORED.replace('3', '5')}`, SCORE)
    await expectRead(`${SCORED} Wait, let me check. Yes: ${SCORED}`, SCORE, JSON.parse(SCORED))
  })
})

describe('only neutral wrappers are removed', () => {
  test('of others, the model is told what they hold', async () => {
    expect(await readReply(`{"name": "x", "parameters": ${SCORED}}`, SCORE)).toMatchObject({
      violations: [{ path: ['parameters'], message: expect.stringContaining('if it is the answer') }],
    })
  })

  const NEUTRAL = ['result', 'answer', 'response', 'output', 'data', 'value', 'reply', 'json', 'Final Answer']
  test.each(NEUTRAL)('%s is', async (name) => expectRead(`{"${name}": ${SCORED}}`, SCORE, JSON.parse(SCORED)))

  const TELLING = ['error', 'rejected', 'example', 'draft', 'input', 'previous', 'not', 'invalid', 'default']
  const MORE = [
    'schema',
    'wrong',
    'old',
    'before',
    'items',
    'enum',
    'refused',
    'failed',
    'alternative',
    'deny',
  ]
  test.each([...TELLING, ...MORE])('%s is not', async (name) =>
    expectRefused(`{"${name}": ${SCORED}}`, SCORE),
  )

  test.each([
    `{"result": ${SCORED}, "confidence": "low"}`,
    `{"error": null, "result": ${SCORED}}`,
    `[${SCORED}, {"score": "x"}]`,
    `[${SCORED}, "or 4"]`,
    `[${SCORED}, null]`,
    `{"result": {"error": ${SCORED}}}`,
    `{"error": {"result": ${SCORED}}}`,
    `{"name": "reject", "arguments": ${SCORED}}`,
    `{"name": "search", "input": ${SCORED}}`,
    `{"result": "{\\"score\\": 3, \\"score\\": 4, \\"reason\\": \\"r\\", \\"final\\": true}"}`,
  ])('not opened: %s', async (text) => expectRefused(text, SCORE))

  test.each([
    `[${SCORED}]`,
    `{"name": "answer", "arguments": ${SCORED}}`,
    `{"result": {"data": ${SCORED}}}`,
    `{"arguments": ${SCORED}}`,
  ])('opened: %s', async (text) => expectRead(text, SCORE, JSON.parse(SCORED)))
})

describe('backslashes that were not doubled', () => {
  const raw = String.raw
  test.each([
    raw`\frac{1}{2} \times \beta`,
    raw`\times`,
    raw`x \neq y`,
    raw`\rho and \theta`,
    raw`\nabla f \rightarrow 0`,
    raw`a \to b`,
    raw`\text{if}`,
    raw`$\nu$`,
    raw`\bword\b`,
    raw`\alpha + \beta`,
    raw`\sum \frac{a}{b} \tau`,
    raw`C:\foo`,
    raw`C:\temp`,
    raw`C:\new\table`,
    raw`C:\foo\new_data`,
    raw`\begin{array} \right)`,
  ])('are read as they are meant: %s', async (text) => {
    await expectRead(`{"type": "TODO", "description": "${text}"}`, THINK, todo(text))
    await expectRead(`type: TODO\ndescription: '${text}'`, THINK, todo(text))
  })

  test.each([
    raw`C:\Users\new`,
    raw`\d+\n\w`,
    raw`\frac{a}{b} \nu`,
    raw`a\report`,
    raw`\bfoo\b\ntail`,
    raw`D:\nyx\tyr`,
  ])('or asked for again: %s', async (text) => {
    await expectRefused(`{"type": "TODO", "description": "${text}"}`, THINK)
  })

  test.each([
    'one\ntwo',
    'a\tb',
    'x = 1\nu = 3',
    'Option A:\nfirst',
    'a\r\nb',
    '\\frac{1}{2}\nNext line',
    'C:\\new\\table',
    '\tan indented line',
    'go\nto\nnot here',
    'key:\tvalue\nname:\ttext',
    'if x:\n\treturn 1\n\telse',
    '\\times\n\\nabla',
  ])('proper escapes stay what they are: %j', async (text) => expectRead(json(text), THINK, todo(text)))
})

describe('what is said without quotes is not cut at a comment', () => {
  test.each([
    '{type: TODO, description: use C # now\n}',
    '{type: TODO, description: fix #12 # first\n}',
    '{"type": "TODO", "description": go on // or not\n}',
    '{"type": "TODO", "description": go on /* or not */}',
  ])('%j', async (text) => expectRefused(text, THINK))
})

describe('a word that is a value to some is asked for again where it can be both', () => {
  const UNION: JsonSchema = {
    properties: { value: { type: ['string', 'number', 'boolean', 'null'] } },
    required: ['value'],
  }
  test.each(['yes', 'No', 'on', 'OFF', 'y', 'n', 'None'])('%s', async (word) => {
    await expectRefused(`value: ${word}`, UNION)
    await expectRead(`value: "${word}"`, UNION, { value: word })
    await expectRead(`type: TODO\ndescription: ${word}`, THINK, todo(word))
    if (word !== 'None') await expectRefused(`{value: ${word}}`, UNION)
    if (word !== 'None') await expectRead(`{type: TODO, description: ${word}}`, THINK, todo(word))
  })

  test.each(['true or false', 'null or "x"', 'none of them'])('{"value": %s}', async (words) =>
    expectRefused(`{"value": ${words}}`, UNION),
  )
})

describe('what was cut off is not closed and taken', () => {
  test.each([
    '{"type": "TODO", "description": "it is 4',
    '{"type": "TODO", "description": "it is 4\\',
    '{"type": "TODO", "description": "it is 4\\u00',
    '```json\n{"type": "TODO", "description": "it is 4',
    "{'type': 'TODO', 'description': 'it is 4",
    '{"type": "TODO", "description": ',
  ])('%j', async (text) => expectRefused(text, THINK))

  test.each(['["a", "b"', '["a", "b",', '["a"', '["a", "b'])('%j', async (text) => {
    await expectRefused(text, TAGS)
    await expectRefused(`{"thoughts": ${text}`, { properties: { thoughts: TAGS }, required: ['thoughts'] })
  })

  test('closing braces alone are added', async () =>
    expectRead('{"type": "TODO", "description": "it is 42"', THINK, todo('it is 42')))
})

describe('what lost or got a bracket, a quote or a comma is not cut to what is left of it', () => {
  const TREE: JsonSchema = {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        properties: {
          label: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/$defs/node' } },
        },
        required: ['label', 'children'],
      },
    },
  }
  test.each([
    '{"label""stones","children":[{"label":"slate","children":[]}]}',
    '{l"abel":"stones","children":[{"label":"slate","children":[]}]}',
    '{"label: "stones", "children" [{"label": "slate", "children": []}]}',
    '{"label":"a","children":{"label":"b","children":{"label":"c","children":[]}]},{"label":"d","children":[]}]}',
  ])('%s', async (text) => expectRefused(text, TREE))

  test.each(['[[1,0]],[0,1]]', '[1,0],[[0,1]]', '[[2]],[4]', '[2[],[4]]', '[[1,0]][0,1]]]'])(
    '%s',
    async (text) => expectRefused(text, { type: 'array', items: NUMBERS }),
  )

  test.each([
    '["garden","tools"("winter"]',
    '["garden",\n  tools,\n  "winter"]',
    '[""kitchen, "soup"]',
    '["garden,"tools",winter"]',
    '["wait a day,"\n"go at once"]',
    '[""attic""]',
    '"a[ttic"]',
    '[\'ask the owner"]',
  ])('%j', async (text) => expectRefused(text, TAGS))

  test.each([
    '{"type": "TODO", "description": "elm}"',
    '{"type": "TODO", "description": "elm\'}',
    '{"description": "elm(,\n"type": "TODO"}',
    '{"description": "elm"\'\n"type": "TODO"}',
    '{"type": "TODO", "description": "x", "Description ": "y", "TYPE": "RETURN"} {"type": "TODO"}',
  ])('%j', async (text) => expectRefused(text, THINK))

  test('a field whose name is spelled in another way is not left out', async () => {
    const optional = { ...THINK, required: ['type'] }
    await expectRefused('{"type": "TODO", "Description": "x"}', optional)
    await expectRefused('{"type": "TODO", "description ": "x"}', optional)
    await expectRead('{"type": "TODO", "description": "x", "more": 1}', optional, { ...todo('x'), more: 1 })
  })
})

test('a number with a mark that changes it is no number', async () => {
  for (const number of ['5²', '½', '①', '5₂', '1,000', '80%', '0x1F', '1_000'])
    await expectRefused(`{"score": ${number}, "reason": "r", "final": true}`, SCORE)
})

test('entities are all decoded, or none', async () => {
  const entities = json('it is “a” – b').replaceAll('"', '&quot;')
  await expectRead(entities.replace('“a”', '&#8220;a&#x201d;'), THINK, todo('it is “a” – b'))
  await expectRefused(entities.replace('–', '&unknown;'), THINK)
})
