/** embedded:mini as a model: what it refuses, how it draws, what it counts, when it loads. */
import { describe, expect, it } from 'vitest'
import { createEngine, type ModelRequest, ThinkonError } from '../../src/index.ts'
import { openModel } from '../../src/models/open-model.ts'
import type { Event } from '../../src/protocol/index.ts'
import { shippedMini } from './shipped-mini.ts'
import { type Taught, taughtModel } from './taught-model.ts'

describe('embedded:mini', () => {
  it('refuses any other goal before the run, with what it is and how to connect a model', async () => {
    const engine = createEngine({ model: shippedMini() })
    for (const goal of [
      'write a poem about 24',
      'How many of the 3 musketeers can I name in 10 seconds?',
      'How do I boil 3 eggs in 4 minutes with 2 pots?',
      'Ann has 3 pens, buys 4 and gives away 2.',
      'Ann has 3 pens, buys 4 and gives away 2000000. How many are left?',
    ]) {
      const refused = await engine.start(goal).catch((error: ThinkonError) => error)
      expect(refused, goal).toMatchObject({ code: 'NO_MODEL' })
      expect((refused as ThinkonError).message).toContain('nothing but')
      expect((refused as ThinkonError).message).toContain('--model')
    }
    await expect(engine.start('写一首诗')).rejects.toThrow('很小的模型')
    await engine.close()
  })

  it('refuses a word problem that its model makes nothing of', async () => {
    const engine = createEngine({ model: shippedMini() })
    const run = await engine.start('Zoe sees 3, 4 and 5 birds. How many in all?', { strategy: 'minimal' })
    expect(await run.outcome).toMatchObject({ status: 'failed', code: 'NO_MODEL' })
    await engine.close()
  })

  it('refuses kinds of request that it does not know', async () => {
    const request = {
      kind: 'other/kind',
      version: 1,
      role: 'plan',
      messages: [],
      input: { goal: '3+4' },
    } as const
    await expect(shippedMini().call(request, ioOf())).rejects.toMatchObject({ code: 'NO_MODEL' })
  })

  it('loads its model when it is first asked, once, and frees it', async () => {
    const model = taughtModel()
    const life: string[] = []
    const { miniModel } = await import('../../src/models/embedded/mini/mini-model.ts')
    const { embeddedKind, STRATEGIES } = await import('../../src/strategies/registry.ts')
    const mini = miniModel({
      kindOf: (kind) => embeddedKind(STRATEGIES, kind),
      open: async () => {
        life.push('open')
        return { ...model, close: async () => void life.push('close') }
      },
    })
    await mini.close()
    expect(life).toEqual([])
    const request = best('3+4')
    await Promise.all([mini.call(request, ioOf()), mini.call(request, ioOf())])
    await mini.close()
    expect(life).toEqual(['open', 'close'])
  })

  it('is opened by its spec', async () => {
    const mini = await openModel('embedded:mini')
    expect(mini.id).toBe('embedded:mini')
    expect(mini.refusal?.('write a poem')).toMatchObject({ code: 'NO_MODEL' })
    expect(mini.cost?.({ inputTokens: 9, outputTokens: 9 })).toBe(0)
  })

  it('can be slowed down to be watched, and stops at once all the same', async () => {
    const slow = await openModel('embedded:mini#60000')
    const stop = new AbortController()
    const call = slow.call(best('3+4'), { ...ioOf(), signal: stop.signal })
    stop.abort()
    await expect(call).rejects.toThrow()
  })

  it('counts the tokens that its model read and wrote, and streams the reply', async () => {
    const said: string[] = []
    const hidden: string[] = []
    const io = {
      ...ioOf(),
      onDelta: (text: string) => said.push(text),
      onHidden: (text: string) => hidden.push(text),
    }
    const reply = await shippedMini().call(best('(3+4)*2'), io)
    expect(reply.usage).toEqual({ inputTokens: 12, outputTokens: 3, costUsd: 0 })
    expect(said.join('')).toBe(reply.text)
    expect(hidden).toEqual(['14'])
  })

  it('stops when it is told to', async () => {
    const stop = new Error('stopped')
    await expect(shippedMini().call(best('3+4'), ioOf({ signal: AbortSignal.abort(stop) }))).rejects.toBe(
      stop,
    )
    const controller = new AbortController()
    const call = shippedMini().call(best('3+4'), ioOf({ signal: controller.signal }))
    controller.abort(stop)
    await expect(call).rejects.toBe(stop)
  })

  it('takes a prompt that is too long for its model as one that it has no answer to', async () => {
    const overflow = new ThinkonError('CONTEXT_OVERFLOW', 'too long')
    const model = { ...taughtModel(), complete: () => Promise.reject(overflow) }
    const { value } = await shippedMini({ ...model, weigh: () => Promise.reject(overflow) }).call(
      best('3+4'),
      ioOf(),
    )
    expect(value).toEqual({ answer: '3 + 4: the model came to no end' })
  })
})

describe('drawing by chance', () => {
  const noisy: Taught['errs'] = (_, random) => (random() < 0.5 ? 'wrong' : undefined)

  it('the same seed gives the same answer, another another, and without temperature the seed is no matter', async () => {
    const answers = async (temperature: number) => {
      const seeds = [1, 2, 3, 4, 5, 6, 7, 8]
      const model = shippedMini({ errs: noisy })
      const asked = (seed: number) => model.call({ ...best('3+4'), settings: { temperature, seed } }, ioOf())
      const once = await Promise.all(seeds.map(async (seed) => (await asked(seed)).text))
      expect(await Promise.all(seeds.map(async (seed) => (await asked(seed)).text))).toEqual(once)
      return new Set(once).size
    }
    expect(await answers(1)).toBeGreaterThan(1)
    expect(await answers(0)).toBe(1)
  })

  it.each(['tot', 'best-of', 'fractal'])(
    'two runs of %s with the same seed are the same run',
    async (strategy) => {
      const journal = async (seed: string) => {
        const engine = createEngine({ model: shippedMini({ errs: noisy }) })
        const run = await engine.start('Make 24 from 4, 9, 10 and 13', { strategy, seed })
        await run.outcome
        const events = [...(await engine.events(run.id))].map((event) => withoutTimes(event, run.id)).sort()
        await engine.close()
        return events
      }
      const one = await journal('a')
      expect(await journal('a')).toEqual(one)
      if (strategy !== 'fractal') expect(replies(await journal('b'))).not.toEqual(replies(one))
    },
  )
})

function best(goal: string): ModelRequest {
  return { kind: 'best-of/answer', version: 1, role: 'plan', messages: [], input: { goal, sample: 1 } }
}

function ioOf({ signal = new AbortController().signal } = {}) {
  return { path: '1', n: 1, signal, onDelta() {}, part: async () => null as never }
}

/** What is asked at the same time may end in another order, and then finds another budget left. */
function withoutTimes(event: Event, run: string): string {
  const text = JSON.stringify(event).replaceAll(run, 'RUN')
  return JSON.stringify(JSON.parse(text, (key, value) => (TIMES.test(key) ? 0 : value)))
}

const TIMES = /^(?:ts|id|.*Ms|task_id|timestamp|taskId|seq|left)$/

function replies(events: readonly string[]): string[] {
  return events.filter((event) => event.includes('"type":"model-end"'))
}
