import { mkdtempSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { turns } from '../../../tests/conformance/async.ts'
import { byHand } from '../../../tests/streaming/by-hand.ts'
import { followText as follow, WAIT } from '../../../tests/streaming/follow-text.ts'
import { all } from '../../../tests/streaming/order.ts'
import { createEngine, type StartOptions } from '../../engine.ts'
import type { Strategy } from '../../kernel/strategy.ts'
import { type ModelRequest, ThinkonError } from '../../protocol/index.ts'
import type { GivenStrategy } from '../../strategies/strategy-module.ts'
import { reply, ScriptedModel } from '../../testing/index.ts'
import type { AnswerForm } from '../../views/strategy-view.ts'

const begin = async (given: StartOptions = {}, goal = 'say hello', strategies: GivenStrategy[] = []) => {
  const { model, write, io } = byHand()
  const engine = createEngine({ model, strategies })
  const run = await engine.start(goal, given)
  return { engine, run, write, io, text: follow(run) }
}

const tempStore = () => `${mkdtempSync('/tmp/thinkon-text-')}/runs.db`

describe('the text of an answer', () => {
  const answer = 'Hello, "world"!\nTwoé '
  const value = { do: 'return', type: 'RETURN', result: answer, description: answer }

  it.each([
    ['minimal', '{"do":"return",', '"result":"', {}],
    ['fractal', '{"type":"RETURN",', '"description":"', {}],
    ['fractal', '<think>{"type":"TODO"}</think>{"type":"RETURN",', '"description":"', {}],
    ['minimal', '```json\n{"do":"return",', '\n "result": "', {}],
  ])('comes as %s writes it, clean: %s', async (strategy, head, field, options) => {
    const { engine, run, write, text } = await begin({ strategy, options })
    await write(head)
    await write(field)
    expect(text.now()).toBe('')
    await write('Hello')
    await text.see('Hello')
    await write(', \\"world')
    await text.see('Hello, "world')
    await write('\\"!\\nTw')
    await text.see('Hello, "world"!')
    await write('o\\u00e9')
    await text.see('Hello, "world"!\nTwoé')
    await write(' "}')
    await write(null, value)
    expect(await text.done).toBe((await run.outcome).result)
    expect(text.now()).toBe(answer)
    expect(text.pieces.length).toBeGreaterThan(3)
    await engine.close()
  })

  it('is held back while the reply may be something else than the answer', async () => {
    const { engine, write, text, run } = await begin({ strategy: 'minimal' })
    await write('{"result":"Hello')
    await write(' world","do":"pl')
    await turns(10)
    expect(text.now()).toBe('')
    await write('an","todo":["a"]}')
    await write(null)
    await write('{"result":"Hello')
    await write(' you","do":"return')
    await turns(5)
    expect(text.now()).toBe('')
    await write('"}')
    await text.see('Hello you')
    await write(null)
    expect(await text.done).toBe((await run.outcome).result)
    await engine.close()
  })

  it.each([
    ['a check may send it back', { strategy: 'fractal', options: { check: 'always' } }, 'say hello'],
    ['its goal says how long it is to be', { strategy: 'fractal' }, 'Say hello in exactly 3 words.'],
  ] as const)('comes at the end where %s', async (_, given, goal) => {
    const { engine, run, write, text } = await begin(given, goal)
    await write('{"type":"RETURN","description":"Hello to you')
    await turns(10)
    expect(text.now()).toBe('')
    await write('"}')
    await write(null)
    if (_.startsWith('a check')) {
      await write('{"problems":[],"fits":true}')
      await write(null)
    }
    expect(await text.done).toBe('Hello to you')
    expect((await run.outcome).result).toBe('Hello to you')
    await engine.close()
  })

  it('comes as it is written through auto, unless another strategy may try again', async () => {
    for (const fallbacks of [{}, { fractal: 'cot' }]) {
      const { engine, run, write, text } = await begin(
        { strategy: 'auto', fallbacks },
        'What is the capital of France?',
      )
      await vi.waitFor(
        async () => expect((await engine.state(run.id)).blocks.get('1-1')?.strategy).toMatch(/^fractal@/),
        WAIT,
      )
      await write('{"type":"RETURN","description":"Paris')
      if ('fractal' in fallbacks) {
        await turns(10)
        expect(text.now()).toBe('')
      } else await text.see('Paris')
      await write('"}')
      await write(null)
      expect(await text.done).toBe('Paris')
      await engine.close()
    }
  })

  it('in another language than its goal is held back', async () => {
    const { engine, write, text } = await begin({ strategy: 'fractal', options: {} }, 'say hello to them')
    await write('{"type":"RETURN","description":"你好，')
    await write('朋友们')
    await turns(10)
    expect(text.now()).toBe('')
    await write('"}')
    await write(null)
    expect(await text.done).toBe('你好，朋友们')
    await engine.close()
  })

  it('that was sent back comes as it is written the second time, and the draft not at all', async () => {
    const { engine, run, write, text } = await begin({ strategy: 'fractal', options: { check: 'always' } })
    await write('{"type":"RETURN","description":"A draft"}')
    await write(null)
    await write('{"problems":["it is a draft"],"fits":false}')
    await write(null)
    await write('{"type":"RETURN","description":"The ans')
    await text.see('The ans')
    await write('wer"}')
    await write(null)
    expect(await text.done).toBe('The answer')
    expect((await run.outcome).result).toBe('The answer')
    await engine.close()
  })

  it('has nothing of children, whose answers are not the run’s', async () => {
    const model = new ScriptedModel({
      many: [
        reply({ do: 'call', goals: ['a', 'b'] }, { deltas: ['{"do":"call","goals":["a","b"]}'] }),
        reply({ do: 'return', result: 'both' }, { deltas: ['{"do":"return","result":"bo', 'th"}'] }),
      ],
      a: [reply({ do: 'return', result: 'A' }, { deltas: ['{"do":"return","result":"A"}'] })],
      b: [reply({ do: 'return', result: 'B' }, { deltas: ['{"do":"return","result":"B"}'] })],
    })
    const engine = createEngine({ model })
    const run = await engine.start('many', { strategy: 'minimal' })
    expect((await all(run.text)).join('')).toBe('both')
    await engine.close()
  })

  it('with backslashes that were not doubled is never given out as JSON reads it', async () => {
    const { engine, write, text } = await begin({ strategy: 'minimal' })
    await write('{"do":"return","result":"The area is 2 \\')
    await write('times r, that is')
    await text.see('The area is 2')
    await write(' all"}')
    await write(null, { do: 'return', result: 'The area is 2 \\times r, that is all' })
    expect(await text.done).toBe('The area is 2 \\times r, that is all')
    await engine.close()
  })
})

describe('readers of the text', () => {
  it('each get all of it, early, late, slow, and when the run has ended', async () => {
    const { engine, run, write, text } = await begin({ strategy: 'minimal' })
    const slow = run.text[Symbol.asyncIterator]()
    await write('{"do":"return","result":"One ')
    await write('two ')
    await text.see('One two')
    const late = follow(run)
    await late.see('One two')
    expect(await slow.next()).toMatchObject({ value: expect.stringMatching(/^One/) })
    await write('three"}')
    await write(null)
    await run.outcome
    let rest = ''
    for (let item = await slow.next(); !item.done; item = await slow.next()) rest += item.value
    expect(rest).toMatch(/three$/)
    for (const one of [text, late, follow(run)]) expect(await one.done).toBe('One two three')
    await engine.close()
  })

  it('may leave: nothing is kept for them', async () => {
    const { engine, run, write } = await begin({ strategy: 'minimal' })
    await write('{"do":"return","result":"One two')
    for await (const piece of run.text) {
      expect(piece).toBe('One two')
      break
    }
    const waiting = run.text[Symbol.asyncIterator]()
    await waiting.next()
    const pending = waiting.next()
    await waiting.return?.()
    expect(await pending).toEqual({ done: true, value: undefined })
    await write('"}')
    await write(null)
    await run.outcome
    await engine.close()
  })

  it('get the whole text of a run that ended elsewhere, from its journal', async () => {
    const store = tempStore()
    const engine = createEngine({
      model: new ScriptedModel([{ do: 'return', result: 'From the journal' }]),
      store,
    })
    const { id, outcome } = await engine.start('x', { strategy: 'minimal' })
    await outcome
    await engine.close()
    const later = createEngine({ model: new ScriptedModel([]), store })
    expect((await all((await later.resume(id)).text)).join('')).toBe('From the journal')
    await later.close()
  })

  it('of a run that is resumed in the middle of its answer get the new one', async () => {
    const store = tempStore()
    const first = byHand()
    const engine = createEngine({ model: first.model, store })
    const before = await engine.start('x', { strategy: 'minimal' })
    const lost = follow(before)
    await first.write('{"do":"return","result":"Lost')
    await lost.see('Lost')
    await engine.close()
    await expect(lost.done).rejects.toMatchObject({ code: 'INTERRUPTED' })
    const second = byHand()
    const again = createEngine({ model: second.model, store })
    const run = await again.resume(before.id)
    const found = follow(run)
    await second.write('{"do":"return","result":"Fou')
    await found.see('Fou')
    await second.write('nd"}')
    await second.write(null)
    expect(await found.done).toBe('Found')
    await again.close()
  })
})

describe('an answer that does not come to its end', () => {
  it('throws what the outcome rejects with, after what was written', async () => {
    const { engine, run, write, text } = await begin({ strategy: 'minimal' })
    await write('{"do":"return","result":"Half of')
    await text.see('Half of')
    await write(new ThinkonError('MODEL_OUTAGE', 'no quota is left', { retryable: true }))
    const error = await run.outcome.catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'MODEL_OUTAGE' })
    await expect(text.done).rejects.toBe(error)
    expect(text.now()).toBe('Half of')
    await engine.close()
  })

  it('throws CANCELLED if it was cancelled while it was written', async () => {
    const { engine, run, write, text } = await begin({ strategy: 'minimal' })
    await write('{"do":"return","result":"Half of')
    await text.see('Half of')
    await run.cancel('enough')
    const { result } = await run.outcome
    await expect(text.done).rejects.toMatchObject({ code: 'CANCELLED', data: { result } })
    await engine.close()
  })

  it('ends like any other if it was cancelled before', async () => {
    const { engine, run, write, text } = await begin({ strategy: 'minimal' })
    await write('{"do":')
    await run.cancel('enough')
    expect(await text.done).toBe((await run.outcome).result)
    await engine.close()
  })

  it('throws TEXT_REPLACED if the model failed, and the result is something else', async () => {
    const { engine, run, write, text } = await begin({ strategy: 'minimal' })
    await write('{"do":"return","result":"Half of')
    await text.see('Half of')
    await write(new Error('the line is dead'))
    const { status, result } = await run.outcome
    expect(status).toBe('failed')
    await expect(text.done).rejects.toMatchObject({ code: 'TEXT_REPLACED', data: { result } })
    await engine.close()
  })

  it('that is asked for again is held back then, and goes on if it begins the same', async () => {
    const { engine, run, write, text, io } = await begin({ strategy: 'minimal' })
    await write('{"do":"return","result":"The answ')
    await text.see('The answ')
    io()?.onRetry?.({ model: 'm', message: 'the line broke', attempt: 1, of: 3 })
    await write('er is\n{"do":"return","result":"The answer is 4')
    await turns(10)
    expect(text.now()).toBe('The answ')
    await write(null, { do: 'return', result: 'The answer is 4' })
    expect(await text.done).toBe('The answer is 4')
    expect((await run.outcome).result).toBe('The answer is 4')
    await engine.close()
  })
})

