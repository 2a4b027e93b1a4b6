// What `npm run bench -- prompts` is made of, and the bench itself on runs of a few calls.
import { expect, it } from 'vitest'
import { run } from '../../bench/prompts.ts'
import {
  bytesSaid,
  cutsIn,
  doubledIn,
  prefixShare,
  type Request,
  repeats,
} from '../../bench/prompts-measure.ts'
import { prose, Texts } from '../../bench/prompts-texts.ts'
import type { Event, Message } from '../../src/protocol/index.ts'

const STRATEGIES = ['fractal', 'planner', 'tot', 'cot', 'dual']

function request(...messages: Message[]): Request {
  return { kind: 'k', version: 1, role: 'act', messages }
}

const user = (content: string): Message => ({ role: 'user', content })
const assistant = (content: string): Message => ({ role: 'assistant', content })

it('measures every strategy on small runs', async () => {
  const sizes = {
    goal: 600,
    result: 600,
    subGoals: 2,
    iterations: 3,
    thoughts: 3,
    steps: 3,
    hypotheses: 3,
    depth: 2,
  }
  const { figures, lines } = await run(sizes)
  for (const figure of ['prefix', 'doubled', 'cut', 'disk'] as const) {
    expect(Object.keys(figures[figure] as object)).toEqual(STRATEGIES)
    for (const value of Object.values(figures[figure] as object)) expect(value).toEqual(expect.any(Number))
  }
  for (const name of STRATEGIES) expect(lines.join('\n')).toContain(name)
})

it('counts the longest prefix with any earlier request, tools first', () => {
  expect(prefixShare([request(user('abc'))])).toBe(0)
  const talk = [user('a'.repeat(100)), assistant('b'.repeat(100))]
  const grown = prefixShare([request(...talk), request(user('other')), request(...talk, user('c'))])
  expect(grown).toBeGreaterThan(0.45)
  const tools = [{ name: 't', description: 'd', schema: {} }]
  expect(prefixShare([request(...talk), { ...request(...talk), tools }])).toBeLessThan(0.01)
})

it('finds texts of 200 characters that stand twice, wherever they begin, but not in turns of the model', () => {
  const text = prose('once', 260)
  const apart = (n: number) => prose(`apart ${n}`, 137)
  expect(doubledIn(request(user(`${apart(1)}${text}`), user(`${apart(2)}${text}${apart(3)}`)))).toEqual([
    text,
  ])
  expect(doubledIn(request(user(`${apart(1)}${text}`), assistant(text)))).toEqual([])
  expect(doubledIn(request(user(text.slice(0, 190)), user(text.slice(0, 190))))).toEqual([])
  expect(repeats(prose('long', 20_000), 200)).toEqual([])
})

it('finds planted texts that are begun and not ended, and marks of shortening', () => {
  const texts = new Texts()
  const text = texts.plant('a text', 2_000)
  expect(text.length).toBeGreaterThan(1_900)
  expect(cutsIn(request(user(text)), texts.planted)).toEqual([])
  expect(cutsIn(request(user(text.slice(0, 60))), texts.planted)).toEqual([])
  expect(cutsIn(request(user(text.slice(0, 1_900))), texts.planted)).toEqual(['(a text begins)'])
  const marked = user('head [… 3,120 of 7,000 characters left out; read_result "1-2/4"] tail')
  expect(cutsIn(request(marked), texts.planted)).toHaveLength(1)
})

it('counts what was said once: a turn that repeats a reply, a message that comes again', () => {
  const start = (...messages: Message[]) => ({ type: 'model-start', request: request(...messages) }) as Event
  const end = { type: 'model-end', result: { ok: true, value: { text: 'reply' } } } as Event
  const tool = { type: 'tool-end', result: { ok: true, value: { size: 1 } } } as Event
  const events = [start(user('hello')), end, tool, start(user('hello'), assistant('reply'), user('on'))]
  expect(bytesSaid(events)).toBe('hello'.length + 'reply'.length + '{"size":1}'.length + 'on'.length)
})
