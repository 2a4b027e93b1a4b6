// Runs of every strategy that ships, recorded by an earlier version with what was drawn of them then: `0.1.0` by
// `thinkon <strategy> "…" --model embedded:abacus`, `strategies-<version>` by freeze-strategies.ts, there also runs whose process
// died in the middle. They open, are drawn the same, and replay and resume as long as the version of their strategies is the same.
// Never regenerated; the stores that hold them were exported and imported when the version of the store changed.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine } from '../../src/engine.ts'
import { type Event, type EventOf, ThinkonError } from '../../src/protocol/index.ts'
import { STRATEGIES } from '../../src/strategies/registry.ts'
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
  const hasUnfinished = version !== '0.1.0'
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
    expect([...unfinished.keys()].sort()).toEqual(hasUnfinished ? NAMES : [])
  })

  it('replay equal, or say which version of their strategy is here', async () => {
    for (const id of [...ended.values(), ...unfinished.values()]) {
      const begun = begunBy(await journalOf(id))
      const other = begun.find((identity) => !isCurrent(identity))
      const { differences } = await engine.replay(id)
      if (other === undefined) expect([id, differences]).toEqual([id, []])
      else
        expect(differences.map(({ what }) => what).join()).toContain(
          `differs in strategy (${other}, here is ${currentOf(other)})`,
        )
    }
  })

  it.each(drawn)('are drawn as they were: %s', async (name) => {
    const [strategy = '', form = ''] = name.split('.')
    const text = readFileSync(join(frozen, name), 'utf8').trimEnd()
    // The first ones have what stands before and after the tree, too.
    const picture = version === '0.1.0' && form === 'txt' ? text.split('\n\n')[1] : text
    expect(drawnRun(await journalOf(ended.get(strategy)), form)).toBe(picture)
  })

  it.each(hasUnfinished ? NAMES : [])(
    'that did not end are resumed to their end, or refused by version before anything is written: %s',
    async (name) => {
      const id = unfinished.get(name) ?? ''
      const before = await journalOf(id)
      const others = openStarts(before).filter(({ strategy }) => !isCurrent(strategy))
      const resuming = createEngine({ model: 'embedded:abacus', store, tools: frozenTools(name, folder) })
      try {
        if (others.length === 0) await expectResumed(resuming, id, before)
        else await expectRefused(resuming, id, before, others)
      } finally {
        await resuming.close()
      }
    },
  )
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

async function expectRefused(
  engine: Engine,
  id: string,
  before: readonly Event[],
  others: readonly EventOf<'block-start'>[],
): Promise<void> {
  const refusal: unknown = await engine.resume(id).catch((thrown: unknown) => thrown)
  if (!ThinkonError.isInstance(refusal)) return expect.fail(`${id} was resumed`)
  expect(refusal.code).toBe('VERSION_MISMATCH')
  for (const identity of new Set(others.map(({ strategy }) => strategy))) {
    const first = others.find(({ strategy }) => strategy === identity)
    expect(refusal.message).toContain(`${identity}, which began block`)
    expect(refusal.message).toContain(
      `here is ${currentOf(identity)}; use an older version of it, or fork before that: ` +
        `thinkon fork ${id} --at ${(first?.seq ?? 0) - 1}`,
    )
  }
  expect([...(await engine.events(id))]).toEqual(before)
  expect((await engine.list()).find((row) => row.id === id)).toMatchObject({
    status: 'stopped',
    owned: false,
  })
}

function begunBy(events: readonly Event[]): string[] {
  return events.flatMap((event) => (event.type === 'block-start' ? [event.strategy] : []))
}

function openStarts(events: readonly Event[]): EventOf<'block-start'>[] {
  const ended = new Set(events.flatMap((event) => (event.type === 'block-end' ? [event.path] : [])))
  return events.filter((event) => event.type === 'block-start').filter(({ path }) => !ended.has(path))
}

function nameOf(identity: string): string {
  return identity.split('@')[0] ?? ''
}

function isCurrent(identity: string): boolean {
  return currentOf(identity) === identity
}

function currentOf(identity: string): string {
  const name = nameOf(identity)
  return `${name}@${STRATEGIES.get(name)?.version}`
}
