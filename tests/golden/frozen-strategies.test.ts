// Runs of every strategy that ships, recorded by freeze-strategies.ts with what was drawn of them then, and runs whose process died in the
// middle. They open, are drawn the same, replay and are resumed. They are recorded anew only when the version of a strategy changes.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine } from '../../src/engine.ts'
import type { Event } from '../../src/protocol/index.ts'
import { inTime } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { drawnRun } from './drawn-run.ts'
import { FROZEN_STRATEGIES, frozenTools } from './frozen-strategies.ts'

const FROZEN = join(import.meta.dirname, 'frozen-strategies')
const NAMES = Object.keys(FROZEN_STRATEGIES)

describe.each(readdirSync(FROZEN))('the frozen runs of %s', (version) => {
  const frozen = join(FROZEN, version)
  // A copy: what is frozen is not touched.
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-frozen-'))
  const store = join(folder, 'store.sqlite')
  let engine: Engine
  /** The ids of the runs that ended, and of those that did not, by strategy. */
  const ended = new Map<string, string>()
  const unfinished = new Map<string, string>()

  beforeAll(async () => {
    cpSync(join(frozen, 'store.sqlite'), store)
    engine = createEngine({ store })
    for (const { id, strategy, status } of await engine.list())
      (status === 'stopped' ? unfinished : ended).set(nameOf(strategy), id)
  })
  afterAll(async () => {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const journalOf = async (id = '') => [...(await engine.events(id))]
  const drawn = readdirSync(frozen).filter((name) => extname(name) !== '.sqlite')

  it('are there for every strategy', () => {
    expect([...ended.keys()].sort()).toEqual(NAMES)
    expect([...unfinished.keys()].sort()).toEqual(NAMES)
  })

  it('replay equal', async () => {
    for (const id of [...ended.values(), ...unfinished.values()]) {
      const { differences } = await engine.replay(id)
      expect([id, differences]).toEqual([id, []])
    }
  })

  it.each(drawn)('are drawn as they were: %s', async (name) => {
    const [strategy = '', form = ''] = name.split('.')
    const text = readFileSync(join(frozen, name), 'utf8').trimEnd()
    expect(drawnRun(await journalOf(ended.get(strategy)), form)).toBe(text)
  })

  it.each(NAMES)('that did not end are resumed to their end: %s', async (name) => {
    const id = unfinished.get(name) ?? ''
    const before = await journalOf(id)
    const resuming = createEngine({ model: 'embedded:abacus', store, tools: frozenTools(name, folder) })
    try {
      await expectResumed(resuming, id, before)
    } finally {
      await resuming.close()
    }
  })
})

async function expectResumed(engine: Engine, id: string, before: readonly Event[]): Promise<void> {
  const { status } = await inTime((await engine.resume(id)).outcome, `${id} ends`)
  expect(status).toBe('completed')
  const events = [...(await engine.events(id))]
  expect(events.slice(0, before.length)).toEqual(before)
  // No step that had ended is begun again, and each is counted once.
  expect(violations(events)).toEqual([])
  expect((await engine.replay(id)).differences).toEqual([])
}

function nameOf(identity: string): string {
  return identity.split('@')[0] ?? ''
}
