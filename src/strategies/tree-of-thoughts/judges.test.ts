import { describe, expect, it } from 'vitest'
import { prover, type Script, solve } from '../../../tests/tot/solve.ts'
import type { ModelRequest } from '../../protocol/index.ts'
import type { ThoughtMessage } from './protocol.ts'
import { TASKS } from './task-types.ts'

const CRITERIA = ['imagery: one image that stays', '节奏：句子的长短', 'ending']
const NAMES = ['imagery', '节奏', 'ending']
const CONSTRAINTS = ['four sentences exactly', 'no word about rain']

const made = {
  evaluation_criteria: CRITERIA,
  constraints: CONSTRAINTS,
  success_criteria: 'it moves a reader',
}

/** Judges by what `value` says of a thought's words. */
function judging(value: (content: string) => object, decomposition: object = made): Script {
  return (request) => {
    if (request.kind === 'tot/evaluate')
      return { confidence: 0.9, reasoning: 'so', ...value((request.input as { content: string }).content) }
    if (request.kind === 'tot/vote') {
      const { candidates } = request.input as { candidates: { node_id: string; thoughts: string[] }[] }
      const evaluations = candidates.map(({ node_id, thoughts }) => {
        return { node_id, confidence: 0.9, reasoning: 'so', ...value(thoughts.at(-1) as string) }
      })
      return { evaluations }
    }
    return prover(decomposition)(request)
  }
}

const same = judging(() => ({ score: 7 }))
const options = { task_type: 'creative_writing', depth: 1, branching: 3, votes: 1, check: 'never' }
const HOW = ['independent_scoring', 'comparative_voting']

function textOf({ messages }: ModelRequest): string {
  return messages.flatMap(({ content }) => content).join('\n')
}

async function judged(evaluation: string, script: Script = same, more: object = {}) {
  const ran = await solve('a story', script, { options: { ...options, evaluation, ...more } })
  const kind = evaluation === 'comparative_voting' ? 'tot/vote' : 'tot/evaluate'
  return { ...ran, requests: ran.model.calls.filter((call) => call.kind === kind) }
}

describe.each(HOW)('judges, with %s', (evaluation) => {
  it("see the task's constraints and the criteria that the Decomposer made for it", async () => {
    const { requests, messages } = await judged(evaluation)
    expect(requests.length).toBeGreaterThan(0)
    for (const request of requests)
      for (const told of [...CRITERIA, ...CONSTRAINTS, 'it moves a reader'])
        expect(textOf(request)).toContain(told)
    const asked = messages.filter(
      (message): message is ThoughtMessage<'evaluate_thoughts'> => message.type === 'evaluate_thoughts',
    )
    expect(asked.map(({ payload }) => payload.evaluation_criteria)).toEqual([CRITERIA])
  })

  it('are told which step it is, and what is still to come', async () => {
    const steps = ['a beginning', 'a middle', 'an end']
    const script = judging(() => ({ score: 7 }), { ...made, intermediate_steps: steps })
    const { requests } = await judged(evaluation, script, { depth: 3, branching: 2, beam: 1 })
    const told = new Set(
      requests.map((request) => /This is step (\d of 3: [a-z ]+)/.exec(textOf(request))?.[1]),
    )
    expect([...told]).toEqual(steps.map((step, i) => `${i + 1} of 3: ${step}`))
    expect(textOf(requests[0] as ModelRequest)).toContain('What is not there yet')
    expect(textOf(requests.at(-1) as ModelRequest)).toContain('This is the last step')
  })

  it('have criteria of the type of task where the Decomposer made none: not one list for all', async () => {
    const lists = new Set<string>()
    for (const task_type of ['creative_writing', 'planning', 'debugging', 'math_reasoning'] as const) {
      const script = judging(() => ({ score: 7 }), { evaluation_criteria: [' '] })
      const { requests } = await judged(evaluation, script, { task_type })
      const { criteria } = (requests[0] as ModelRequest).input as { criteria: string[] }
      expect(criteria).toEqual(TASKS[task_type].criteria)
      lists.add(criteria.join())
    }
    expect(lists.size).toBe(4)
  })

  it('reason before they score, and score each criterion before the whole', async () => {
    const { requests } = await judged(evaluation)
    const order = ['reasoning', 'dimension_scores', 'score', 'confidence']
    for (const request of requests) {
      const places = order.map((field) => textOf(request).indexOf(`"${field}":`))
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      expect(places[0]).toBeGreaterThan(0)
      const { evaluations } = (request.schema as { properties: Record<string, { items: object }> }).properties
      const shape = (evaluations?.items ?? request.schema) as { properties: Record<string, object> }
      expect(Object.keys(shape.properties).filter((field) => field !== 'node_id')).toEqual(order)
      const { dimension_scores } = shape.properties as { dimension_scores: { properties: object } }
      expect(Object.keys(dimension_scores.properties)).toEqual(NAMES)
    }
  })

  it('give dimension scores that count', async () => {
    const scores = (n: number) => ({ score: 7, dimension_scores: { imagery: n, 节奏: n, ending: n } })
    const { outcome, messages } = await judged(
      evaluation,
      judging((content) => scores(content === 'idea 2' ? 9 : 4)),
    )
    expect(outcome.result).toBe('idea 2')
    const { payload } = messages.find(
      ({ type }) => type === 'evaluation_results',
    ) as ThoughtMessage<'evaluation_results'>
    const values = Object.fromEntries(payload.evaluations.map((value) => [value.node_id, value]))
    expect(values).toMatchObject({
      node_1_1: { score: 5.5, dimension_scores: { imagery: 4 } },
      node_1_2: { score: 8, dimension_scores: { imagery: 9, 节奏: 9, ending: 9 } },
    })
  })

  it('may leave the dimensions out, or null', async () => {
    const { outcome, messages } = await judged(
      evaluation,
      judging((content) => ({ score: content === 'idea 2' ? 8 : 7, dimension_scores: null })),
    )
    expect(outcome.result).toBe('idea 2')
    expect(messages.filter(({ error }) => error !== undefined)).toEqual([])
  })

  it('do not raise by the criteria what they score low all in all', async () => {
    const scores = judging(() => ({ score: 4, dimension_scores: { imagery: 6, 节奏: 8, ending: 8 } }))
    const { messages } = await judged(evaluation, scores)
    const { payload } = messages.find(
      ({ type }) => type === 'evaluation_results',
    ) as ThoughtMessage<'evaluation_results'>
    expect(payload.evaluations.map(({ score }) => score)).toEqual([4, 4, 4])
  })

  it('mean a dead end and a sure thing as they say it', async () => {
    const scores = judging((content) => ({
      score: content === 'idea 1' ? 10 : 0,
      dimension_scores: { imagery: 5, 节奏: 5, ending: 5 },
    }))
    const { messages } = await judged(evaluation, scores)
    const { payload } = messages.find(
      ({ type }) => type === 'evaluation_results',
    ) as ThoughtMessage<'evaluation_results'>
    expect(payload.evaluations.map(({ score }) => score).toSorted()).toEqual([0, 0, 10])
  })
})

