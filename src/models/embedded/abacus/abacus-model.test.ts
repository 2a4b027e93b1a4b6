import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { shippedAbacus } from '../../../../tests/abacus.ts'
import { repetitions } from '../../../../tests/repetitions.ts'
import { countOperations, type Expression, formatExpression } from '../../../arithmetic/expression.ts'
import { randomExpression } from '../../../arithmetic/random-expression.ts'
import { createEngine, type Model, type Tool } from '../../../index.ts'
import { seededRandom } from '../../../kernel/random.ts'
import { type ModelRequest, ThinkonError } from '../../../protocol/index.ts'
import { CallTools, type Kinds, kind } from '../kinds.ts'
import { abacusModel, refusalOf } from './abacus-model.ts'

async function solve(goal: string, more: { model?: Model; tools?: Tool[]; depth?: number } = {}) {
  const engine = createEngine({ model: more.model ?? shippedAbacus(), tools: more.tools ?? [] })
  try {
    const budget = more.depth === undefined ? {} : { depth: more.depth }
    const run = await engine.start(goal, { strategy: 'minimal', budget })
    return await run.outcome
  } finally {
    await engine.close()
  }
}

/** As the strategy will send it once it tells the tools. */
function tellingTools(...tools: string[]): Model {
  const model = shippedAbacus()
  return {
    ...model,
    call: (request, io) => model.call({ ...request, input: { ...(request.input as object), tools } }, io),
  }
}

function writer(run: (input: unknown) => unknown): Tool {
  return {
    name: 'write_file',
    description: 'Writes a file.',
    access: 'write',
    run: async (input) => run(input),
  }
}

/** Computed apart from the abacus: [above, below], or null when it divides by zero. */
function byHand(expression: Expression): [bigint, bigint] | null {
  if (expression.type === 'number') return [expression.value.n, expression.value.d]
  if (expression.type === 'negation') throw new Error('none is made')
  const [left, right] = [byHand(expression.left), byHand(expression.right)]
  if (left === null || right === null) return null
  const [[a, b], [c, d]] = [left, right]
  if (expression.operator === '+') return [a * d + c * b, b * d]
  if (expression.operator === '-') return [a * d - c * b, b * d]
  if (expression.operator === '×') return [a * c, b * d]
  return c === 0n ? null : [a * d, b * c]
}

/** A result's text as [above, below]. */
function read(text: string): [bigint, bigint] {
  const [number = '', below = '1'] = text.split('/')
  const [whole = '', decimals = ''] = number.split('.')
  return [BigInt(whole + decimals), BigInt(below) * 10n ** BigInt(decimals.length)]
}

function ask(request: Partial<ModelRequest>, signal = new AbortController().signal) {
  const full = { kind: 'minimal/next', version: 1, role: 'plan', messages: [], ...request } as ModelRequest
  return shippedAbacus().call(full, {
    path: '1',
    n: 1,
    signal,
    onDelta() {},
    part: async (run) => (await run()).value,
  })
}

