// A prompt that a person edits in a fork: the model is asked that, once, and the record shows what it was asked. What is no prompt, or
// is not to be edited, is refused before there is a fork.

import { expect, it } from 'vitest'
import type { Context } from '../../../src/kernel/strategy.ts'
import {
  type Event,
  foldEvents,
  type Message,
  type ModelRequest,
  ThinkonError,
} from '../../../src/protocol/index.ts'
import { ScriptedModel } from '../../../src/testing/index.ts'
import { answerAt } from '../../answers.ts'
import { never, until } from '../async.ts'
import { violations } from '../invariants.ts'
import { all } from './journal.ts'
import { codeOf, ended, replayOf, request, strategyOf } from './lab.ts'
import type { KernelPromise } from './prove.ts'

const said = ({ messages }: ModelRequest) => messages.map(({ content }) => content).join('|')
const echo = () => new ScriptedModel((asked: ModelRequest) => said(asked))
const user = (content: string): Message => ({ role: 'user', content })
const edited = (content: string) => ({ request: { messages: [user(content)] } })

/** Asks twice; the second request goes on from the first, as the strategy has it. */
const twice = async (context: Context<never>) => {
  const first = await context.one(context.model(request('first')))
  const second = await context.one(
    context.model({ ...request('second'), messages: [user('first'), user('second')] }),
  )
  return `${first.text} ${second.text}`
}
const own = { strategies: [strategyOf('own', twice)] }
const firstAsked = (journal: readonly Event[]) => all(journal, 'model-start')[0]!

