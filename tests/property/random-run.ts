// Runs that do anything: the model's moves, its failures, the tools' crashes, what a person sends in and where the process
// dies all come from a few numbers, so that fast-check can search them and make a failure small.

import fc from 'fast-check'
import { createEngine, type Engine, type Run } from '../../src/engine.ts'
import type { Model } from '../../src/kernel/model.ts'
import { seededRandom } from '../../src/kernel/random.ts'
import type { Store } from '../../src/kernel/store.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { type Event, foldEvents, type Limits, levelOf, ThinkonError } from '../../src/protocol/index.ts'
import { crashAt, type MortalStore, SimulatedCrash } from '../../src/testing/index.ts'
import { inTime, turns } from '../conformance/async.ts'
import type { Place } from '../conformance/places.ts'
import { wild } from './wild-strategy.ts'

export interface Scenario {
  /** `minimal` waits for what it starts; `wild` does with a Context all that can be done. */
  strategy: 'minimal' | 'wild'
  /** Decides every move of every block. */
  seed: number
  /** How many moves a block makes at most before it returns. */
  moves: number
  /** In percent: model errors, malformed replies, tool crashes. */
  failures: number
  /** Effects take up to so many turns of the event loop. */
  slowness: number
  limits: Partial<Limits>
  signals: SentSignal[]
  /** The process dies after so many events, counted anew after each resume. */
  crashes: number[]
}

export interface SentSignal {
  /** Sent when the journal has so many events. */
  after: number
  /** Which of the blocks that there are then. */
  block: number
  name: 'skip' | 'redo' | 'message' | 'cancel' | 'answer'
}

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  strategy: fc.constantFrom('minimal', 'wild'),
  seed: fc.nat(1_000_000),
  moves: fc.integer({ min: 1, max: 4 }),
  failures: fc.constantFrom(0, 10, 30),
  slowness: fc.integer({ min: 0, max: 4 }),
  limits: fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.record(
        {
          depth: fc.integer({ min: 0, max: 4 }),
          calls: fc.integer({ min: 0, max: 60 }),
          tokens: fc.integer({ min: 0, max: 60_000 }),
        },
        { requiredKeys: [] },
      ),
    },
  ),
  signals: fc.array(
    fc.record({
      after: fc.integer({ min: 1, max: 100 }),
      block: fc.nat(8),
      name: fc.constantFrom('skip', 'redo', 'message', 'cancel', 'answer'),
    }),
    { maxLength: 5 },
  ),
  crashes: fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 3 }),
})

export interface Ran {
  events: Event[]
  engine: Engine
  id: string
  /** Steps that were performed though they had ended before, and writes that were performed twice (K2). */
  repeated: string[]
  close(): Promise<void>
}

/**
 * Runs it to its end, through all its crashes. Fails when it hangs. `onRun` is told of the run, and of it again after each crash; models
 * stream only for it.
 */
export async function runScenario(given: Scenario, place: Place, onRun?: (run: Run) => void): Promise<Ran> {
  const id = 'random'
  const repeated: string[] = []
  const written = new Set<string>()
  let store: Store | null = null
  const performing = (path: string, n: number, write: boolean) => {
    const key = `${path}/${n}`
    const over = store?.has(id) && [...store.read(id)].some((event) => isEnd(event, path, n))
    if (over || (write && written.has(key))) repeated.push(key)
    if (write) written.add(key)
  }
  const model = randomModel(given, performing, onRun !== undefined)
  const tools = randomTools(given, performing)
  const sent = new Set<SentSignal>()
  for (const crash of [...given.crashes, Number.POSITIVE_INFINITY]) {
    const mortal = crashAt(place.open(), crash)
    store = mortal
    const engine = createEngine({ model, tools, store: mortal, strategies: [wild] })
    const person = new Person(engine, mortal, id, given.signals, sent)
    const close = async () => {
      await engine.close()
      mortal.close()
    }
    try {
      const run = mortal.has(id)
        ? await engine.resume(id, { onEvent: () => person.look() })
        : await engine.start('root', {
            id,
            seed: String(given.seed),
            strategy: given.strategy,
            options: given.strategy === 'wild' ? { moves: given.moves * 3 } : {},
            budget: { depth: 3, calls: 200, ...given.limits },
            onEvent: () => person.look(),
          })
      onRun?.(run)
      await inTime(person.whileItRuns(run), 'the run ends', HANG_MS)
      return { events: [...mortal.read(id)], engine, id, repeated, close }
    } catch (error) {
      await close()
      if (!mortal.crashed) throw error
    }
  }
  throw new Error('a run can not crash for ever')
}

const HANG_MS = 10_000

/** Sends the scenario's signals in when it is time for them, and answers what nobody else does. */
class Person {
  private readonly engine: Engine
  private readonly store: MortalStore
  private readonly id: string
  private readonly signals: readonly SentSignal[]
  private readonly sent: Set<SentSignal>
  private looking = false

  constructor(
    engine: Engine,
    store: MortalStore,
    id: string,
    signals: readonly SentSignal[],
    sent: Set<SentSignal>,
  ) {
    this.engine = engine
    this.store = store
    this.id = id
    this.signals = signals
    this.sent = sent
  }

  look(): void {
    if (this.looking || this.sent.size === this.signals.length) return
    this.looking = true
    queueMicrotask(() => {
      this.looking = false
      if (!this.store.crashed) this.send()
    })
  }

  async whileItRuns(run: Run): Promise<void> {
    let over = false
    const ended = run.outcome.finally(() => {
      over = true
    })
    ended.catch(() => {})
    this.look()
    for (let idle = 0; !over; idle++) {
      await turns(1)
      if (idle % 20 === 19 && !this.store.crashed) await this.answerAll(run)
    }
    await ended
  }