describe('the Generator', () => {
  it('knows by what its thoughts will be judged', async () => {
    const { model } = await judged('independent_scoring')
    const [request] = model.calls.filter(({ kind }) => kind === 'tot/generate')
    for (const told of [...CRITERIA, ...CONSTRAINTS]) expect(textOf(request as ModelRequest)).toContain(told)
  })
})

describe('the Synthesizer', () => {
  it('sees the constraints and the criteria', async () => {
    const { model } = await judged('independent_scoring')
    const [request] = model.calls.filter(({ kind }) => kind === 'tot/synthesize')
    for (const told of [...CRITERIA, ...CONSTRAINTS, 'it moves a reader'])
      expect(textOf(request as ModelRequest)).toContain(told)
  })

  const inventive: Script = (request) => {
    const reply = same(request)
    if (request.kind !== 'tot/synthesize') return reply
    return { ...(reply as object), alternative_solutions: ['a story that nobody thought of'] }
  }

  it('does not invent alternatives: they are the other finished paths of the search', async () => {
    const script: Script = (request) =>
      request.kind === 'tot/evaluate'
        ? judging((content) => ({ score: content.endsWith('1') ? 2 : content.endsWith('2') ? 8 : 7 }))(
            request,
          )
        : inventive(request)
    const { messages, model } = await judged('independent_scoring', script, { depth: 2, branching: 3 })
    const { payload } = messages.find(
      ({ type }) => type === 'final_solution',
    ) as ThoughtMessage<'final_solution'>
    // Those that end in 1 are judged to be no good.
    expect(payload.alternative_solutions).toEqual([
      'idea 3\nidea 3 idea 2',
      'idea 2\nidea 2 idea 3',
      'idea 3\nidea 3 idea 3',
    ])
    const [request] = model.calls.filter(({ kind }) => kind === 'tot/synthesize')
    expect(JSON.stringify(request)).not.toContain('alternative_solutions')
  })

  it('has none where the search found one path only', async () => {
    const { messages } = await judged('independent_scoring', inventive, { branching: 1 })
    const { payload } = messages.find(
      ({ type }) => type === 'final_solution',
    ) as ThoughtMessage<'final_solution'>
    expect(payload.alternative_solutions).toEqual([])
  })

  it('of arithmetic has other answers that a program verified', async () => {
    const script: Script = ({ kind, input }) => {
      if (kind !== 'tot/generate') return prover()({ kind, input } as ModelRequest)
      const ways = ['6 × 4 = 24 (left: 24)', '4 × 6 = 24 (left: 24)', '6 + 4 = 10 (left: 10)']
      return { candidates: ways.map((content) => ({ content })) }
    }
    const { messages } = await solve('Make 24 from 4 and 6', script, { options: { merge: false } })
    const { payload } = messages.find(
      ({ type }) => type === 'final_solution',
    ) as ThoughtMessage<'final_solution'>
    expect(payload).toMatchObject({ answer: '6 × 4 = 24', alternative_solutions: ['4 × 6 = 24'] })
  })
})