describe('the abacus in the engine', () => {
  it('works out random expressions of depth up to 6, every result right', { timeout: 60_000 }, async () => {
    const engine = createEngine({ model: shippedAbacus() })
    const random = seededRandom('expressions')
    const found = { values: 0, withoutValue: 0, operations: 0 }
    const times = repetitions(250, 1_000)
    for (let i = 0; i < times; i++) {
      const expression = randomExpression(random, 1 + (i % 6))
      const goal = `${i % 2 === 0 ? 'compute' : '计算'} ${formatExpression(expression)}`
      const run = await engine.start(goal, { strategy: 'minimal' })
      const outcome = await run.outcome
      const value = byHand(expression)
      found.operations += countOperations(expression)
      if (value === null) {
        found.withoutValue++
        expect(outcome, goal).toMatchObject({ status: 'failed' })
        expect(outcome.reason).toContain(i % 2 === 0 ? 'division by zero' : '除数为零')
        continue
      }
      found.values++
      expect(outcome.status, goal).toBe('completed')
      const [above, below] = read(outcome.result.split(' = ')[1] ?? '')
      expect(above * value[1] === value[0] * below, `${goal} gave ${outcome.result}`).toBe(true)
    }
    await engine.close()
    expect(found.values).toBeGreaterThan(0.8 * times)
    expect(found.withoutValue).toBeGreaterThan(0.01 * times)
    expect(found.operations).toBeGreaterThan(5 * times)
  })

  it('has operands solved by children at once, and combines them', async () => {
    const engine = createEngine({ model: shippedAbacus() })
    const run = await engine.start('((3+4)*(8-6))-5', { strategy: 'minimal' })
    const { result, usage } = await run.outcome
    const { blocks } = await engine.state(run.id)
    await engine.close()
    expect(result).toBe('(3 + 4) × (8 - 6) - 5 = 9')
    expect([...blocks.values()].map((block) => [block.path, block.goal])).toEqual([
      ['1', '((3+4)*(8-6))-5'],
      ['1-1', 'compute (3 + 4) × (8 - 6)'],
      ['1-1-1', 'compute 3 + 4'],
      ['1-1-2', 'compute 8 - 6'],
    ])
    expect(usage).toMatchObject({ calls: 6, costUsd: 0 })
    expect(usage.inputTokens).toBeGreaterThan(0)
    expect(usage.outputTokens).toBeGreaterThan(0)
  })

  it('gives the results that docs/abacus.md shows', async () => {
    const page = readFileSync(new URL('../../../../docs/abacus.md', import.meta.url), 'utf8')
    const rows = [...page.matchAll(/^\| `(.+?)` \| `(.+ = .+)` \|$/gm)]
    expect(rows.length).toBeGreaterThan(6)
    // As a user has them, who names no strategy.
    const engine = createEngine({ model: shippedAbacus() })
    for (const [, goal = '', result] of rows) {
      const run = await engine.start(goal)
      expect(await run.outcome).toMatchObject({ status: 'completed', result })
    }
    await engine.close()
  })

  it('takes long sums within the levels that there are', async () => {
    const numbers = Array.from({ length: 60 }, (_, i) => i + 1)
    expect((await solve(numbers.join('+'))).result).toMatch(/ = 1830$/)
  })

  it('computes more at once when it may go no deeper', async () => {
    expect(await solve('((3+4)*(8-6))-5', { depth: 1 })).toMatchObject({
      status: 'completed',
      result: '(3 + 4) × (8 - 6) - 5 = 9',
    })
  })

  it('answers at once when it is told that there are no levels left', async () => {
    const input = { goal: '((3+4)*(8-6))-5', path: '1', level: 0, done: [], timeline: '', levelsLeft: 0 }
    expect((await ask({ input })).value).toEqual({ do: 'return', result: '(3 + 4) × (8 - 6) - 5 = 9' })
  })

  it('goes on after a person had a part skipped, and says what is missing', async () => {
    const input = { goal: '(1+2)*(3+4)', path: '1', level: 0, timeline: '' }
    const done = ['1 + 2 = 3', '[skipped: not needed]']
    expect((await ask({ input: { ...input, done } })).value).toEqual({
      do: 'return',
      status: 'partial',
      result: 'not finished: 3 × (3 + 4) is left to compute',
      reason: 'not needed',
    })
  })

  it('keeps what it could compute when a part has no value', async () => {
    expect(await solve('compute 3+4 and 1/(2-2)')).toMatchObject({
      status: 'partial',
      result: '3 + 4 = 7; not finished: 1 ÷ (2 - 2) is left to compute',
      reason: '1 ÷ 0: division by zero',
    })
  })

  it('says that a target can’t be reached', async () => {
    const reason = "24 can't be made from 1, 1, 1 and 1, each used once with + - × ÷: every way was tried"
    expect(await solve('make 24 from 1, 1, 1 and 1')).toMatchObject({ status: 'failed', reason })
    expect((await solve('用 1、1、1、1 算出 24')).reason).toContain('无法算出 24')
  })
})

describe('the abacus and files', () => {
  it('writes the bare value of one expression, and a line for each of several', async () => {
    const written: unknown[] = []
    const tools = [writer((input) => ({ files: written.push(input) }))]
    const model = tellingTools('write_file')
    const one = await solve('compute ((3+4)*(8-6))-5 and write the result to result.txt', { model, tools })
    const two = await solve('计算 3+4 和 5*6 并写入 results.md', { model, tools })
    expect(one).toMatchObject({
      status: 'completed',
      result: '(3 + 4) × (8 - 6) - 5 = 9; written to result.txt',
    })
    expect(two).toMatchObject({
      status: 'completed',
      result: '3 + 4 = 7；5 × 6 = 30；已写入 results.md',
    })
    expect(written).toEqual([
      { path: 'result.txt', content: '9\n' },
      { path: 'results.md', content: '- 3 + 4 = 7\n- 5 × 6 = 30\n' },
    ])
  })

  it('says that it could not write', async () => {
    const goal = 'compute 3+4 and write it to result.txt'
    expect(await solve(goal)).toMatchObject({
      status: 'partial',
      result: '3 + 4 = 7; not written to result.txt: no tool that writes files (write_file) is offered',
    })
    const tools = [
      writer(() => {
        throw new Error('the disk is full')
      }),
    ]
    const failed = await solve(goal, { model: tellingTools('write_file'), tools })
    expect(failed).toMatchObject({ status: 'partial' })
    expect(failed.result).toContain('the disk is full')
  })
})

