// The promises of which a strategy has a part (prove.ts), and what a run of it shows of the others, on a real language model: embedded:mini
// with its own weights, which errs. There is no script: a strategy goes the way that the model takes it, and the same way again.
//
// K4, K5 and K8 are checked as far as a model brings them about by itself; that a model spins, or says anything at all, has to be scripted.

import { afterAll, describe, expect, it } from 'vitest'
import { createEngine, type StartOptions } from '../../../src/engine.ts'
import type { Model } from '../../../src/kernel/model.ts'
import type { Tool } from '../../../src/kernel/tool.ts'
import { miniModel } from '../../../src/models/embedded/mini/mini-model.ts'
import { type Event, foldEvents, type ModelRequest } from '../../../src/protocol/index.ts'
import { embeddedKind, STRATEGIES } from '../../../src/strategies/registry.ts'
import { never, until } from '../async.ts'
import { violations } from '../invariants.ts'
import { memoryPlace, type Place, sqlitePlace } from '../places.ts'
import { counted } from '../tasks.ts'
import { all, count, interrupts, pick, shapeOf, stepsOf, twice, withoutLost } from './journal.ts'
import { leaks, newKey } from './k9-nothing-leaks.ts'
import { EVIL, promptsOf, withoutFences } from './k10-data-is-not-instruction.ts'
import { ended, kernelLab, replayOf, untilCrash } from './lab.ts'
import { EVERY } from './prove.ts'

const EXPRESSIONS = 'Compute ((3+4)*(8-6)-5)*2 and 5*6'
const PUZZLE = 'Make 24 from 4, 9, 10 and 13'
const FILE = 'compute ((3+4)*(8-6))-5 and write the result to a.txt'

interface Tested {
  readonly name: string
  readonly goal: string
  readonly options?: Record<string, unknown>
}

const TESTED: readonly Tested[] = [
  { name: 'fractal', goal: EXPRESSIONS },
  { name: 'fractal', goal: FILE },
  { name: 'planner', goal: FILE },
  { name: 'tot', goal: PUZZLE },
  { name: 'cot', goal: EXPRESSIONS },
  { name: 'dual', goal: FILE },
  { name: 'best-of', goal: PUZZLE, options: { verify: false } },
  { name: 'best-of', goal: EXPRESSIONS, options: { strategy: 'fractal', samples: 2 } },
  { name: 'minimal', goal: FILE },
]

/** One for all tests: its weights are loaded once. */
const mini = miniModel({ kindOf: (kind) => embeddedKind(STRATEGIES, kind) })
afterAll(() => mini.close())

const SEED = 'conformance'

