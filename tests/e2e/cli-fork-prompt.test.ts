// A prompt that is edited in a fork, on the command line: asked again after a kill, shown, replayed, and refused where it is none.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { EventOf } from '../../src/protocol/index.ts'
import { until } from '../conformance/async.ts'
import { jsonLines, makePlace } from './cli-process.ts'

const place = makePlace()
const { folder, cli } = place
const at = (name: string) => join(folder, name)
afterAll(() => place.remove())

/** It goes by the words of the prompt, and writes down what it was asked. */
const MODEL = `
import { appendFileSync, existsSync } from 'node:fs'
export default {
  id: 'reads',
  async call({ messages }) {
    const words = messages.map(({ content }) => [content].flat().join('')).join(' ')
    appendFileSync('asked.txt', (words.includes('say blue') ? 'blue' : 'red') + '\\n')
    while (words.includes('say blue') && existsSync('hold')) await new Promise((go) => setTimeout(go, 20))
    const value = { do: 'return', result: words.includes('say blue') ? 'blue' : 'red' }
    return { text: JSON.stringify(value), value, usage: { inputTokens: 10, outputTokens: 5 } }
  },
}
`
const EDIT = { request: { messages: [{ role: 'user', content: 'say blue' }] } }
const asked = () => readFileSync(at('asked.txt'), 'utf8').trim().split('\n')
let id = ''
let start: EventOf<'model-start'>

const journal = async (run: string) => jsonLines((await cli(['events', run, '--json'])).stdout)

beforeAll(async () => {
  writeFileSync(at('reads.mjs'), MODEL)
  const run = await cli(['run', 'a colour', '--model', 'module:reads.mjs', '--json'])
  const outcome = jsonLines(run.stdout).at(-1)
  expect(outcome).toMatchObject({ status: 'completed', result: 'red' })
  id = String(outcome?.run)
  start = (await journal(id)).find(({ type }) => type === 'model-start') as never
})

it('is asked in place of the strategy’s own, shown as edited, and replayed', async () => {
  const seq = String(start.seq)
  const forked = await cli(['fork', id, '--at', seq, '--with', JSON.stringify(EDIT), '--resume'])
  expect(forked).toMatchObject({ code: 0, stdout: expect.stringContaining(`with event ${seq} edited`) })
  expect(forked.stdout).toContain('blue')
  expect((await cli(['events', 'last'])).stdout).toMatch(/model-start .*minimal\/next, edited by a person/)
  const audit = (await cli(['show', 'last', '--audit'])).stdout
  expect(audit).toContain('as edited by a person')
  expect(audit).toContain('say blue')
  expect((await cli(['show', 'last', '--audit', '--lang', 'zh'])).stdout).toContain('由人改过')
  expect(await cli(['replay', 'last'])).toMatchObject({ code: 0, stdout: expect.stringContaining('equal') })
})

it('may be a file with the whole event as it was printed, and is asked after a kill with what was edited', async () => {
  const { request } = start
  writeFileSync(at('prompt.json'), JSON.stringify({ ...start, request: { ...request, ...EDIT.request } }))
  const made = await cli(['fork', id, '--at', String(start.seq), '--with', 'prompt.json', '--json'])
  const [{ run: fork, edited } = {}] = jsonLines(made.stdout)
  expect(edited).toBe(true)
  writeFileSync(at('hold'), '')
  rmSync(at('asked.txt'))
  const going = place.start(['resume', String(fork)])
  await until(() => existsSync(at('asked.txt')), 'the model is asked')
  going.child.kill('SIGKILL')
  await going.ended
  rmSync(at('hold'))
  const resumed = await cli(['resume', String(fork), '--strict', '--json'])
  expect(jsonLines(resumed.stdout).at(-1)).toMatchObject({
    result: 'blue',
    usage: { calls: 2, inputTokens: 10 },
  })
  expect(asked()).toEqual(['blue', 'blue'])
  const events = await journal(String(fork))
  expect(events.filter(({ type }) => type === 'model-end')).toHaveLength(1)
  expect(events.filter(({ type, lost }) => type === 'run-resume' && lost !== undefined)).toHaveLength(1)
  expect((await cli(['replay', String(fork)])).code).toBe(0)
})

it('that no language model answers fails with a word about it, in the language of the prompt', async () => {
  const fork = (edit: object) =>
    cli([
      'fork',
      id,
      '--at',
      String(start.seq),
      '--with',
      JSON.stringify(edit),
      '--resume',
      '--model',
      'embedded:abacus',
    ])
  expect((await fork(EDIT)).stdout).toContain("can't answer an edited prompt (minimal/next)")
  const messages = [{ role: 'user', content: '请说出一种颜色' }]
  expect((await fork({ request: { messages } })).stdout).toContain('无法回答改过的提示词（minimal/next）')
})

it('that is none is refused, and no fork is made', async () => {
  const before = (await cli(['list', '--json'])).stdout
  const edit = { request: { messages: [{ role: 'user', content: '' }], tools: [] } }
  for (const [seq, given, says] of [
    [start.seq, edit, '"request.tools" can\'t be edited; of the request these can: messages, settings'],
    [start.seq, { request: { messages: edit.request.messages } }, 'request.messages[0].content says nothing'],
    [start.seq + 1, EDIT, 'which has no request: edit that of a model-start'],
  ] as const) {
    const { code, stderr } = await cli([
      'fork',
      id,
      '--at',
      String(seq),
      '--with',
      JSON.stringify(given),
      '--resume',
    ])
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
  }
  expect((await cli(['list', '--json'])).stdout).toBe(before)
})
