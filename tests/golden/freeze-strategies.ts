// Writes the frozen runs of the strategies as they are now: `node tests/golden/freeze-strategies.ts strategies-1`. Done once for each
// version of them; what is frozen is never written again. For every strategy a run that ended, with what is drawn of it, and one
// whose process died in the middle, with a step under way.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine } from '../../src/engine.ts'
import { type Event, emptyState, foldEvent } from '../../src/protocol/index.ts'
import { sqliteStore } from '../../src/store/sqlite.ts'
import { crashAt, manualClock, SimulatedCrash } from '../../src/testing/index.ts'
import { drawnRun } from './drawn-run.ts'
import { FROZEN_STRATEGIES, type FrozenGoal, frozenTools } from './frozen-strategies.ts'

const [, , name] = process.argv
if (name === undefined) fail('name what is frozen, such as strategies-1')
const folder = join(import.meta.dirname, 'frozen-strategies', name)
if (existsSync(folder)) fail(`${folder} is frozen: runs must stay as they were written`)
mkdirSync(folder, { recursive: true })
const file = join(folder, 'store.sqlite')
const workspace = mkdtempSync(join(tmpdir(), 'thinkon-freeze-'))
for (const [strategy, given] of Object.entries(FROZEN_STRATEGIES)) {
  const ended = await freeze(strategy, given, strategy)
  for (const form of ['txt', ...given.formats])
    writeFileSync(join(folder, `${strategy}.${form}`), `${drawnRun(ended, form)}\n`)
  const unfinished = await freeze(strategy, given, `${strategy}-unfinished`, middleOf(ended))
  console.log(`${strategy}: ${ended.length} events, died after ${unfinished.length}`)
}
const store = sqliteStore(file)
store.compact()
store.close()
rmSync(workspace, { recursive: true })
console.log(`frozen: ${folder}`)

/** Runs it until it ends, or until the store crashes with event `at`. */
async function freeze(strategy: string, given: FrozenGoal, id: string, at?: number): Promise<Event[]> {
  const opened = sqliteStore(file)
  const store = crashAt(opened, at)
  const engine = createEngine({
    model: 'embedded:abacus',
    store,
    clock: manualClock(),
    tools: frozenTools(strategy, workspace),
  })
  const { goal, options = {} } = given
  const run = await engine.start(goal, { strategy, id, seed: id, options })
  await run.outcome.catch((thrown: unknown) => {
    if (!(thrown instanceof SimulatedCrash)) throw thrown
  })
  const events = [...opened.read(id)]
  await engine.close()
  opened.close()
  return events
}

/** The start of a step in the middle half of the run, where the most blocks are open. */
function middleOf(events: readonly Event[]): number {
  const state = emptyState()
  let middle = { seq: 0, open: 0 }
  for (const event of events) {
    foldEvent(state, event)
    const isStep = event.type === 'model-start' || event.type === 'tool-start'
    const isInMiddle = event.seq > events.length / 4 && event.seq < (events.length * 3) / 4
    const open = [...state.blocks.values()].filter(({ outcome }) => outcome === null).length
    if (isStep && isInMiddle && open > middle.open) middle = { seq: event.seq, open }
  }
  return middle.seq
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
