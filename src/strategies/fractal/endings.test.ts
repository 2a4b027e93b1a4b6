import { describe, expect, it } from 'vitest'
import { createEngine, type StartOptions } from '../../index.ts'
import { foldEvents, type ModelRequest, messageText, ThinkonError } from '../../protocol/index.ts'
import { ScriptedModel } from '../../testing/index.ts'

const RETURN = (description: string) => ({ type: 'RETURN', description })
const TODO = { type: 'TODO', description: '1. the first part\n2. the second part' }
const CALL = (description: string, more: object = {}) => ({ type: 'CALL', description, ...more })

/** Two parts are done, then Eval breaks. */
const brokenEval = (broken: unknown) => ({
  book: [TODO, CALL('the first part'), CALL('the second part'), broken],
  'the first part': [RETURN('It begins in spring.')],
  'the second part': [RETURN('It ends in autumn.')],
})

describe('section 6: a branch that breaks ends with the results so far', () => {
  it.each([
    ['a format error', 'I would rather talk', 'INVALID_FORMAT'],
    ['a model error', new ThinkonError('MODEL_ERROR', 'the model refuses'), 'MODEL_ERROR'],
    [
      'a reply that is too long',
      new ThinkonError('REPLY_TOO_LONG', 'longer than 400 tokens'),
      'REPLY_TOO_LONG',
    ],
    ['a model that does not answer in time', new ThinkonError('TIMEOUT', 'no reply'), 'TIMEOUT'],
  ])('%s ends it as partial, with every result', async (_, broken, code) => {
    const { outcome } = await solve('book', brokenEval(broken))
    expect(outcome).toMatchObject({ status: 'partial', code })
    expect(outcome.result).toBe('It begins in spring.\n\nIt ends in autumn.')
    expect(outcome.reason).not.toBe('')
  })

  it('and the parent learns of it with these results, and goes on', async () => {
    const { outcome, state } = await solve('shelf', {
      shelf: [TODO, CALL('book'), RETURN('half a book')],
      ...brokenEval('not JSON'),
    })
    expect(outcome.status).toBe('completed')
    expect(state.blocks.get('1')?.done).toEqual([
      '[partial: the reply is not JSON] It begins in spring.\n\nIt ends in autumn.',
    ])
  })

  it('an outage that is to fail the step is such an error', async () => {
    const outage = new ThinkonError('MODEL_OUTAGE', 'no quota')
    const { outcome } = await solve('book', brokenEval(outage), {}, 'fail')
    expect(outcome).toMatchObject({ status: 'partial', result: expect.stringContaining('spring') })
  })

  it('what Think found with tools is a result, too', async () => {
    const { outcome } = await solve('look around', [
      { type: 'TOOL', name: 'look', input: { at: 'the sofa' } },
      'hm',
    ])
    expect(outcome).toMatchObject({ status: 'partial', code: 'INVALID_FORMAT' })
    expect(outcome.result).toContain('look {"at":"the sofa"}: a cat')
  })

  it('it is failed only when there is nothing: no result, or failures alone', async () => {
    expect((await solve('x', ['not JSON'])).outcome).toMatchObject({ status: 'failed', result: '' })
    const planned = await solve('x', [TODO, 'not JSON'])
    expect(planned.outcome).toMatchObject({ status: 'failed', result: '' })
    const { outcome } = await solve('book', {
      book: [TODO, CALL('the first part'), 'not JSON'],
      'the first part': [new ThinkonError('MODEL_ERROR', 'refused')],
    })
    expect(outcome).toMatchObject({ status: 'failed', code: 'INVALID_FORMAT' })
  })
})

describe('an empty result is not completed', () => {
  it.each(['', ' \n'])('of Think: %j', async (empty) => {
    const { outcome } = await solve('x', [RETURN(empty)])
    expect(outcome).toMatchObject({ status: 'failed', code: 'INVALID_FORMAT' })
    expect(outcome.reason).toContain('RETURN needs a result')
  })

  it('of Eval: the results are there', async () => {
    const { outcome } = await solve('book', brokenEval(RETURN('')))
    expect(outcome).toMatchObject({ status: 'partial', code: 'INVALID_FORMAT' })
    expect(outcome.result).toContain('autumn')
  })

  it('and is archived as the failure that it is', async () => {
    const { state } = await solve('book', {
      book: [TODO, CALL('the first part'), RETURN('without it')],
      'the first part': [RETURN('')],
    })
    expect(state.blocks.get('1')?.done).toEqual([
      expect.stringMatching(/^\[failed: .*RETURN needs a result\]$/),
    ])
  })

  it('an empty plan is no plan', async () => {
    const { outcome } = await solve('x', [{ type: 'TODO', description: '' }])
    expect(outcome).toMatchObject({ status: 'failed', code: 'INVALID_FORMAT' })
  })
})