describe('the abacus as a model', () => {
  it('says that it is not a language model, in both languages', () => {
    expect(shippedAbacus().id).toBe('embedded:abacus')
    expect(shippedAbacus().describe()).toContain('not a language model')
    expect(shippedAbacus().describe('zh')).toContain('不是语言模型')
  })

  it('refuses any other goal with how to connect a model', async () => {
    const refused = await solve('write a poem about 24').catch((error: ThinkonError) => error)
    expect(refused).toMatchObject({ code: 'NO_MODEL' })
    const { message } = refused as ThinkonError
    const specs = ['openai:', 'anthropic:', 'google:', 'ollama:', 'http://', 'gguf:', 'module:', '--model']
    for (const spec of specs) expect(message).toContain(spec)
    await expect(solve('写一首诗')).rejects.toThrow('不是语言模型')
    expect(refusalOf('what is love')?.code).toBe('NO_MODEL')
    expect(refusalOf('what is 3+4')).toBeNull()
  })

  it('refuses kinds of request that it does not know', async () => {
    const refused = ask({ kind: 'other/kind', input: { goal: '3+4' } })
    await expect(refused).rejects.toSatisfy(
      (error) =>
        ThinkonError.isInstance(error) && error.code === 'NO_MODEL' && error.data.kind === 'other/kind',
    )
    await expect(ask({})).rejects.toMatchObject({ code: 'NO_MODEL' })
  })

  it('answers further kinds, also with native tool calls', async () => {
    const kinds: Kinds = {
      'test/say': kind<{ problem: string }>(
        ({ words }) => words.compute('1 + 1'),
        (input) => input.problem,
      ),
      'test/call': kind<{ goal: string }>(
        ({ tools }) => new CallTools([{ name: tools[0] ?? '', input: {} }]),
      ),
    }
    const model = abacusModel({ kindOf: (kind) => kinds[kind] })
    const io = {
      path: '1',
      n: 1,
      signal: new AbortController().signal,
      onDelta() {},
      part: async () => null as never,
    }
    const base = { version: 1, role: 'act', messages: [{ role: 'user', content: '你好' }] } as const
    expect(await model.call({ ...base, kind: 'test/say', input: { problem: '计算 1+1' } }, io)).toEqual({
      text: '计算 1 + 1',
      usage: { inputTokens: 2, outputTokens: 4, costUsd: 0 },
    })
    const tools = [{ name: 'calculator', description: '', schema: {} }]
    const reply = await model.call({ ...base, kind: 'test/call', input: { goal: '1+1' }, tools }, io)
    expect(reply.toolCalls).toEqual([{ id: 'call-1', name: 'calculator', input: {} }])
  })

  it('heeds the signal', async () => {
    const input = { goal: '3+4', path: '1', level: 0, done: [], timeline: '' }
    const stop = new Error('stopped')
    await expect(ask({ input }, AbortSignal.abort(stop))).rejects.toBe(stop)
    const controller = new AbortController()
    const model = shippedAbacus({ delayMs: 60_000 })
    const request = { kind: 'minimal/next', version: 1, role: 'plan', messages: [], input } as const
    const call = model.call(request, {
      path: '1',
      n: 1,
      signal: controller.signal,
      onDelta() {},
      part: async () => null as never,
    })
    controller.abort(stop)
    await expect(call).rejects.toThrow()
  })
})

describe('with an output', () => {
  const number = { type: 'number' }
  const record = (properties: Record<string, object>) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
  })
  it.each<[goal: string, output: Record<string, unknown>, value: unknown]>([
    ['2+3*4', number, 14],
    ['2+3*4', record({ answer: number, how: { type: 'string' } }), { answer: 14, how: '2 + 3 × 4 = 14' }],
    [
      '1/3',
      record({ answer: { type: 'string' }, question: { type: 'string' } }),
      { answer: '1/3', question: '1 ÷ 3' },
    ],
    ['compute 3+4 and 5*6', { type: 'array', items: number }, [7, 30]],
    ['compute 3+4 and 5*6', record({ sum: number, product: number }), { sum: 7, product: 30 }],
    [
      'Make 24 from 3, 3, 8 and 8',
      record({ expression: { type: 'string' } }),
      { expression: '8 ÷ (3 - 8 ÷ 3)' },
    ],
  ])('gives "%s" as %j', async (goal, output, value) => {
    const outcome = await given(goal, output)
    expect(outcome).toMatchObject({ status: 'completed', value })
  })

  it.each<[output: Record<string, unknown>]>([
    [record({ answer: number, confidence: number })],
    [{ type: 'boolean' }],
    [record({ answer: { type: 'integer', maximum: 10 } })],
  ])('does not make up what it has not computed: %j', async (output) => {
    const outcome = await given('2+3*4', output)
    expect(outcome).toMatchObject({ status: 'partial', result: '2 + 3 × 4 = 14' })
    expect(outcome.value).toBeUndefined()
  })

  async function given(goal: string, output: Record<string, unknown>) {
    const engine = createEngine({ model: shippedAbacus() })
    const { outcome } = await engine.start(goal, { strategy: 'minimal', output })
    return await outcome.finally(() => engine.close())
  }
})
