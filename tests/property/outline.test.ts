// Whatever happened in a run: what is read of it with an outline is what is read without one.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadJournal } from '../../src/hosts/local/load.ts'
import { foldOpen, Outline } from '../../src/hosts/local/outline.ts'
import type { Draft, Store } from '../../src/kernel/store.ts'
import { type Event, emptyState, foldEvent, foldEvents } from '../../src/protocol/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { memoryPlace } from '../conformance/places.ts'
import { repetitions } from '../repetitions.ts'
import { runScenario, scenario } from './random-run.ts'

const RUNS = repetitions(100, 1_000)

/** The first events of a journal, and an outline that was kept when there were `kept` of them. */
async function storeWith(events: readonly Event[], kept: number): Promise<Store> {
  const store = memoryStore()
  const [first, ...rest] = events.map(draftOf) as [Draft, ...Draft[]]
  const epoch = store.create({ id: 'random', goal: 'g', strategy: 's' }, first)
  store.append('random', epoch, rest, false)
  const outline = new Outline()
  const state = emptyState()
  for (const event of events.slice(0, kept)) {
    foldEvent(state, event)
    outline.follow(event.path, event.type, state.activeMs)
  }
  if (kept === 0) return store
  const { changedAt, roles } = state
  const { learned } = await foldOpen(await storeWith(events.slice(0, kept), 0), 'random')
  outline.keep(store, 'random', { changedMs: Date.parse(changedAt), roles, learned })
  return store
}

function draftOf({ seq: _seq, ts, run: _run, ...body }: Event): Draft {
  return { ...body, atMs: Date.parse(ts) } as Draft
}

describe('an outline', () => {
  it('leaves a journal as it is loaded without it, and the state of what is open', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.nat(), fc.nat(), async (given, cut, keep) => {
        const ran = await runScenario(given, memoryPlace())
        await ran.close()
        const events = ran.events.slice(0, 1 + (cut % ran.events.length))
        const kept = 1 + (keep % events.length)
        const store = await storeWith(events, kept)
        const loaded = await loadJournal(store, 'random')
        const { outline, ...journal } = await loadJournal(await storeWith(events, 0), 'random')
        expect(loaded).toMatchObject(journal)
        expect(loaded.outline.seqs()).toEqual(outline.seqs())
        const { state } = await foldOpen(store, 'random')
        const whole = foldEvents(events)
        expect(state).toEqual({ ...whole, blocks: state.blocks })
        for (const [path, block] of whole.blocks) {
          const isOpen = block.outcome === null || whole.blocks.get(block.parent ?? '')?.outcome === null
          if (isOpen)
            expect({ path, ...state.blocks.get(path) }).toMatchObject({ path, outcome: block.outcome })
          if (block.outcome === null) expect(state.blocks.get(path)).toEqual(block)
        }
      }),
      { numRuns: RUNS, seed: 20_260 },
    )
  })
})