describe('at a spent budget', () => {
  const endless = (close: unknown) => (request: ModelRequest) => {
    const { kind, input } = request
    const { goal, done } = input as { goal: string; done: string[] }
    if (kind === 'fractal/close') return close
    if (kind === 'fractal/eval') return CALL(`part ${done.length + 1}`)
    return goal === 'book' ? TODO : RETURN(`the text of ${goal}`)
  }

  it('the finished parts stay in the result, with the summary before them', async () => {
    const budget = { calls: 12 }
    const { outcome, model } = await solve('book', endless(RETURN('Five parts of many.')), { budget })
    expect(outcome).toMatchObject({ status: 'partial', limit: 'calls' })
    const parts = [1, 2, 3, 4, 5].map((n) => `the text of part ${n}`)
    expect(outcome.result).toBe(['Five parts of many.', ...parts].join('\n\n'))
    const asked = model.calls.at(-1)?.messages.map(messageText).join('\n')
    expect(asked).toContain('The results themselves follow it, whole')
  })

  it('and stay when there is no summary', async () => {
    const budget = { calls: 12 }
    const { outcome } = await solve('book', endless(new Error('gone')), { budget })
    expect(outcome).toMatchObject({ status: 'partial', limit: 'calls' })
    expect(outcome.result).toMatch(/^the text of part 1\n\n.*the text of part 5$/s)
  })

  it('a block below keeps its own, and its parent all of them', async () => {
    const { outcome } = await solve(
      'shelf',
      ({ kind, input }: ModelRequest) => {
        const { goal, done } = input as { goal: string; done: string[] }
        if (kind === 'fractal/close') return RETURN(`summary of ${goal}`)
        if (kind === 'fractal/eval')
          return goal === 'shelf' ? CALL(`book ${done.length + 1}`) : CALL(`${goal}.${done.length + 1}`)
        return /^(shelf|book \d)$/.test(goal) ? TODO : RETURN(`text of ${goal}`)
      },
      { budget: { calls: 14 } },
    )
    expect(outcome.status).toBe('partial')
    expect(outcome.result).toMatch(
      /^summary of shelf\n\n\[partial: .*\] summary of book 1\n\ntext of book 1\.1\n\n/,
    )
  })
})

describe('fields of Eval', () => {
  it('null for absent fields is taken', async () => {
    const { outcome } = await solve('book', {
      book: [
        { ...TODO, name: null, input: null },
        CALL('the first part', { adopt: null, strategy: null }),
        { ...RETURN('done'), adopt: null, strategy: null },
      ],
      'the first part': [RETURN('spring')],
    })
    expect(outcome).toMatchObject({ status: 'completed', result: 'done' })
  })

  it('and by the schema that the model is asked with', async () => {
    const { model } = await solve('book', brokenEval('not JSON'))
    const { checkSchema } = await import('../../schema/check-schema.ts')
    const schema = model.calls.find(({ kind }) => kind === 'fractal/eval')?.schema ?? {}
    expect(checkSchema(CALL('x', { adopt: null, strategy: null }), schema)).toEqual([])
    expect(checkSchema(CALL('x', { strategy: 'cot' }), schema)).toEqual([])
    expect(checkSchema(RETURN(''), schema)).toHaveLength(1)
    const [unknown] = checkSchema(CALL('x', { strategy: 'astrology' }), schema)
    expect(JSON.stringify(unknown)).toContain('strategy')
  })

  it('an unknown strategy is refused by name', async () => {
    const { outcome } = await solve('book', {
      book: [TODO, CALL('the first part'), CALL('the second part', { strategy: 'astrology' })],
      'the first part': [RETURN('spring')],
    })
    expect(outcome).toMatchObject({ status: 'partial', code: 'INVALID_FORMAT', result: 'spring' })
    expect(outcome.reason).toContain('there is no strategy "astrology"; there are: cot, tot')
  })

  it('its own name is none that is unknown', async () => {
    const { outcome } = await solve('book', {
      book: [TODO, CALL('the first part', { strategy: 'fractal' }), RETURN('done')],
      'the first part': [RETURN('spring')],
    })
    expect(outcome.status).toBe('completed')
  })
})

it('the root is not told that it is part of a larger goal; a block below is told of which', async () => {
  const { model } = await solve('book', brokenEval(RETURN('done')))
  const prompts = model.calls.map(({ messages }) => messages.map(messageText).join('\n'))
  const [root, , first] = prompts
  expect(root).not.toMatch(/larger|part of/)
  expect(first).toMatch(/All of this serves this goal:\s+book/)
})

async function solve(
  goal: string,
  script: ConstructorParameters<typeof ScriptedModel>[0],
  options: StartOptions = {},
  onOutage: 'wait' | 'fail' = 'wait',
) {
  const model = new ScriptedModel(script)
  const look = { name: 'look', description: 'looks', access: 'read' as const, run: async () => 'a cat' }
  const engine = createEngine({ model, onOutage, tools: [look] })
  const run = await engine.start(goal, { strategy: 'fractal', ...options })
  const outcome = await run.outcome
  const events = [...(await engine.events(run.id))]
  expect((await engine.replay(run.id)).differences).toEqual([])
  await engine.close()
  return { outcome, model, state: foldEvents(events) }
}
