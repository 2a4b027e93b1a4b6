// Journals of every format version that was ever released open, fold, replay and go on.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine, type Engine } from '../../src/engine.ts'
import { foldEvents } from '../../src/protocol/index.ts'
import { inTime } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { frozenModel, frozenStrategy, frozenTools } from './frozen-strategy.ts'
import { journalText } from './journal-text.ts'

const FROZEN = join(import.meta.dirname, 'frozen')
const never = () => false

describe.each(readdirSync(FROZEN))('the frozen journals of %s', (version) => {
  const cleanUps: (() => unknown)[] = []

  /** An engine on a copy: what is frozen is not touched. */
  function open(): Engine {
    const folder = mkdtempSync(join(tmpdir(), 'thinkon-frozen-'))
    cpSync(join(FROZEN, version, 'store.sqlite'), join(folder, 'store.sqlite'))
    const engine = createEngine({
      store: join(folder, 'store.sqlite'),
      model: frozenModel(never),
      tools: frozenTools(never),
      strategies: [frozenStrategy],
    })
    cleanUps.push(
      () => rmSync(folder, { recursive: true, force: true }),
      () => engine.close(),
    )
    return engine
  }

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
  })

  it.each(['ended', 'unfinished'])(
    'open: every event of the %s run is read as it was written',
    async (id) => {
      const text = journalText(await open().events(id))
      expect(text).toBe(readFileSync(join(FROZEN, version, `${id}.jsonl`), 'utf8'))
    },
  )

  it('fold to the states they had', async () => {
    const engine = open()
    const ended = await engine.state('ended')
    expect(ended).toEqual(foldEvents(await engine.events('ended')))
    expect(ended).toMatchObject({ status: 'partial', openSteps: 0, openQuestions: 0 })
    expect(ended.blocks.get('1')?.done).toHaveLength(4)
    expect(await engine.state('unfinished')).toMatchObject({ status: 'stopped', outcome: null, openSteps: 2 })
    expect((await engine.list()).map((row) => [row.id, row.status, row.owned])).toEqual([
      ['unfinished', 'stopped', false],
      ['ended', 'partial', false],
    ])
  })

  it.each(['ended', 'unfinished'])('replay without a difference: the %s run', async (id) => {
    const replayed = await open().replay(id)
    expect(replayed.differences).toEqual([])
    expect(replayed.operations).toBeGreaterThan(20)
  })

  it('go on: the write that was under way is interrupted, the model is asked again, the message is taken', async () => {
    const engine = open()
    const outcome = await inTime((await engine.resume('unfinished')).outcome, 'the run ends')
    expect(outcome).toMatchObject({
      status: 'partial',
      result: 'one two, nothing, yes, INTERRUPTED, brief',
      reason: 'the model said so',
    })
    const events = [...(await engine.events('unfinished'))]
    expect(violations(events)).toEqual([])
    const messages = events.filter((event) => event.type === 'signal-taken').map((event) => event.value)
    expect(messages).toEqual(['be brief', 'from before the crash'])
    expect((await engine.replay('unfinished')).differences).toEqual([])
  })

  it('give the outcome of the ended run, and can be forked', async () => {
    const engine = open()
    const ended = await (await engine.resume('ended')).outcome
    expect(ended.result).toBe('one two, nothing, yes, written, brief')
    const events = [...(await engine.events('ended'))]
    const last = events.findLast((event) => event.type === 'model-start')
    const fork = await engine.fork('ended', last!.seq)
    expect(await inTime((await engine.resume(fork)).outcome, 'the fork ends')).toMatchObject({
      status: 'partial',
    })
  })
})
