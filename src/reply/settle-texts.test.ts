/** Values that a parser would take, and that are not what was written. */
import { expect, test } from 'vitest'
import { readReply } from './read-reply.ts'

const FIELDS = {
  type: 'object',
  properties: {
    answer: { type: 'string' },
    limit: { type: ['number', 'null'] },
    plan_type: { type: 'string' },
  },
}

async function isRefused(text: string): Promise<void> {
  expect(await readReply(text, FIELDS)).toHaveProperty('error')
}

async function isRead(text: string, value: unknown): Promise<void> {
  expect(await readReply(text, FIELDS)).toMatchObject({ value })
}

test('a number that a parser can not keep is asked for again', async () => {
  for (const number of ['1e400', '-1e999', '12345678901234567890', '-9007199254740993'])
    await isRefused(`{"limit": ${number}}`)
  for (const number of [1e21, 2 ** 64, 2 ** 53, -12345678901234567000, 0.1, 1e-7])
    await isRead(`{"limit": ${number}}`, { limit: number })
  await isRead('{"limit": 18446744073709551616}', { limit: 2 ** 64 })
  await isRead('{"limit": 1e20, "answer": "12345678901234567890"}', { limit: 1e20 })
})

test('words in angle brackets stand for a text; tags do not', async () => {
  await isRefused('{"answer": "<what to do next>"}')
  await isRefused('{"answer": "<the answer in one sentence>"}')
  for (const answer of ['<br>', '<input disabled>', '<a href="x y z">', 'a < b and c > d'])
    await isRead(JSON.stringify({ answer }), { answer })
})

test('a field beside itself in another spelling is asked for again, unless both say the same', async () => {
  await isRefused('{"answer": "a", "Answer": "b"}')
  await isRead('{"answer": "a", "Answer": "a"}', { answer: 'a' })
})

test('underscores that are escaped as in Markdown', async () => {
  await isRead('{"plan\\_type": "get\\_user", "answer": "a\\_b"}', { plan_type: 'get_user', answer: 'a_b' })
  await isRefused('{"answer": "get\\_user"}')
  await isRead('{"answer": "$a\\_1 \\in A$"}', { answer: '$a\\_1 \\in A$' })
})

test('texts that a program would change are asked for again', async () => {
  await isRefused('{"answer": "one \\\ntwo"}')
  await isRefused('{"answer": `at $' + '{place}`}')
  await isRead('{"answer": `costs $5`}', { answer: 'costs $5' })
})

test('a date without quotes is a text', async () => {
  await isRead('{"answer": 2024-05-01, "limit": 1}', { answer: '2024-05-01', limit: 1 })
  for (const date of ['2024-13-01', '2024-5-1', '10-12', '01/05/2024']) await isRefused(`{"answer": ${date}}`)
})

test('a line that begins with a word is a line, although LaTeX has a sign by that name', async () => {
  for (const word of ['exists', 'parallel', 'less', 'mid', 'sim']) {
    const answer = `the first that\n${word} in US$\n${word}`
    await isRead(JSON.stringify({ answer }), { answer })
  }
  await isRead(JSON.stringify({ answer: 'a\ni{x}' }), { answer: 'a\ni{x}' })
  await isRead('answer: |-\n  if a\n  eq b', { answer: 'if a\neq b' })
  await isRefused(JSON.stringify({ answer: 'if a\neq b' }))
  await isRead(String.raw`{"answer": "$a \neq b$"}`, { answer: String.raw`$a \neq b$` })
  await isRefused(String.raw`{"answer": "$\alpha \nless b$"}`)
})

test('where some backslashes are doubled and some are not, nobody knows how many were meant', async () => {
  await isRefused(String.raw`{"answer": "/\s*\\n/"}`)
  await isRead(String.raw`{"answer": "/\s*\d/"}`, { answer: String.raw`/\s*\d/` })
})

test('a text that is cut off after a bracket is not closed at an escape', async () => {
  await isRefused(String.raw`{"answer": "\t\t  }   `)
  await isRead('{"answer": "read the log}', { answer: 'read the log' })
})

test('single quotes around a text with single quotes in it', async () => {
  const answer = `toEqual({ code: 'A', message: 'failed' })`
  await isRead(`{'answer': '${answer}'}`, { answer })
  await isRefused(`{'answer': 'it's { type: 'A', limit: 5 }, "limit": 3}`)
  await isRead(`{'answer': 'it's fine'}`, { answer: "it's fine" })
})

test('signs in quotes and patterns', async () => {
  await isRefused('{"answer": "use "+" or "-c" for it"}')
  await isRefused(String.raw`{"answer": "/^\.\//"}`)
  await isRefused(String.raw`{"answer": "a '\' or a '/'"}`)
  await isRefused(String.raw`{"answer": "echo $\{a}\nb"}`)
  await isRead('{"answer": "one " + "two"}', { answer: 'one two' })
  await isRead(String.raw`{'answer': '\'a\' and b'}`, { answer: "'a' and b" })
  await isRead(String.raw`{'answer': 'say \'\' and \'it\''}`, { answer: "say '' and 'it'" })
  await isRead(String.raw`{"answer": "\(x\)\nnext"}`, { answer: '\\(x\\)\nnext' })
})

test('an object in a text is not the value', async () => {
  const inner = "{ answer: 'inner', limit: 1 }"
  const outer = JSON.stringify({ answer: `not ${inner}`, limit: 2 })
  await isRead(outer.replaceAll('"', '&quot;'), { answer: `not ${inner}`, limit: 2 })
  await isRead(outer.replaceAll('"', '\\"'), { answer: `not ${inner}`, limit: 2 })
  await isRefused(`limit: 2\nanswer: |\n  not ${inner}`)
  await isRead(`limit: 1\nanswer: 'inner'\n\n${inner}`, { answer: 'inner', limit: 1 })
})

test('lists in the texts of a list that can not be read are not the list', async () => {
  const tags = { type: 'array', items: { type: 'string' } }
  for (const text of [`["see ['a', 'b']" "c"]`, '["todo ? [] : [todo]" "b"]'])
    expect(await readReply(text, tags)).toHaveProperty('error')
  expect(await readReply('["a"\n"see [I|, b,"\n]', tags)).toMatchObject({ value: ['a', 'see [I|, b,'] })
})
