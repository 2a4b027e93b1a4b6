import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/index.ts'
import { type ModelRequest, messageText } from '../../src/protocol/index.ts'
import { reply, ScriptedModel } from '../../src/testing/index.ts'
import { fileText, goalOf, type Node, planOf, readFile, resultOf, scriptOf } from './fractal-world.ts'
import { expectBound, type Given, long, type Ran, type Script, solve, textOf } from './needles.ts'

/** Long enough to be shortened in every Eval. */
const BOOK: Node = { name: 'book', chars: 60_000 }
const NOTES: Node = { name: 'notes', files: ['a'], children: [{ name: 'leaf', chars: 500 }], chars: 5_000 }
const ROOT: Node = { name: 'root', chars: 500, children: [BOOK, NOTES] }

interface Reading {
  readonly ref: unknown
  readonly from?: unknown
  readonly length?: unknown
}

/** Eval of the root reads the parts given, one after the other, before it returns. */
function reading(inputs: readonly Reading[], more: Partial<Given> = {}): Given {
  const world = scriptOf(ROOT)
  const script: Script = (request, io) => {
    const { done } = request.input as { done: readonly string[] }
    const read = request.messages.filter(({ answers }) => answers?.name === 'read_result').length
    const input = inputs[read]
    if (request.kind !== 'fractal/eval' || io.path !== '1' || done.length < 2 || input === undefined)
      return world(request, io)
    return reply('', { toolCalls: [{ id: `read ${read}`, name: 'read_result', input }] })
  }
  return {
    goal: goalOf(ROOT),
    strategy: 'fractal',
    options: { check: 'never' },
    tools: [readFile],
    promptTokens: 16_000,
    script,
    ...more,
  }
}

/** The results of what was read, as they stand in the last request. */
function parts(ran: Ran): string[] {
  const last = ran.of('fractal/eval', '1').at(-1)
  return last?.messages.filter(({ role }) => role === 'tool').map(messageText) ?? []
}

function toolNames(request: ModelRequest): string[] {
  return request.tools?.map(({ name }) => name) ?? []
}

const FAILED = /^It failed \(TOOL_ERROR\): <data-/

