import { describe, expect, test } from 'vitest'
import {
  type BrokenReply,
  isReadable,
  judgeReply,
  loadCorpus,
  loadSecondCorpus,
  withSchemas,
} from '../../bench/repair.ts'
import { generate } from '../../bench/repair-grammar.ts'
import { repetitions } from '../../tests/repetitions.ts'

const first = loadCorpus()
/** The third that nobody reads is judged by `npm run bench -- repair --unread`. */
const second = loadSecondCorpus('read')

test('the first corpus has more than 220 broken replies, each once', () => {
  expect(first.length).toBeGreaterThan(220)
  expect(new Set(first.map(({ text, schema }) => JSON.stringify([text, schema]))).size).toBe(first.length)
})

describe.each([
  ['the first corpus', first],
  ['the two thirds of the second corpus that may be read', second],
])('of %s', (_, corpus) => {
  test('at least 95 in 100 of those with one reading are read, none is misread', () => expectRead(corpus))
})

test('of replies broken by the grammar with other seeds, too', async () => {
  for (let seed = 1; seed <= repetitions(8, 200); seed++) await expectRead(withSchemas(generate(seed)))
}, 600_000)

async function expectRead(corpus: readonly BrokenReply[]): Promise<void> {
  const verdicts = await Promise.all(corpus.map(judgeReply))
  const misread = verdicts.filter(({ verdict }) => verdict === 'misread')
  expect(misread.map(({ reply: { id, text }, reading }) => ({ id, text, reading }))).toEqual([])
  const mended = verdicts.filter(({ verdict }) => verdict === 'mended').length
  expect(mended / corpus.filter(isReadable).length).toBeGreaterThanOrEqual(0.95)
}

test.each(first.filter(({ expect }) => expect === 'ambiguous'))(
  '$id is refused as ambiguous',
  async (reply) => {
    expect((await judgeReply(reply)).reading).toMatchObject({ kind: 'ambiguous' })
  },
)
