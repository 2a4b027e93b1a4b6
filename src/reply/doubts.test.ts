/** What the words around a value say against it, in more ways and languages; and what they say that is nothing against it. */
import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../schema/check-schema.ts'
import { readReply } from './read-reply.ts'

const THINK: JsonSchema = {
  type: 'object',
  properties: { type: { enum: ['TODO', 'RETURN'] }, description: { type: 'string' } },
  required: ['type', 'description'],
}
const VOTE: JsonSchema = {
  type: 'object',
  properties: { choice: { enum: ['A', 'B', 'C'] }, sure: { enum: ['yes', 'no'] } },
  required: ['choice'],
}
const NUMBERS: JsonSchema = { type: 'array', items: { type: 'number' } }
const TAGS: JsonSchema = { type: 'array', items: { type: 'string' } }
const VALUE = { type: 'TODO', description: 'read the log' }
const JSON_TEXT = JSON.stringify(VALUE)

async function isRefused(text: string, schema: JsonSchema): Promise<void> {
  expect(await readReply(text, schema)).toMatchObject({ kind: 'ambiguous' })
}

async function isRead(text: string, schema: JsonSchema, value: unknown): Promise<void> {
  expect(await readReply(text, schema)).toMatchObject({ value })
}

describe('before a value', () => {
  test.each([
    'For example, a reply might look like ',
    'Example answer: ',
    'An example of the expected output: ',
    'A sample reply could look like this:\n',
    'Your output should look like this:\n',
    'Beispiel: ',
    'Par exemple : ',
    'Por ejemplo: ',
    '例えば、',
    '示例输出：',
    '例如，输出可以是：',
    '反例：',
    '错误的回答：',
    '上一步的输出是：',
    '假设答案是：',
    'You sent me ',
    'The user said: ',
    'If the file is missing, then ',
    'Unless you object: ',
  ])('it is set aside: %j', async (before) => isRefused(before + JSON_TEXT, THINK))

  test.each([
    'Here is the requested output: ',
    'As requested, in the format of your example:\n',
    'Based on the example you gave me, the answer is: ',
    'If I understand you, the answer is: ',
    'You said to answer in JSON, so here it is: ',
    'Since the log was not read yet, the next step is:\n',
    'I considered returning, but the log must be read first. ',
    '根据之前的结果，答案是：',
    '最终输出：',
    'Voici la réponse : ',
    'Ergebnis: ',
  ])('it is the answer: %j', async (before) => isRead(before + JSON_TEXT, THINK, VALUE))

  test('another one is chosen', async () => {
    await isRefused('I vote for B.\n\n{"choice": "A"}', VOTE)
    await isRefused('The answer is **B**.\n\n{"choice": "A"}', VOTE)
    await isRefused('Choice: C\n\n{"choice": "A"}', VOTE)
    for (const before of [
      'I vote for A.',
      'I choose B. No, I choose A.',
      'If I choose B, it fails.',
      'I choose a way.',
    ])
      await isRead(`${before}\n\n{"choice": "A"}`, VOTE, { choice: 'A' })
  })
})

describe('after a value', () => {
  test.each([
    ' is what a beginner would answer.',
    ' was rejected, so I have nothing to offer.',
    ' would not be valid here.',
    ' seems wrong to me.',
    '\n\nScrap that.',
    '\n\nPlease ignore.',
    '\n\nNever mind, the log is already read.',
    '\n\nCancel this.',
    '\n\nI retract the above.',
    '\n\n^ wrong',
    '\n\nTODO is wrong.',
    '\n\nTODO would be premature.',
    '\n\nMoment, das stimmt nicht.',
    '\n\nEn fait, non.',
    '\n\n不，我改主意了。',
    '\n\n上述答案作废。',
    '\n\n訂正します。',
  ])('it is taken back: %j', async (after) => isRefused(JSON_TEXT + after, THINK))

  test.each([
    ' is my answer.',
    ' is the next step.',
    ' is the correct JSON.',
    ' looks right.',
    '\n\nRETURN is not possible yet because the log has not been read.',
    '\n\nThis is the next step; after that we can RETURN.',
    '\n\nNo further action is needed.',
    '\n\nThe type is TODO since work remains.',
    '\n\n我选择 TODO，因为还没有读日志。',
  ])('it is explained: %j', async (after) => isRead(JSON_TEXT + after, THINK, VALUE))
})

describe('brackets of prose and of programs are no list', () => {
  test.each([
    'As shown in [1], the method converges.',
    'In the interval [0, 1] there is no solution.',
    'None of the values in [3, 7] is prime, so there is no answer.',
    '[0] * 5',
    '[1, 2, 3].map(x => x * 2)',
    'sorted([3, 1, 2])',
    '[1](https://example.com)',
  ])('%s', async (text) => isRefused(text, NUMBERS))

  test.each(['Take a[0] as the start.', 'Declare it as int[] first.', '1. [ ] count\n2. [ ] add'])(
    '%s',
    async (text) => expect(await readReply(text, NUMBERS)).toHaveProperty('error'),
  )

  test.each([
    'The answer is [1, 2].',
    'So we get [1, 2] as the result.',
    'Numbers: **[1, 2]**',
    'result = [1, 2]',
    'print([1, 2])',
    'Therefore:\n[1, 2]\n* as asked',
    'Of a[0] and b[1]: [1, 2]',
    '```json[1, 2]```',
    '答案是[1, 2]',
  ])('a list is read: %s', async (text) => isRead(text, NUMBERS, [1, 2]))

  test('an empty list may be the answer', async () => {
    for (const text of ['[]', 'Tags: []', 'There are none, so: []', '```json\n[]\n```'])
      await isRead(text, TAGS, [])
  })
})