export const editedPrompts: KernelPromise = {
  title: 'an edited prompt',

  ofKernel({ newPlace, open, solveWith, afterTest }) {
    it('is what the model is asked, what the record shows, and what a replay finds; what the strategy holds stays its own', async () => {
      const { engine, id, journal, events, outcome } = await solveWith(twice, { model: echo() })
      expect(outcome.result).toBe('first first|second')
      const { seq } = firstAsked(journal)
      const fork = await engine.fork(id, seq, edited('another'))
      expect(events(fork).at(-1)).toMatchObject({ type: 'run-fork', from: id, at: seq, edited: true })
      expect(firstAsked(events(fork))).toMatchObject({
        seq,
        edited: true,
        request: { kind: 'first', messages: [user('another')] },
      })
      expect((await ended(await engine.resume(fork))).result).toBe('another first|second')
      expect(violations(events(fork))).toEqual([])
      expect(await replayOf(engine, fork)).toEqual([])
      expect(all(events(fork), 'run-resume').flatMap(({ changes = [] }) => changes)).toEqual([])
      expect((await engine.state(id)).outcome?.result).toBe('first first|second')
    })

    it('is asked again after a crash in its middle, with what was lost charged once, and paid once', async () => {
      const place = newPlace()
      const whole = open({ ...own, model: echo() }, place)
      const run = await whole.engine.start('a goal', { strategy: 'own' })
      await ended(run)
      const fork = await whole.engine.fork(run.id, firstAsked(whole.events(run.id)).seq, edited('another'))
      await whole.close()
      const asked: string[] = []
      const stuck = new ScriptedModel((given: ModelRequest) => {
        asked.push(said(given))
        return never()
      })
      const first = open({ ...own, model: stuck }, place)
      await first.engine.resume(fork)
      await until(() => asked.length === 1, 'the model is asked')
      await first.crash()
      const model = echo()
      const second = open({ ...own, model }, place)
      expect((await ended(await second.engine.resume(fork))).result).toBe('another first|second')
      expect([...asked, ...model.calls.map(said)]).toEqual(['another', 'another', 'first|second'])
      const journal = second.events(fork)
      expect(all(journal, 'run-resume').flatMap(({ lost = [] }) => lost)).toHaveLength(1)
      expect(violations(journal)).toEqual([])
      expect(await replayOf(second.engine, fork)).toEqual([])
    })

    it('reserves for itself: a longer one holds more, and one that the budget has no room for is refused (K3)', async () => {
      const cost = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
        (inputTokens + outputTokens) / 1_000_000
      const solve = async (context: Context<never>) => {
        const [result] = await context.all([context.model(request('first', { maxOutputTokens: 10 }))])
        return codeOf(result)
      }
      const model = new ScriptedModel(() => 'yes', { cost })
      const world = await solveWith(solve, { model }, { budget: { tokens: 5_000 } })
      const { engine, id, journal, events } = world
      const start = firstAsked(journal)
      const long = await engine.fork(id, start.seq, edited('word '.repeat(200)))
      expect(firstAsked(events(long)).reserve.calls).toBe(0)
      expect(foldEvents(events(long)).running.get('1 1')?.reserve.tokens).toBe(0)
      expect((await ended(await engine.resume(long))).result).toBe('ok')
      const [held] = all(events(long), 'part-start')
      expect(held?.reserve.tokens).toBeGreaterThan(start.reserve.tokens + 100)
      expect(held?.reserve.costUsd).toBeCloseTo((held?.reserve.tokens ?? 0) / 1_000_000, 9)
      const tooLong = await engine.fork(id, start.seq, edited('word '.repeat(20_000)))
      expect((await ended(await engine.resume(tooLong))).result).toBe('LIMIT')
      const capped = await engine.fork(id, start.seq, { request: { settings: { maxOutputTokens: 500 } } })
      expect((await ended(await engine.resume(capped))).result).toBe('ok')
      expect(all(events(capped), 'part-start')[0]?.reserve.tokens).toBe(start.reserve.tokens + 490)
      expect(model.calls.at(-1)?.settings).toEqual({ maxOutputTokens: 500 })
      for (const fork of [long, tooLong, capped]) {
        expect(violations(events(fork))).toEqual([])
        expect(await replayOf(engine, fork)).toEqual([])
      }
    })

    it('is what a structured reply is asked again for, part by part, also after a fork between two parts', async () => {
      const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
      const solve = async (context: Context<never>) => {
        const { value } = await context.one(context.model({ ...request('first'), schema }))
        return JSON.stringify(value)
      }
      const { askStructured } = await import('../../../src/models/structured/ask-structured.ts')
      const raw = new ScriptedModel((asked: ModelRequest) => (asked.messages.length > 1 ? '{"n": 2}' : 'two'))
      const model = {
        id: 'structured',
        call: (asked: ModelRequest, io: never) => askStructured(raw, asked, io),
      }
      const { engine, id, journal, events } = await solveWith(solve, { model })
      const fork = await engine.fork(id, firstAsked(journal).seq, edited('another'))
      expect((await ended(await engine.resume(fork))).result).toBe('{"n":2}')
      const asks = raw.calls.slice(-2).map(({ messages }) => messages[0])
      expect(asks.map((message) => message?.content)).toEqual([
        expect.stringContaining('another'),
        expect.stringContaining('another'),
      ])
      const [paid] = all(events(fork), 'part-end')
      raw.calls.splice(0)
      const between = await engine.fork(fork, paid!.seq)
      expect((await ended(await engine.resume(between))).result).toBe('{"n":2}')
      expect(raw.calls.map(({ messages }) => messages[0]?.content)).toEqual([
        expect.stringContaining('another'),
      ])
      for (const one of [fork, between]) expect(await replayOf(engine, one)).toEqual([])
    })

    it('goes with a fork of the fork, before it is asked and after, and with an export; it can be edited again', async () => {
      const { engine, id, journal, events } = await solveWith(twice, { model: echo() })
      const { seq } = firstAsked(journal)
      const fork = await engine.fork(id, seq, edited('another'))
      const [before, again] = [await engine.fork(fork, seq), await engine.fork(fork, seq, edited('a third'))]
      await ended(await engine.resume(fork))
      const after = await engine.fork(fork, all(events(fork), 'model-end')[0]!.seq)
      const results: string[] = []
      for (const one of [before, again, after]) results.push((await ended(await engine.resume(one))).result)
      expect(results).toEqual(['another first|second', 'a third first|second', 'another first|second'])
      await engine.import(await engine.export(before), { as: 'copy' })
      for (const one of [before, again, after, 'copy']) {
        expect(firstAsked(events(one)).edited).toBe(true)
        expect(await replayOf(engine, one)).toEqual([])
      }
    })

    it('that is too long for the model is its own failure: no other is asked in its place', async () => {
      const overflow = new ThinkonError('CONTEXT_OVERFLOW', 'too long', { data: { window: 2_000 } })
      const model = new ScriptedModel((asked: ModelRequest) =>
        said(asked).startsWith('another') ? overflow : said(asked),
      )
      const solve = async (context: Context<never>) => {
        const sections = [{ need: 'first', items: [{ text: 'x' }] }] as const
        const [result] = await context.all([
          context.model({
            kind: 'first',
            version: 1,
            role: 'plan',
            system: 'rules',
            sections,
            question: 'well?',
          }),
        ])
        return codeOf(result)
      }
      const { engine, id, journal, events } = await solveWith(solve, { model })
      const fork = await engine.fork(id, firstAsked(journal).seq, edited('another'))
      expect((await ended(await engine.resume(fork))).result).toBe('CONTEXT_OVERFLOW')
      expect(all(events(fork), 'model-start')).toHaveLength(1)
      expect(await replayOf(engine, fork)).toEqual([])
    })

    it('that has a secret in it is recorded and asked without it (K9)', async () => {
      process.env.EDITED_API_KEY = 'edited-secret-0123456789'
      afterTest(() => delete process.env.EDITED_API_KEY)
      const model = echo()
      const { engine, id, journal, events } = await solveWith(twice, { model })
      const fork = await engine.fork(id, firstAsked(journal).seq, edited('use edited-secret-0123456789'))
      await ended(await engine.resume(fork))
      expect(JSON.stringify([events(fork), model.calls])).not.toContain('edited-secret')
      expect(await replayOf(engine, fork)).toEqual([])
    })

    it('is put to a person, where one is the model, and another model answers what a person had answered before', async () => {
      const { engine, id, journal, place, close } = await solveWith(twice, { model: echo() })
      const fork = await engine.fork(id, firstAsked(journal).seq, edited('another'))
      await close()
      const byHand = open({ ...own, model: 'person' }, place)
      const run = await byHand.engine.resume(fork)
      const question = async (name: string) => {
        await until(
          () => all(byHand.events(fork), 'signal-asked').some((one) => one.name === name),
          `${name} is asked`,
        )
        return all(byHand.events(fork), 'signal-asked').find((one) => one.name === name)?.question
      }
      expect((await question('reply'))?.request?.messages).toEqual([user('another')])
      await answerAt(run, '1', 'by hand')
      expect((await question('reply-2'))?.request?.messages).toEqual([user('first'), user('second')])
      await answerAt(run, '1', 'too')
      expect((await ended(run)).result).toBe('by hand too')
      expect(violations(byHand.events(fork))).toEqual([])
      expect(await replayOf(byHand.engine, fork)).toEqual([])
      const answered = all(byHand.events(fork), 'model-start').at(-1)!
      const other = await byHand.engine.fork(fork, answered.seq, edited('anew'))
      await byHand.close()
      const world = open({ ...own, model: echo() }, place)
      expect((await ended(await world.engine.resume(other))).result).toBe('by hand anew')
      expect(await replayOf(world.engine, other)).toEqual([])
    })

    it('of a closing call is paid from what its block kept back, when nothing else is left (K4)', async () => {
      const close = ({ kind, messages }: ModelRequest) => {
        if (kind !== 'minimal/close') return { do: 'note', name: 'noted', data: null }
        return { do: 'return', result: messages.length === 1 ? 'another end' : 'the end' }
      }
      const { engine, events } = open({ model: new ScriptedModel(close) })
      const run = await engine.start('a goal', { strategy: 'minimal', budget: { calls: 3 } })
      expect(await ended(run)).toMatchObject({ status: 'partial', limit: 'calls', result: 'the end' })
      const closing = all(events(run.id), 'model-start').find((start) => start.closing === true)!
      const fork = await engine.fork(run.id, closing.seq, edited('close in another way'))
      const outcome = await ended(await engine.resume(fork))
      expect(outcome).toMatchObject({ status: 'partial', result: 'another end', usage: { calls: 3 } })
      expect(all(events(fork), 'model-start').at(-1)).toMatchObject({ closing: true, edited: true })
      expect(violations(events(fork))).toEqual([])
      expect(await replayOf(engine, fork)).toEqual([])
    })

    it('may be given as the whole event, as it is printed, with the edit in it', async () => {
      const { engine, id, journal, events } = await solveWith(twice, { model: echo() })
      const { request: was, ...event } = structuredClone(firstAsked(journal))
      const fork = await engine.fork(id, event.seq, {
        ...event,
        request: { ...was, messages: [user('another')] },
      })
      expect(firstAsked(events(fork)).request.messages).toEqual([user('another')])
    })

    it('keeps messages as they were, also those that could not be written anew', async () => {
      const odd: Message[] = [user(''), { role: 'tool', content: 'given' }, user('first')]
      const solve = async (context: Context<never>) =>
        (await context.one(context.model({ ...request('first'), messages: odd }))).text
      const { engine, id, journal } = await solveWith(solve, { model: echo() })
      const messages = [...odd.slice(0, 2), user('another')]
      const fork = await engine.fork(id, firstAsked(journal).seq, { request: { messages } })
      expect((await ended(await engine.resume(fork))).result).toBe('|given|another')
    })

    it('that is none is refused, with what is wrong and where, and there is no fork', async () => {
      const { engine, id, journal } = await solveWith(twice, { model: echo() })
      const { seq, request: was } = firstAsked(journal)
      const at = `event ${seq} of run ${id} (model-start): `
      const message = (one: unknown) => ({ request: { messages: [one] } })
      const refusals: [edit: unknown, says: string][] = [
        [{}, 'the edit changes nothing: say what is asked, as {"request"'],
        [{ request: was }, 'the edit changes nothing'],
        [{ request: 'ask this' }, '"request" must be an object such as {"request"'],
        [{ request: { messages: [] } }, 'request.messages is empty'],
        [
          { request: { messages: 'ask this' } },
          'request.messages must be a list of messages {role, content}, not "ask this"',
        ],
        [message('ask this'), 'request.messages[0] must be an object, not "ask this"'],
        [message({ content: 'x' }), 'request.messages[0].role is missing: who says it'],
        [message({ role: 'user' }), 'request.messages[0].content is missing: what it says'],
        [message({ role: 'usr', content: 'x' }), 'request.messages[0].role must be "system" or "user"'],
        [
          message({ role: 'user', content: 5 }),
          'request.messages[0].content must be a text, or a list of its parts, not 5',
        ],
        [message({ role: 'user', content: ' ' }), 'request.messages[0].content says nothing'],
        [message({ role: 'user', content: 'x', name: 'y' }), 'unknown key "name" in request.messages[0]'],
        [message({ role: 'tool', content: 'x' }), 'request.messages[0].answers is missing'],
        [{ request: { settings: { temperature: 'hot' } } }, 'request.settings.temperature must be a number'],
        [
          { request: { kind: 'other' } },
          '"request.kind" can\'t be edited; of the request these can: messages, settings',
        ],
        [{ request: { schema: {} } }, '"request.schema" can\'t be edited'],
        [{ request: { tools: [] } }, '"request.tools" can\'t be edited'],
        [{ reserve: { calls: 0, tokens: 0, costUsd: 0 } }, '"reserve" can\'t be edited'],
      ]
      for (const [edit, says] of refusals) {
        const refused = await engine.fork(id, seq, edit as never).catch((error) => error)
        expect([edit, refused.code, refused.message]).toEqual([
          edit,
          'BAD_INPUT',
          expect.stringContaining(at + says),
        ])
      }
      const elsewhere = engine.fork(id, seq + 1, edited('another') as never)
      await expect(elsewhere).rejects.toThrow(
        'is a model-end, which has no request: edit that of a model-start',
      )
      expect(await engine.count({ forkOf: id })).toBe(0)
    })
  },
}