describe('a strategy of one’s own', () => {
  const own = (answer?: () => AnswerForm | null, resultOf = (text: string) => text): GivenStrategy => {
    const strategy: Strategy<object> = {
      name: 'own',
      version: 1,
      options: () => ({}),
      async solve(context) {
        const request: ModelRequest = {
          kind: 'own/write',
          version: 1,
          role: 'act',
          messages: [{ role: 'user', content: 'write' }],
        }
        return resultOf((await context.one(context.model(request))).text)
      },
    }
    return { ...strategy, ...(answer && { view: async () => ({ answer }) }) }
  }
  const inner = (text: string) => /<answer>([\s\S]*)<\/answer>/.exec(text)?.[1]?.trim() ?? ''
  const yaml = (text: string) =>
    text
      .replace(/^answer: \|\n/, '')
      .replace(/^ {2}/gm, '')
      .trim()

  it.each([
    [
      'prose',
      () => ({}),
      ['Once ', 'upon a ', 'time.\n'],
      (text: string) => text.trim(),
      'Once upon a time.',
    ],
    [
      'tags',
      () => ({ field: 'answer' }),
      ['<answer>\nOnce ', 'upon', ' a time.\n</answer>'],
      inner,
      'Once upon a time.',
    ],
    [
      'YAML',
      () => ({ field: 'answer' }),
      ['answer: |\n  Once', ' upon\n  a', ' time.\n'],
      yaml,
      'Once upon\na time.',
    ],
  ])('that says so streams %s', async (_, answer, pieces, resultOf, expected) => {
    const { engine, run, write, text } = await begin({ strategy: 'own' }, 'x', [own(answer, resultOf)])
    for (const piece of pieces) await write(piece)
    await text.see(expected)
    await write(null, pieces.join(''))
    expect(await text.done).toBe(expected)
    expect((await run.outcome).result).toBe(expected)
    await engine.close()
  })

  it('that does not return what its view says has its result for whoever reads when it has ended', async () => {
    const { engine, run, write, text } = await begin({ strategy: 'own' }, 'x', [
      own(
        () => ({}),
        () => 'Something else',
      ),
    ])
    await write('Once upon')
    await text.see('Once upon')
    await write(null, 'Once upon a time')
    await expect(text.done).rejects.toMatchObject({ code: 'TEXT_REPLACED' })
    expect(await follow(run).done).toBe('Something else')
    await engine.close()
  })

  it('whose view breaks has its text at the end', async () => {
    const broken = () => {
      throw new Error('no view')
    }
    const mayBe = broken as () => boolean
    for (const answer of [broken, () => ({ mayBe })]) {
      const { engine, write, text } = await begin({ strategy: 'own' }, 'x', [own(answer)])
      await write('Once upon')
      await turns(10)
      expect(text.now()).toBe('')
      await write(null, 'Once upon')
      expect(await text.done).toBe('Once upon')
      await engine.close()
    }
  })

  it('that says nothing has its text at the end', async () => {
    const { engine, write, text } = await begin({ strategy: 'own' }, 'x', [own()])
    await write('Once upon')
    await turns(10)
    expect(text.now()).toBe('')
    await write(null, 'Once upon')
    expect(await text.done).toBe('Once upon')
    await engine.close()
  })
})
