/**
 * A run's journal as the processes of a cluster write it: the same events as on the local host, each record looked for
 * and written in one transaction, so that the first one wins and every process sees that one.
 *
 * What a block's code does next must not depend on who asks when. So each method gives back what is recorded, whether
 * this call wrote it or an earlier one did.
 */
import { systemClock } from '../../kernel/clock.ts'
import type { BlockAnswer, BlockFrame, Effect, Kernel, RunSpec, Said } from '../../kernel/durable.ts'
import type { RecordKind, SharedReader, SharedStore, SharedTransaction } from '../../kernel/store.ts'
import {
  type Event,
  type EventOf,
  type Limits,
  type LostStep,
  type OutageStep,
  parentPath,
  type Reserve,
  type Result,
  ROOT_PATH,
  type Usage,
} from '../../protocol/index.ts'
import { type BlockEnding, rootSpec, runResume, runStart } from '../shared/events.ts'
import { outageError } from '../shared/outage.ts'
import { Books } from './books.ts'
import { type CalledBlock, Desk, NO_PARENT, type StepEnd } from './desk.ts'
import { callIn, reserveKey } from './operations.ts'

export interface Waiting {
  readonly root: string | null
  /** Steps that were under way in the process that died, before the run came to the cluster: they are charged already. */
  readonly lost?: readonly LostStep[]
}

/** What every block of a run knows of it. */
export type RunFrame = Pick<BlockFrame, 'seed' | 'config'>

export class RunJournal {
  readonly run: string
  protected readonly store: SharedStore

  constructor(store: SharedStore, run: string) {
    this.store = store
    this.run = run
  }

  // --- blocks

  /** The run and its root block, unless they are there. */
  create(spec: RunSpec, kernel: Pick<Kernel, 'identify'>): Promise<void> {
    const { id, goal, strategy, limits, seed, config } = spec
    const identity = kernel.identify(strategy)
    return this.store.transact({ id, goal, strategy }, (tx) => {
      if (tx.seq > 0) return
      const desk = new Desk(tx)
      desk.append(ROOT_PATH, runStart(spec, identity))
      tx.setNote('frame', { seed, config } satisfies RunFrame)
      callIn(tx, desk, { n: 0, spec: rootSpec(spec) }, identity, limits)
      desk.save()
    })
  }

  endBlock(path: string, answer: BlockAnswer, ending: BlockEnding = {}): Promise<EventOf<'block-end'>> {
    const end = (tx: SharedTransaction) =>
      this.atDesk(tx, (desk) => endBlockIn(tx, desk, path, answer, ending))
    return this.transact(end)
  }

  // --- steps

  /** The first end wins. Without `usage` it has cost the call that it held, if it held one. */
  endStep(path: string, n: number, result: Result, usage?: Usage): Promise<StepEnd> {
    const end = (tx: SharedTransaction) =>
      this.atDesk(tx, (desk) => endStepIn(tx, desk, path, n, result, usage))
    return this.transact(end)
  }

  /** A part of a step that is paid, unless the step has ended meanwhile. */
  payPart(path: string, n: number, part: number, value: unknown, usage: Usage): Promise<void> {
    return this.transact((tx) => {
      if (tx.find(path, n, 'end') !== null || tx.find(path, n, `part-${part}`) !== null) return
      this.atDesk(tx, (desk) => desk.payPart(path, n, part, value, usage))
    })
  }

  timeLeftMs(path: string): Promise<number> {
    return this.peek((reader) => timeLeftIn(reader, path))
  }

  // --- outages

  /** The step's model is out, until a worker takes it up again. Returns the number of the last event. */
  noteOut(step: OutageStep): Promise<number> {
    return this.transact((tx) => {
      tx.setNote('out', [...outIn(tx, step), step])
      return tx.seq
    })
  }

  /**
   * The run waits if nothing has happened since `seq` and no step is open but those whose models are out, or that wait for their turn.
   * Returns the number of the last event.
   */
  waitIfQuiet(seq: number): Promise<number> {
    return this.transact((tx) => {
      const desk = new Desk(tx)
      const steps = outIn(tx).filter(({ path, n }) => tx.find(path, n, 'end') === null)
      const idle = desk.waitingSteps.filter(({ begun }) => begun)
      if (tx.seq !== seq || desk.books.clock.openSteps !== steps.length + idle.length) return tx.seq
      // None of them is lost: they are performed again when the run is resumed, and ask again for what they need.
      for (const { path, n } of [...steps, ...idle])
        desk.setHold(path, n, { ...desk.hold(path, n), by: null })
      desk.leave((waiting) => idle.some(({ path, n }) => waiting.path === path && waiting.n === n))
      desk.append(ROOT_PATH, { type: 'run-wait', steps })
      desk.save()
      tx.setNote('out', [])
      tx.setNote('failure', outageError(this.run, steps).toJSON())
      tx.setNote('waiting', { root: tx.note<string>(`invocation ${ROOT_PATH}`) } satisfies Waiting)
      return tx.seq
    })
  }

