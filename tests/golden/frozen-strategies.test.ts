// Runs of every strategy that ships, recorded by a released version (`thinkon <strategy> "…" --model embedded:abacus`) with what
// `show` and `show --format` drew then: they open, are drawn the same, and replay as long as the version of their strategies is the
// same. Never regenerated.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine } from '../../src/engine.ts'
import { type Event, emptyState, foldEvent } from '../../src/protocol/index.ts'
import { STRATEGIES } from '../../src/strategies/registry.ts'
import { SHIPPED_VIEWS } from '../../src/strategies/shipped-views.ts'
import { createDetails } from '../../src/views/details.ts'
import { formatRun } from '../../src/views/formats.ts'
import { plainText } from '../../src/views/line.ts'
import { progressLines } from '../../src/views/progress.ts'
import { langOf } from '../../src/views/words.ts'

const FROZEN = join(import.meta.dirname, 'frozen-strategies')

describe.each(readdirSync(FROZEN))('the frozen runs of %s', (version) => {
  const frozen = join(FROZEN, version)
  // A copy: what is frozen is not touched.
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-frozen-'))
  let engine: Engine
  const runs = new Map<string, string>()

  beforeAll(async () => {
    cpSync(join(frozen, 'store.sqlite'), join(folder, 'store.sqlite'))
    engine = createEngine({ store: join(folder, 'store.sqlite') })
    for (const { id, strategy } of await engine.list()) runs.set(strategy.split('@')[0] ?? '', id)
  })
  afterAll(async () => {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const journalOf = async (strategy: string) => [...(await engine.events(runs.get(strategy) ?? ''))]
  const drawn = readdirSync(frozen).filter((name) => extname(name) !== '.sqlite')

  it('replay equal, or say that a newer version of their strategy would do something else', async () => {
    expect([...runs.keys()].sort()).toEqual(['auto', 'cot', 'dual', 'fractal', 'minimal', 'planner', 'tot'])
    for (const [strategy, id] of runs) {
      const begun = (await journalOf(strategy)).filter((event) => event.type === 'block-start')
      const isSame = begun.every((event) => isCurrent(event.strategy))
      const { differences } = await engine.replay(id)
      if (isSame) expect([strategy, differences]).toEqual([strategy, []])
      else expect(differences.map(({ what }) => what).join()).toMatch(/differs in strategy/)
    }
  })

  it.each(drawn)('are drawn as they were: %s', async (name) => {
    const [strategy = '', form = ''] = name.split('.')
    const text = readFileSync(join(frozen, name), 'utf8').trimEnd()
    const journal = await journalOf(strategy)
    if (form === 'txt') expect(treeText(journal)).toBe(text.split('\n\n')[1])
    else if (form === 'messages') expect(messagesText(journal)).toBe(text)
    else expect(formatted(journal, form)).toBe(text)
  })
})

function isCurrent(identity: string): boolean {
  const [name = '', version] = identity.split('@')
  return STRATEGIES.get(name)?.version === Number(version)
}

function formatted(journal: readonly Event[], format: string): string {
  return formatRun(journal, SHIPPED_VIEWS, { format, lang: ({ goal }) => langOf(goal) }).text.trimEnd()
}

/** The tree as `show` draws it in a pipe. */
function treeText(journal: readonly Event[]): string {
  const state = emptyState()
  const details = createDetails(SHIPPED_VIEWS)
  for (const event of journal) {
    foldEvent(state, event)
    details.follow(event)
  }
  const nowMs = Date.parse(state.changedAt)
  return plainText(
    progressLines(state, { lang: langOf(state.goal), width: 99, maxLines: 200, nowMs, details }),
  )
}

function messagesText(journal: readonly Event[]): string {
  const view = SHIPPED_VIEWS.get('tot')
  const notes = journal.filter((event) => event.type === 'note')
  return plainText(
    notes.flatMap((event) => [view?.message?.(event, 500) ?? []].filter((line) => line.length > 0)),
  )
}
