// K9 nothing leaks: keys and secrets never enter the journal, the logs, a prompt or an error.

import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Model } from '../../../src/kernel/model.ts'
import type { Tool } from '../../../src/kernel/tool.ts'
import { type ModelRequest, ThinkonError } from '../../../src/protocol/index.ts'
import { answerAt } from '../../answers.ts'
import { until } from '../async.ts'
import { all, count } from './journal.ts'
import { ended, type Lab, replayOf, request, strategyOf, untilCrash } from './lab.ts'
import type { KernelPromise } from './prove.ts'

export const nothingLeaks: KernelPromise = {
  title: 'K9 nothing leaks',

  ofKernel({ open, afterTest }) {
    it('K9: a key that goal, strategy, model, tool, child and person say is not in the journal, events, prompts, outcome or file', async () => {
      const key = newKey(afterTest)
      const model: Model = {
        id: 'own model',
        async call(asked, io) {
          prompts.push(asked)
          for (const piece of [`delta ${key.slice(0, 9)}`, key.slice(9), ' end']) io.onDelta(piece)
          const usage = { inputTokens: 1, outputTokens: 1 }
          if (asked.kind === 'fails') throw new Error(`401: the key ${key} is wrong`)
          if (asked.kind === 'fails-with-data')
            throw new ThinkonError('MODEL_ERROR', `no: ${key}`, {
              data: { text: key },
              cause: new Error(key),
            })
          await io.part(async () => ({ value: { said: key }, usage }))
          const toolCalls = [{ id: '1', name: 'env', input: { given: key } }]
          return { text: `I know ${key}`, value: { is: [key], [key]: 1 }, toolCalls, usage }
        },
      }
      const env: Tool = {
        name: 'env',
        description: `shows ${key}`,
        access: 'read',
        async run(input) {
          const url = new URL(`https://example.com/?key=${encodeURIComponent(key)}`)
          if ((input as { fail?: boolean }).fail) throw new Error(`failed with ${key}`)
          return { text: key, url, base64: Buffer.from(key).toString('base64'), got: input }
        },
      }
      const prompts: ModelRequest[] = []
      const seen: unknown[] = []
      const own = strategyOf('own', async (context) => {
        if (context.level === 1) throw new Error(`child: ${key}`)
        context.plan([`use ${key}`])
        context.emit('thought', { [key]: key })
        seen.push(
          await context.one(context.model({ ...request(`say ${key}`), kind: 'says', input: { key } })),
        )
        seen.push(await context.all([context.model({ ...request('x'), kind: 'fails' })]))
        seen.push(await context.all([context.model({ ...request('x'), kind: 'fails-with-data' })]))
        const calls = [{ asked: key }, { fail: true }].map((input) => context.tool('env', input))
        seen.push(await context.all(calls))
        seen.push(await context.all([context.call(`child about ${key}`)]))
        seen.push(await context.one(context.ask({ text: `is it ${key}?`, choices: [key, 'no'] })))
        await context.one(context.model({ ...request(context.timeline(10_000)), kind: 'says' }))
        return { status: 'partial', result: `it is ${key}`, reason: `because of ${key}` }
      })
      const world = open({ model, tools: [env], strategies: [own] })
      const events: unknown[] = []
      const run = await world.engine.start(`find ${key}`, {
        strategy: 'own',
        options: { note: key },
        onEvent: (event) => events.push(event),
      })
      await until(() => count(world.events(run.id), 'signal-asked') === 1, 'it asks')
      await run.signal('1', 'message', `psst: ${key}`)
      await answerAt(run, '1', key)
      const outcome = await ended(run)
      expect(outcome).toMatchObject({ status: 'partial', result: 'it is [redacted]' })
      const journal = world.events(run.id)
      const fork = await world.engine.fork(run.id, all(journal, 'tool-end')[0]!.seq, { value: key })
      const redone = await world.engine.redo(run.id, '1-1', `not ${key}`)
      const deltas = events.map((event) => (event as { text?: string }).text ?? '').join('')
      const state = [...(await world.engine.state(run.id)).blocks.values()]
      expect(await replayOf(world.engine, run.id)).toEqual([])
      const more = [...world.events(fork), ...world.events(redone), ...world.store.pending(redone)]
      await world.close()
      const bytes = world.place.bytes()
      expect(leaks(key, { outcome, journal, events, deltas, prompts, seen, state, more, bytes })).toEqual([])
      expect(prompts).toHaveLength(4)
      expect(JSON.stringify(journal)).toContain('failed with [redacted]')
    })

    it('K9: a private key that a tool reads, and a password inside of a variable, are not in the journal, prompts or file', async () => {
      const line = randomBytes(36).toString('base64')
      const block = `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----`
      const password = `p4ss/${randomBytes(8).toString('hex')}`
      process.env.THINKON_CONFORMANCE_URL = `postgres://app:${encodeURIComponent(password)}@db/x`
      afterTest(() => delete process.env.THINKON_CONFORMANCE_URL)
      const read: Tool = {
        name: 'read',
        description: 'reads',
        access: 'read',
        async run(input) {
          if ((input as { fail?: boolean }).fail) throw new Error(`no such patch: ${block} for ${password}`)
          return { text: `the file:\n${block}\nand ${password}`, env: process.env.THINKON_CONFORMANCE_URL }
        },
      }
      const prompts: ModelRequest[] = []
      const model: Model = {
        id: 'own model',
        async call(asked) {
          prompts.push(asked)
          return { text: `I know ${password}`, usage: { inputTokens: 1, outputTokens: 1 } }
        },
      }
      const own = strategyOf('own', async (context) => {
        const calls = [{}, { fail: true }].map((input) => context.tool('read', input))
        const results = JSON.stringify(await context.all(calls))
        await context.one(
          context.model({ ...request(`${results} ${context.timeline(10_000)}`), kind: 'says' }),
        )
        return results
      })
      const world = open({ model, tools: [read], strategies: [own] })
      const run = await world.engine.start('read it', { strategy: 'own' })
      const outcome = await ended(run)
      const journal = world.events(run.id)
      await world.close()
      const bytes = world.place.bytes()
      for (const secret of [line, password])
        expect(leaks(secret, { outcome, journal, prompts, bytes })).toEqual([])
      expect(outcome.result).toContain('the file:\\n[redacted]\\nand [redacted]')
      expect(prompts).toHaveLength(1)
    })

    it('K9: what is thrown at whoever misuses the engine does not hold a key', async () => {
      const key = newKey(afterTest)
      const { engine } = open({})
      const thrown = await Promise.all(
        [engine.start('a goal', { strategy: key }), engine.resume(key), engine.state(key)].map(errorOf),
      )
      expect(leaks(key, { thrown })).toEqual([])
    })
  },

  ofStrategy({ newPlace, open, afterTest, strategy, tested }) {
    it(`K9: ${strategy.name} works on when keys are taken out, and so does what is gone on with after a crash`, async () => {
      const key = newKey(afterTest)
      const look: Tool = {
        name: 'look',
        description: 'looks',
        access: 'read',
        run: async () => `the key is ${key}`,
      }
      const task = { goal: 'look', tools: [{ name: 'look', input: { at: key } }], result: `it is ${key}` }
      const model = strategy.model(task)
      const place = newPlace()
      const first = open({ model, tools: [look] }, place, 5)
      await untilCrash(first.engine.start(task.goal, { ...tested, id: 'leak' }))
      await first.close()
      const second = open({ model, tools: [look] }, place)
      const outcome = await ended(await second.engine.resume('leak'))
      const journal = second.events('leak')
      expect(outcome.status).toBe('completed')
      expect(outcome.result).toContain('it is [redacted]')
      expect(await replayOf(second.engine, 'leak')).toEqual([])
      await second.close()
      const bytes = place.bytes()
      expect(leaks(key, { outcome, journal, bytes, prompts: model.calls })).toEqual([])
    })

    it(`K9: what ${strategy.name} throws at options that it does not know does not hold a key`, async () => {
      const key = newKey(afterTest)
      const { engine } = open({})
      const starting = engine.start('a goal', { strategy: strategy.name, options: { [key]: key } })
      expect(leaks(key, { thrown: await errorOf(starting) })).toEqual([])
    })
  },
}

/** A key of its own in the environment; with characters that are written in other ways in JSON and in addresses. */
export function newKey(afterTest: Lab['afterTest']): string {
  const key = `k9/${randomBytes(12).toString('hex')}+"x"`
  process.env.THINKON_CONFORMANCE_API_KEY = key
  afterTest(() => delete process.env.THINKON_CONFORMANCE_API_KEY)
  return key
}

/** Where the key is: it must be nowhere. */
export function leaks(key: string, places: Record<string, unknown>): string[] {
  const forms = [
    key,
    JSON.stringify(key).slice(1, -1),
    encodeURIComponent(key),
    Buffer.from(key).toString('base64'),
    key.slice(3, 27),
  ]
  const texts = Object.entries(places).map(([place, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return [place, `${text}\n${JSON.stringify(text).slice(1, -1)}`] as const
  })
  return texts.flatMap(([place, text]) => (forms.some((form) => text.includes(form)) ? [place] : []))
}

/** What a promise is rejected with, as text. */
async function errorOf(promise: Promise<unknown>): Promise<string> {
  const error: Error = await promise.then(
    () => expect.fail('nothing was thrown'),
    (error) => error,
  )
  return JSON.stringify([error.message, error])
}