describe('read_result', () => {
  it('is offered where something is shortened, also to steps without tools, and nowhere else', async () => {
    const ran = await solve(reading([]))
    for (const request of ran.of('fractal/eval'))
      expect(toolNames(request)).toEqual(textOf(request).includes('left out') ? ['read_result'] : [])
    expect(ran.of('fractal/eval').map(toolNames)).toContainEqual(['read_result'])
    expect(toolNames(ran.of('fractal/eval')[0] as ModelRequest)).toEqual([])
    const noTools = await solve(
      reading([], { tools: [], script: scriptOf({ ...ROOT, children: [BOOK] }), promptTokens: 8_000 }),
    )
    expect(toolNames(noTools.of('fractal/eval').at(-1) as ModelRequest)).toEqual(['read_result'])
  })

  it('gives the 16,000 characters that were asked for, raw, whole in the request that follows', async () => {
    const from = 20_000
    const ran = await solve(reading([{ ref: '1-1', from, length: 16_000 }]))
    const [part = ''] = parts(ran)
    const asked = resultOf(BOOK).slice(from, from + 16_000)
    expect(asked).toContain('"quotes"')
    expect(part.includes(`\n${asked}\n</data-`)).toBe(true)
    expect(part).toMatch(/^Characters 20000 to 36000 of 60000:\n<data-/)
    expect(part).toContain('read_result "1-1" from 36000')
    expectBound(ran.of('fractal/eval'), 16_000)
  })

  it.each([
    ['1-2/1', { ref: '1-2/2' }, fileText('a')],
    ['a block', { ref: '1-1', length: 200_000 }, null],
    ['a goal', { ref: '1-2 goal' }, goalOf(NOTES)],
    ['a plan', { ref: '1-2 plan' }, planOf(NOTES)],
    ['goal and plan', { ref: '1-2 task' }, `Goal:\n${goalOf(NOTES)}\n\nPlan:\n${planOf(NOTES)}`],
    ['a tool call', { ref: '1-2/2 input' }, 'read_file {"path":"a"}'],
  ])('reads %s', async (_, input, expected) => {
    const ran = await solve(reading([input]))
    const [part = ''] = parts(ran)
    if (expected !== null) expect(part.includes(`\n${expected}\n</data-`)).toBe(true)
    // More than there is room for ends early, and says where to read on.
    else expect(part).toMatch(/\[… [\d,]+ of 60,000 characters left out; read_result "1-1" from \d+\]$/)
  })

  it('lists what a block has found, with the reference of each', async () => {
    const ran = await solve(reading([{ ref: '1-2 results' }, { ref: '1 results' }]))
    const [below = '', above = ''] = parts(ran)
    expect(below).toContain('"1-2/2": read_file {"path":"a"}')
    expect(below).toContain('"1-2-1": (leaf)')
    expect(above).toContain('"1-1": (book)')
    expect(above).toContain('"1-2": (notes)')
  })

  it('says so when a reference leads nowhere, and the model goes on', async () => {
    const hostile = [
      '../../etc/passwd',
      '1-99',
      '1-1/99',
      '__proto__',
      '1-1 goal\n1-2',
      '1 secrets',
      '; ls',
      '/2',
    ]
    const ran = await solve(reading(hostile.map((ref) => ({ ref }))))
    expect(ran.outcome).toMatchObject({ status: 'completed', result: resultOf(ROOT) })
    expect(parts(ran)).toHaveLength(hostile.length)
    for (const part of parts(ran)) expect(part).toMatch(FAILED)
    expect(parts(ran).every((part, i) => part.includes(`no result ${hostile[i]}`))).toBe(true)
  })

  it('takes a position beyond the end for the end, and refuses what is no position', async () => {
    const ran = await solve(
      reading([
        { ref: '1-1', from: 70_000 },
        { ref: '1-1', from: -1 },
        { ref: '1-1', length: 0 },
        { ref: 7 },
        {} as Reading,
      ]),
    )
    const [beyond = '', ...refused] = parts(ran)
    expect(beyond).toMatch(/^Characters 60000 to 60000 of 60000:/)
    for (const part of refused) expect(part).toMatch(/^It failed \(BAD_INPUT|^It failed \(TOOL_ERROR/)
    expect(refused).toHaveLength(4)
    expect(ran.outcome.status).toBe('completed')
  })

  it('knows nothing of other runs', async () => {
    const other: Node = { name: 'other', chars: 500, children: [BOOK] }
    const worlds = [scriptOf(ROOT), scriptOf(other)]
    const script: Script = (request, io) => {
      const { goal } = request.input as { goal: string }
      const isFirst = request.messages.every(({ role }) => role !== 'tool')
      if (
        request.kind === 'fractal/eval' &&
        goal === goalOf(other) &&
        isFirst &&
        textOf(request).includes('left out')
      )
        return reply('', { toolCalls: [{ id: 'r', name: 'read_result', input: { ref: '1-2-1' } }] })
      return worlds.map((world) => world(request, io)).find((answer) => !(answer instanceof Error))
    }
    const model = new ScriptedModel(script as never)
    const engine = createEngine({ model, tools: [readFile], promptTokens: 16_000 })
    for (const goal of [goalOf(ROOT), goalOf(other)]) {
      const run = await engine.start(goal, { strategy: 'fractal', options: { check: 'never' } })
      expect((await run.outcome).status).toBe('completed')
    }
    await engine.close()
    const read = model.calls.at(-1)?.messages.find(({ role }) => role === 'tool')
    expect(messageText(read as never)).toMatch(FAILED)
  })

  it('that is called again and again is not offered for ever: the model has to answer', async () => {
    const ran = await solve(
      reading(Array.from({ length: 30 }, (_, i) => ({ ref: '1-1', from: i * 1_000, length: 500 }))),
    )
    const evals = ran.of('fractal/eval', '1')
    const last = evals.at(-1) as ModelRequest
    expect(toolNames(last)).toEqual([])
    expect(textOf(last)).toContain('No more can be read: answer with what you have.')
    expect(evals.length).toBeLessThan(20)
  })

  it('in a Think with tools of its own is one of them, and what it gave is not shortened', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `f${i}`)
    const root: Node = { name: 'reads again', files: names, chars: 500 }
    const world = scriptOf(root)
    const script: Script = (request, io) => {
      const { seen } = request.input as { seen: readonly { name: string }[] }
      if (seen.length !== names.length)
        return world(
          { ...request, input: { ...(request.input as object), seen: seen.slice(0, names.length) } },
          io,
        )
      return reply('', { toolCalls: [{ id: 'again', name: 'read_result', input: { ref: '1/2' } }] })
    }
    const ran = await solve({
      goal: goalOf(root),
      strategy: 'fractal',
      options: { check: 'never' },
      tools: [readFile],
      script,
      promptTokens: 6_000,
    })
    const last = ran.of('fractal/think').at(-1) as ModelRequest
    expect(textOf(last).includes(fileText('f0'))).toBe(true)
    expectBound(ran.of('fractal/think'), 6_000)
    expect(long('file f0')).toBe(fileText('f0'))
  })
})
