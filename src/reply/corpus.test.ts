import { expect, test } from 'vitest'
import { isReadable, judgeReply, loadCorpus } from '../../bench/repair.ts'

const corpus = loadCorpus()

test('the corpus has more than 220 broken replies, each once', () => {
  expect(corpus.length).toBeGreaterThan(220)
  expect(new Set(corpus.map(({ text, schema }) => JSON.stringify([text, schema]))).size).toBe(corpus.length)
})

test('at least nine in ten of those with one reading are mended, none is misread', async () => {
  const verdicts = await Promise.all(corpus.map(judgeReply))
  const misread = verdicts.filter(({ verdict }) => verdict === 'misread')
  expect(misread.map(({ reply, reading }) => ({ id: reply.id, reading }))).toEqual([])
  const mended = verdicts.filter(({ verdict }) => verdict === 'mended').length
  expect(mended / corpus.filter(isReadable).length).toBeGreaterThanOrEqual(0.9)
})

test.each(corpus.filter(({ expect }) => expect === 'ambiguous'))(
  '$id is refused as ambiguous',
  async (reply) => {
    expect((await judgeReply(reply)).reading).toMatchObject({ kind: 'ambiguous' })
  },
)