  private send(): void {
    const events = [...this.store.read(this.id)]
    const blocks = events.filter((event) => event.type === 'block-start').map((event) => event.path)
    for (const signal of this.signals) {
      if (this.sent.has(signal) || events.length < signal.after || blocks.length === 0) continue
      this.sent.add(signal)
      const path = blocks[signal.block % blocks.length] as string
      // A redo of a run that goes on is for its children.
      if (signal.name === 'redo' && path === '1') continue
      const value = `a person's ${signal.name}`
      if (signal.name === 'answer') this.answer(path, value)
      else this.engine.signal(this.id, path, signal.name, value).catch(ignoreCrash)
    }
  }

  private answer(path: string, value: string): void {
    const [open] = foldEvents(this.store.read(this.id)).blocks.get(path)?.questions ?? []
    if (open === undefined) return
    this.engine.answer(this.id, value, { question: open.id }).catch(ignoreAnswered)
  }

  private async answerAll(run: Run): Promise<void> {
    const { blocks } = foldEvents(this.store.read(this.id))
    for (const { questions } of blocks.values()) {
      for (const { id } of questions) await run.answer('at last', { question: id }).catch(ignoreAnswered)
    }
  }
}

/** What is open in the journal may have its answer in the inbox. */
export function ignoreAnswered(error: unknown): void {
  if ((error as { code?: string }).code !== 'QUESTION_NOT_OPEN') ignoreCrash(error)
}

function ignoreCrash(error: unknown): void {
  if (!(error instanceof SimulatedCrash)) throw error
}

type Performing = (path: string, n: number, write: boolean) => void

/** Says the same for the same place in the run, however often it is asked. */
function randomModel(
  { seed, moves, failures, slowness }: Scenario,
  performing: Performing,
  streams: boolean,
): Model {
  return {
    id: 'random',
    async call(request, { path, n, signal, onDelta }) {
      performing(path, n, false)
      const random = seededRandom(`${seed}/${path}/${n}`)
      await turns(Math.floor(random() * (slowness + 1)))
      signal.throwIfAborted()
      const usage = { inputTokens: 10 + Math.floor(random() * 200), outputTokens: Math.floor(random() * 500) }
      if (random() * 200 < failures)
        throw new ThinkonError('MODEL_ERROR', 'the model is out', { retryable: true })
      if (random() * 200 < failures) return { text: 'Certainly! {', usage }
      const last = request.kind === 'minimal/close' || n > moves * 3
      const value = last ? { do: 'return', result: `end of ${path}` } : randomMove(random, path, n)
      const text = JSON.stringify(value)
      if (streams) await writeInPieces(text, seededRandom(`${seed}/${path}/${n}/pieces`), slowness, onDelta)
      return { text, value, usage }
    },
  }
}

async function writeInPieces(
  text: string,
  random: () => number,
  slowness: number,
  onDelta: (piece: string) => void,
): Promise<void> {
  for (let at = 0; at < text.length; ) {
    const size = 1 + Math.floor(random() * 12)
    onDelta(text.slice(at, at + size))
    at += size
    if (random() * 12 < slowness) await turns(1)
  }
}

function randomMove(random: () => number, path: string, n: number): unknown {
  const pick = (count: number) => Math.floor(random() * count)
  const deep = levelOf(path) >= 3
  // The root begins with children, so that most runs are trees.
  switch (path === '1' && n === 1 ? 5 : pick(deep ? 5 : 7)) {
    case 0:
      return { do: 'return', result: pick(4) === 0 ? '' : `result of ${path}` }
    case 1:
      return { do: 'note', name: 'thought', data: { at: path, value: pick(100) } }
    case 2:
      return { do: 'plan', todo: pick(2) === 0 ? 'a plan' : ['one', 'two'] }
    case 3: {
      const calls = Array.from({ length: 1 + pick(3) }, () => ({
        name: ['look', 'build', 'nothing'][pick(3)],
        input: pick(3),
      }))
      return { do: 'tool', calls }
    }
    case 4:
      if (pick(3) === 0)
        return { do: 'return', status: 'failed', result: 'some', reason: 'it can not be done' }
      return {
        do: 'ask',
        question: { text: 'well?', fallback: 'yes' },
        ...(pick(2) === 0 ? { timeoutMs: pick(3) } : {}),
      }
    default: {
      const goals = Array.from({ length: 1 + pick(3) }, () => `goal ${pick(4)}`)
      const budget = pick(4) === 0 ? { budget: { calls: 1 + pick(10), depth: pick(3) } } : {}
      return { do: 'call', goals, first: pick(3) === 0, ...budget }
    }
  }
}

function randomTools({ seed, failures, slowness }: Scenario, performing: Performing): Tool[] {
  const tool = (name: string, access: Tool['access']): Tool => ({
    name,
    description: name,
    access,
    async run(input, io) {
      const { n } = io as unknown as { n: number }
      performing(io.path, n, access === 'write')
      const random = seededRandom(`${seed}/${io.path}/${n}/tool`)
      await turns(Math.floor(random() * (slowness + 1)))
      io.signal.throwIfAborted()
      if (random() * 100 < failures) throw new Error(`${name} crashed`)
      return { name, input }
    },
  })
  return [tool('look', 'read'), tool('build', 'write')]
}

function isEnd(event: Event, path: string, n: number): boolean {
  return (event.type === 'model-end' || event.type === 'tool-end') && event.path === path && event.n === n
}
