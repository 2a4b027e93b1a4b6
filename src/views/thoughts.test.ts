import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Event, TextDelta } from '../protocol/index.ts'
import { SHIPPED_VIEWS } from '../strategies/shipped-views.ts'
import { createThoughts, type ThoughtStep } from './thoughts.ts'

const journal = (name: string): Event[] =>
  readFileSync(`tests/golden/${name}.jsonl`, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line))

/** The replies of a journal as if they had been streamed. */
function* streamed(events: readonly Event[], size: number): Generator<Event | TextDelta> {
  for (const event of events) {
    if (event.type === 'model-end' && event.result.ok) {
      const { run, path, n, result } = event
      for (let at = 0; at < result.value.text.length; at += size)
        yield { type: 'text-delta', run, path, n, text: result.value.text.slice(at, at + size) }
    }
    yield event
  }
}

function follow(events: Iterable<Event | TextDelta>) {
  const thoughts = createThoughts(SHIPPED_VIEWS)
  const given: ThoughtStep[] = []
  for (const event of events) given.push(...thoughts.follow(event))
  return given
}

const last = (steps: readonly ThoughtStep[]) => [...new Map(steps.map((step) => [step.id, step])).values()]

describe.each(['minimal', 'fractal', 'cot', 'tot', 'dual', 'planner'])('the steps of %s', (name) => {
  const events = journal(name)
  const given = follow(events)

  it('are readable: no JSON, no YAML', () => {
    expect(given.length).toBeGreaterThan(3)
    for (const { kind, text } of follow(streamed(events, 7))) {
      if (kind !== 'thought') continue
      expect(text).not.toMatch(/^\s*[{[`]|^(?:current_thinking|evaluation|planning|next_thought_needed):/m)
      expect(text.trim()).toBe(text)
    }
  })

  it('have no marks that tell models what is data', () => {
    expect(given.filter(({ path, text }) => path !== '1' && /^<\/?data-/m.test(text))).toEqual([])
  })

  it('are the same in the end, whether their text was streamed or not, and all are done', () => {
    for (const size of [1, 7, 1_000]) expect(last(follow(streamed(events, size)))).toEqual(last(given))
    const ended = events.at(-1)?.type === 'run-end'
    if (ended) expect(last(given).filter(({ done }) => !done)).toEqual([])
  })

  it('belong to blocks that have begun', () => {
    const begun = new Set<string>()
    for (const { kind, path } of given) {
      if (kind === 'goal') begun.add(path)
      expect(begun.has(path)).toBe(true)
    }
  })

  it('grow: a thought that is streamed is given several times, each longer than before', () => {
    const seen = new Map<string, string>()
    for (const { id, kind, text } of follow(streamed(events, 3))) {
      if (kind !== 'thought') continue
      expect(text.startsWith(seen.get(id) ?? '')).toBe(true)
      seen.set(id, text)
    }
  })
})

describe('a thought', () => {
  const start = (request: object) =>
    [
      { type: 'run-start', seq: 1, path: '1', goal: 'x', config: {} },
      { type: 'block-start', seq: 2, path: '1', n: 0, goal: 'x', strategy: 'tot@1' },
      { type: 'model-start', seq: 3, path: '1', n: 1, request },
    ] as Event[]
  const delta = (text: string): TextDelta => ({ type: 'text-delta', run: 'r', path: '1', n: 1, text })
  const texts = (...events: (Event | TextDelta)[]) =>
    follow([...start({ role: 'plan', kind: 'tot/generate' }), ...events]).flatMap((step) =>
      step.kind === 'thought' ? step.text : [],
    )

  it('has all candidates of a search, as they are written', () => {
    const pieces = [
      '{"candidates":[{"content":"go no',
      'rth","action_type":"x"},{"cont',
      'ent":"go south"}]}',
    ]
    expect(texts(...pieces.map(delta))).toEqual(['go no', 'go north', 'go north\n\ngo south'])
  })

  it('of a reply that is asked for again is that of the new one', () => {
    const again = { type: 'part-end', seq: 4, path: '1', n: 1, part: 1, value: null } as unknown as Event
    expect(texts(delta('{"answer":"Hal'), again, delta('{"answer":"Whole"}'))).toEqual(['Hal', 'Whole'])
  })

  it('that is very long is not given again for every word', () => {
    const words = Array.from({ length: 20_000 }, () => delta('word '))
    const given = texts(delta('{"answer":"'), ...words)
    expect(given.length).toBeLessThan(1_000)
    expect(given.at(-1)?.length).toBeGreaterThan(95_000)
  })

  it('that failed says why', () => {
    const failed = {
      type: 'model-end',
      seq: 4,
      path: '1',
      n: 1,
      result: { ok: false, error: { code: 'MODEL_ERROR', message: 'the line is dead' } },
    } as unknown as Event
    const steps = follow([...start({ role: 'plan', kind: 'k' }), delta('{"answer":"Half'), failed])
    expect(steps.at(-1)).toMatchObject({ text: 'Half', done: true, error: 'the line is dead' })
  })

  it('is none where a result is written down as a value, whatever words stand around it', () => {
    const text = 'Here it is:\n{"answer":"tea"}'
    const asked = start({ role: 'synthesize', kind: 'output/value' })
    expect(follow([...asked, delta(text), end(text)]).map(({ kind }) => kind)).toEqual(['goal'])
  })

  it('of one word, and one after thinking aloud, is that', () => {
    expect(texts(delta('Hello'), end('Hello'))).toEqual(['Hello'])
    expect(
      texts(delta('<think>Hm</think>\n'), delta('So it is.'), end('<think>Hm</think>\nSo it is.')),
    ).toEqual(['So it is.'])
    expect(texts(end('[{"a":1}]'))).toEqual([])
    expect(texts(end('{"score":1}'))).toEqual([])
  })

  const end = (text: string) =>
    ({
      type: 'model-end',
      seq: 4,
      path: '1',
      n: 1,
      result: { ok: true, value: { text } },
    }) as unknown as Event
})