  /** A run that waits is to go on, in another life and with raised limits. False if it does not wait. Waiting is not active time. */
  endWaiting(budget?: Partial<Limits>): Promise<boolean> {
    return this.transact((tx) => {
      const waiting = waitingIn(tx)
      if (waiting === null) return false
      const generation = generationIn(tx) + 1
      const desk = new Desk(tx, false)
      const limits = desk.raise(this.run, budget)
      desk.append(ROOT_PATH, runResume(generation, waiting.lost ?? [], limits))
      desk.admission.next()
      desk.save()
      tx.setNote('generation', generation)
      tx.setNote('waiting', null)
      tx.setNote('failure', null)
      return true
    })
  }

  /** Which life in the engine this is. */
  generation(): Promise<number> {
    return this.peek(generationIn)
  }

  // --- reading

  peek<T>(action: (reader: SharedReader) => T): Promise<T> {
    return this.store.peek(this.run, action)
  }

  transact<T>(action: (tx: SharedTransaction) => T, flush?: boolean): Promise<T> {
    return this.store.transact(this.run, action, flush)
  }

  note<T>(key: string): Promise<T | null> {
    return this.peek((reader) => reader.note<T>(key))
  }

  setNote(key: string, value: unknown): Promise<void> {
    return this.transact((tx) => tx.setNote(key, value))
  }

  find(path: string, n: number, kind: RecordKind): Promise<Event | null> {
    return this.peek((reader) => reader.find(path, n, kind))
  }

  protected atDesk<T>(tx: SharedTransaction, act: (desk: Desk) => T): T {
    const desk = new Desk(tx)
    const value = act(desk)
    desk.save()
    return value
  }
}

export function calledIn(reader: SharedReader, path: string): CalledBlock | null {
  return reader.note<CalledBlock>(`block ${path}`)
}

/** Null while it waits for its turn. */
export function blockStartIn(reader: SharedReader, { n, spec }: CalledBlock): EventOf<'block-start'> | null {
  return reader.find(parentPath(spec.path) ?? NO_PARENT, n, 'start') as EventOf<'block-start'> | null
}

export function blockEndIn(reader: SharedReader, { n, spec }: CalledBlock): EventOf<'block-end'> | null {
  return reader.find(parentPath(spec.path) ?? NO_PARENT, n, 'end') as EventOf<'block-end'> | null
}

export function endBlockIn(
  tx: SharedTransaction,
  desk: Desk,
  path: string,
  answer: BlockAnswer,
  ending: BlockEnding,
): EventOf<'block-end'> {
  return blockEndIn(tx, calledIn(tx, path) as CalledBlock) ?? desk.endBlock(path, answer, ending)
}

export function endStepIn(
  tx: SharedTransaction,
  desk: Desk,
  path: string,
  n: number,
  result: Result,
  usage?: Usage,
): StepEnd {
  return (tx.find(path, n, 'end') as StepEnd | null) ?? desk.endStep(path, n, result, usage)
}

export function generationIn(reader: SharedReader): number {
  return reader.note<number>('generation') ?? 1
}

/** Set while the run waits for its models; `root` is the invocation of its root block. */
export function waitingIn(reader: SharedReader): Waiting | null {
  return reader.note<Waiting>('waiting')
}

/** The steps whose models are out, but this one. */
export function outIn(reader: SharedReader, but?: { path: string; n: number }): readonly OutageStep[] {
  const out = reader.note<readonly OutageStep[]>('out') ?? []
  return out.filter(({ path, n }) => path !== but?.path || n !== but.n)
}

export function timeLeftIn(reader: SharedReader, path: string): number {
  return new Books(reader, systemClock.nowMs()).of(path).left.timeMs
}

/** The run's, as recorded. */
export function runFrameIn(reader: SharedReader): RunFrame {
  return reader.note<RunFrame>('frame') as RunFrame
}

/** The frame that the kernel solves a block in. */
export function frameIn(
  reader: SharedReader,
  run: string,
  path: string,
): Pick<BlockFrame, 'run' | 'maxLevel' | 'seed' | 'config'> {
  const { maxLevel } = new Books(reader, systemClock.nowMs()).of(path)
  const { seed, config } = runFrameIn(reader)
  return { run, maxLevel, seed, config }
}

/** The effect of a step, as its record has it; null while it waits for its turn. */
export function effectIn(reader: SharedReader, path: string, n: number): Effect | null {
  const start = reader.find(path, n, 'start')
  if (start?.type === 'tool-start') {
    const { name, input, access, denied, hidden, reserve } = start
    return { kind: 'tool', name, input, access, denied, hidden, reserve }
  }
  if (start?.type !== 'model-start') return null
  const input = reader.note<unknown>(`input ${path} ${n}`)
  const request = input === null ? start.request : { ...start.request, input }
  const said = reader.note<Said>(`said ${path} ${n}`)
  const reserve = reader.note<Reserve>(reserveKey(path, n)) ?? start.reserve
  const effect: Effect = { kind: 'model', request, reserve, closing: start.closing === true }
  return said === null ? effect : { ...effect, said }
}