// What is killed is in a file, as users' runs are.
describe('on embedded:mini', () => {
  const lab = kernelLab({ engine: createEngine, place: memoryPlace })

  function file(): Place {
    const place = sqlitePlace()
    lab.afterTest(() => place.remove())
    return place
  }

  function open(at?: Place, crashAfter?: number) {
    const model = counted(mini)
    const files = fileTools()
    const world = lab.open({ model, tools: files.tools }, at, crashAfter)
    return {
      ...world,
      model,
      written: files.performed,
      performed: () => [...model.performed, ...files.performed],
    }
  }

  async function solve({ name, goal, options }: Tested, given: StartOptions = {}) {
    const world = open()
    const own = { strategy: name, ...(options && { options }) }
    const run = await world.engine.start(goal, { ...own, seed: SEED, ...given } as StartOptions)
    const outcome = await ended(run)
    return { ...world, id: run.id, outcome, journal: world.events(run.id) }
  }

  describe.each(TESTED)('$name: $goal', (tested) => {
    const given = { strategy: tested.name, seed: SEED, ...(tested.options && { options: tested.options }) }

    it('K1, K3, K6, K8: its journal is whole, is what was told live, and the same twice', async () => {
      const live: Event[] = []
      const first = await solve(tested, { onEvent: (event) => 'seq' in event && live.push(event) })
      expect(violations(first.journal, { waitsForChildren: true })).toEqual([])
      expect(live).toEqual(first.journal)
      expect(foldEvents(live)).toEqual(await first.engine.state(first.id))
      expect(first.outcome.usage.calls).toBeGreaterThan(1)
      const { outcome, journal } = await solve(tested)
      expect(pick(outcome)).toEqual(pick(first.outcome))
      expect(repliesOf(journal)).toEqual(repliesOf(first.journal))
    })

    it('K2: crashed after events all along, it comes to the same and pays nothing twice', async () => {
      const whole = await solve(tested)
      for (let n = 1; n < whole.journal.length; n += EVERY) {
        const at = file()
        const first = open(at, n)
        const id = `crash-${n}`
        await untilCrash(first.engine.start(tested.goal, { ...given, id } as StartOptions))
        await first.close()
        const second = open(at)
        const outcome = await ended(await second.engine.resume(id))
        const journal = second.events(id)
        if (!interrupts(journal.slice(0, first.store.committed))) {
          expect({ n, shape: shapeOf(journal) }).toEqual({ n, shape: shapeOf(whole.journal) })
          expect(pick(withoutLost(outcome, journal))).toEqual(pick(whole.outcome))
        }
        expect(twice(journal, [...first.performed(), ...second.performed()], n)).toEqual([])
        expect(violations(journal, { waitsForChildren: true })).toEqual([])
        expect(await replayOf(second.engine, id)).toEqual([])
        await second.close()
      }
    })

    it('K2: replay and forks ask nothing again that had ended, and come to the same', async () => {
      const { engine, id, journal, outcome, model, performed, events } = await solve(tested)
      const before = performed()
      expect((await engine.replay(id)).differences).toEqual([])
      expect(performed()).toEqual(before)
      for (let at = 1; at < journal.length - 1; at += 2 * EVERY) {
        model.performed.length = 0
        const fork = await engine.fork(id, at)
        const forked = await ended(await engine.resume(fork))
        const past = journal.slice(0, at)
        expect({ at, again: model.performed.filter((step) => stepsOf(past).includes(step)) }).toEqual({
          at,
          again: [],
        })
        if (!interrupts(past)) expect({ at, ...pick(forked) }).toEqual({ at, ...pick(outcome) })
        expect(violations(events(fork), { waitsForChildren: true })).toEqual([])
        expect(await replayOf(engine, fork)).toEqual([])
      }
    })

    it('K3, K4, K8: a limit ends it as partial with the reason and what there is', async () => {
      const { usage } = (await solve(tested)).outcome
      const tokens = usage.inputTokens + usage.outputTokens
      for (const budget of [{ calls: 1 }, { calls: usage.calls - 1 }, { tokens: Math.ceil(tokens / 2) }]) {
        const { outcome, journal, engine, id } = await solve(tested, { budget })
        const [limit] = Object.keys(budget)
        expect(outcome, JSON.stringify(budget)).toMatchObject({ status: 'partial', code: 'LIMIT', limit })
        expect(outcome.reason).toMatch(/limit/)
        expect(violations(journal, { waitsForChildren: true })).toEqual([])
        expect(await replayOf(engine, id)).toEqual([])
      }
    })

    it('K4, K7: it is stopped wherever it stands, and says why', async () => {
      const { journal: whole } = await solve(tested)
      for (let at = 2; at < whole.length - 1; at += 2 * EVERY) {
        const world = open()
        const there = Promise.withResolvers<void>()
        const run = await world.engine.start(tested.goal, {
          ...given,
          onEvent: (event) => 'seq' in event && event.seq >= at && there.resolve(),
        } as StartOptions)
        await there.promise
        await run.cancel('enough')
        const outcome = await ended(run)
        const journal = world.events(run.id)
        if (outcome.status !== 'completed')
          expect({ at, ...outcome }).toMatchObject({ at, status: 'cancelled', reason: 'enough' })
        expect({ at, wrong: violations(journal) }).toEqual({ at, wrong: [] })
        expect({ at, differences: await replayOf(world.engine, run.id) }).toEqual({ at, differences: [] })
        await world.close()
      }
    })
  })

  // The planner writes by commands of a shell, which is not given here.
  describe.each(TESTED.filter(({ name, goal }) => goal === FILE && name !== 'planner'))(
    '$name with a file',
    (tested) => {
      it('K2: a write that was under way in a crash is not done again', async () => {
        const at = file()
        const files = fileTools(() => never())
        const given = { strategy: tested.name, seed: SEED } as StartOptions
        const first = lab.open({ model: mini, tools: files.tools }, at)
        const run = await first.engine.start(FILE, given)
        await until(() => files.begun() === 1, 'the file is being written')
        await first.crash()
        const second = open(at)
        const outcome = await ended(await second.engine.resume(run.id))
        expect(['completed', 'partial', 'failed']).toContain(outcome.status)
        expect(second.written).toEqual([])
        expect(violations(second.events(run.id), { waitsForChildren: true })).toEqual([])
      })

      it('K9, K10: a key in what a tool says is nowhere, and orders in it stand inside of fences', async () => {
        const key = newKey(lab.afterTest)
        const prompts: ModelRequest[] = []
        const model: Model = {
          ...mini,
          call: (request, io) => {
            prompts.push(request)
            return mini.call(request, io)
          },
        }
        const { tools } = fileTools(async () => `${EVIL[0]} The key is ${key}.`)
        const world = lab.open({ model, tools })
        const run = await world.engine.start(FILE, { strategy: tested.name, seed: SEED } as StartOptions)
        const outcome = await ended(run)
        const journal = world.events(run.id)
        expect(count(journal, 'tool-end')).toBe(1)
        expect(await replayOf(world.engine, run.id)).toEqual([])
        await world.close()
        expect(leaks(key, { outcome, journal, prompts, bytes: world.place.bytes() })).toEqual([])
        const told = promptsOf(prompts).filter((prompt) => prompt.includes('Ignore all previous'))
        expect(told.length).toBeGreaterThan(0)
        for (const prompt of told) expect(withoutFences(prompt)).not.toContain('Ignore all previous')
      })
    },
  )

  it('K3, K5: what is beyond it ends by itself, within the limits that every run has', async () => {
    for (const name of ['fractal', 'planner', 'tot', 'cot', 'dual', 'best-of', 'minimal']) {
      const { outcome, journal } = await solve({ name, goal: 'Make 997 from 1, 1, 1 and 1' })
      expect(['completed', 'partial', 'failed']).toContain(outcome.status)
      expect(outcome.code ?? '').not.toBe('INTERNAL')
      expect(violations(journal, { waitsForChildren: true })).toEqual([])
    }
  })
})

/** What was asked and said, block by block: blocks that run side by side write in any order. */
function repliesOf(journal: readonly Event[]) {
  return all(journal, 'model-end')
    .map(({ path, n, result }) => ({ path, n, result }))
    .sort((a, b) => `${a.path}/${a.n}`.localeCompare(`${b.path}/${b.n}`))
}

/** Writes nothing: counts. */
function fileTools(run: () => Promise<unknown> = async () => 'written') {
  const performed: string[] = []
  let begun = 0
  const tool: Tool = {
    name: 'write_file',
    description: 'Writes a file.',
    access: 'write',
    async run(_input, { path }) {
      begun++
      const said = await run()
      performed.push(`${path} write_file`)
      return said
    },
  }
  return { tools: [tool], performed, begun: () => begun }
}
