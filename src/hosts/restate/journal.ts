/**
 * A run's journal as the processes of a cluster write it: the same events as on the local host, each record looked for
 * and written in one transaction, so that the first one wins and every process sees that one.
 *
 * What a block's code does next must not depend on who asks when. So each method gives back what is recorded, whether
 * this call wrote it or an earlier one did.
 */
import { NOTHING } from '../../kernel/budget.ts'
import { systemClock } from '../../kernel/clock.ts'
import type {
  BlockAnswer,
  BlockFrame,
  BlockSpec,
  Effect,
  Emission,
  Kernel,
  RunSpec,
} from '../../kernel/durable.ts'
import type { RecordKind, SharedReader, SharedStore, SharedTransaction } from '../../kernel/store.ts'
import {
  type ErrorData,
  type Event,
  type EventBody,
  type EventOf,
  type EventType,
  errorData,
  type Limits,
  type OutageStep,
  parentPath,
  type Result,
  ROOT_PATH,
  type Usage,
} from '../../protocol/index.ts'
import { type BlockEnding, blockStart, rootSpec, runResume, runStart, stepStart } from '../shared/events.ts'
import { outageError } from '../shared/outage.ts'
import { checkSameOperation, FAILED_VERSION, operationName } from '../shared/records.ts'
import { Books } from './books.ts'
import { type CalledBlock, Desk, NO_PARENT, queuedKey, type StartBody, type StepEnd } from './desk.ts'

interface Waiting {
  readonly root: string | null
}

/** The start of an operation. */
export type Made = EventBody & { run: string; path: string }

/** What every block of a run knows of it. */
type RunFrame = Pick<BlockFrame, 'seed' | 'config'>

export class RunJournal {
  readonly run: string
  protected readonly store: SharedStore

  constructor(store: SharedStore, run: string) {
    this.store = store
    this.run = run
  }

  // --- blocks

  /** The run and its root block, unless they are there. */
  create(spec: RunSpec, kernel: Pick<Kernel, 'identify'>): void {
    const { id, goal, strategy, limits, seed, config } = spec
    const identity = kernel.identify(strategy)
    this.store.transact({ id, goal, strategy }, (tx) => {
      if (tx.seq > 0) return
      const desk = new Desk(tx)
      desk.append(ROOT_PATH, runStart(spec, identity))
      tx.setNote('frame', { seed, config } satisfies RunFrame)
      callBlock(tx, desk, { n: 0, spec: rootSpec(spec) }, identity, limits)
      desk.save()
    })
  }

  /** A block begins in its turn. */
  call(path: string, n: number, child: BlockSpec, kernel: Kernel): void {
    this.once(path, n, 'block-start', child.path, (tx) => {
      let identity: string | ErrorData
      try {
        identity = kernel.identify(child.strategy)
      } catch (thrown) {
        identity = errorData(thrown, 'NO_SUCH_STRATEGY')
      }
      const desk = new Desk(tx)
      callBlock(tx, desk, { n, spec: child }, identity, child.limits ?? null)
      desk.save()
    })
  }

  called(path: string): CalledBlock | null {
    return this.store.peek(this.run, (reader) => reader.note<CalledBlock>(`block ${path}`))
  }

  /** Null while it waits for its turn. */
  blockStart({ n, spec }: CalledBlock): EventOf<'block-start'> | null {
    return this.find(parentPath(spec.path) ?? NO_PARENT, n, 'start') as EventOf<'block-start'> | null
  }

  blockEnd({ n, spec }: CalledBlock): EventOf<'block-end'> | null {
    return this.find(parentPath(spec.path) ?? NO_PARENT, n, 'end') as EventOf<'block-end'> | null
  }

  /** The run's, as recorded. */
  get config(): BlockFrame['config'] {
    return this.store.peek(this.run, (reader) => (reader.note<RunFrame>('frame') as RunFrame).config)
  }

  /** The frame that the kernel solves a block in. */
  frame(path: string): Pick<BlockFrame, 'run' | 'maxLevel' | 'seed' | 'config'> {
    return this.store.peek(this.run, (reader) => {
      const { maxLevel } = new Books(reader, systemClock.nowMs()).of(path)
      const { seed, config } = reader.note<RunFrame>('frame') as RunFrame
      return { run: this.run, maxLevel, seed, config }
    })
  }

  endBlock(path: string, answer: BlockAnswer, ending: BlockEnding = {}): EventOf<'block-end'> {
    return this.store.transact(
      this.run,
      (tx) => {
        const { n } = tx.note<CalledBlock>(`block ${path}`) as CalledBlock
        const recorded = tx.find(parentPath(path) ?? NO_PARENT, n, 'end')
        if (recorded !== null) return recorded as EventOf<'block-end'>
        const desk = new Desk(tx)
        const end = desk.endBlock(path, answer, ending)
        desk.save()
        return end
      },
      path === ROOT_PATH,
    )
  }

  // --- steps

  /** Recorded when it is admitted, before it is performed; a refusal by a limit is its recorded end. */
  beginStep(path: string, n: number, effect: Effect): void {
    const [type, name] =
      effect.kind === 'model'
        ? (['model-start', effect.request.kind] as const)
        : (['tool-start', effect.name] as const)
    this.once(path, n, type, name, (tx) => {
      const desk = new Desk(tx)
      // The journal holds the messages that were rendered from the input, not the input.
      if (effect.kind === 'model') tx.setNote(`input ${path} ${n}`, effect.request.input ?? null)
      desk.beginStep({ ...stepStart(n, effect, effect.reserve), path })
      desk.save()
    })
  }

  /** The effect of a step, as its record has it; null while it waits for its turn. */
  effectOf(path: string, n: number): Effect | null {
    const start = this.find(path, n, 'start')
    if (start?.type === 'tool-start') {
      const { name, input, access, denied, hidden, reserve } = start
      return { kind: 'tool', name, input, access, denied, hidden, reserve }
    }
    if (start?.type !== 'model-start') return null
    const input = this.store.peek(this.run, (reader) => reader.note<unknown>(`input ${path} ${n}`))
    const request = input === null ? start.request : { ...start.request, input }
    return { kind: 'model', request, reserve: start.reserve, closing: start.closing === true }
  }

  /** The first end wins. Without `usage` it has cost the call that it held, if it held one. */
  endStep(path: string, n: number, result: Result, usage?: Usage): StepEnd {
    return this.store.transact(
      this.run,
      (tx) => {
        const recorded = tx.find(path, n, 'end')
        if (recorded !== null) return recorded as StepEnd
        const desk = new Desk(tx)
        const end = desk.endStep(path, n, result, usage)
        desk.save()
        return end
      },
      true,
    )
  }

  /** A part of a step that is paid, unless the step has ended meanwhile. */
  payPart(path: string, n: number, part: number, value: unknown, usage: Usage): void {
    this.store.transact(
      this.run,
      (tx) => {
        if (tx.find(path, n, 'end') !== null || tx.find(path, n, `part-${part}`) !== null) return
        const desk = new Desk(tx)
        desk.payPart(path, n, part, value, usage)
        desk.save()
      },
      true,
    )
  }

  timeLeftMs(path: string): number {
    return this.store.peek(this.run, (reader) => {
      return new Books(reader, systemClock.nowMs()).of(path).left.timeMs
    })
  }

  // --- what has no end of its own

  emit(path: string, n: number, emission: Emission): void {
    const body = { ...emission, n } as EventBody
    this.once(path, n, body.type, operationName(body), (tx) => this.appendSingle(tx, path, n, body))
  }

  won(path: string, n: number, winner: number): EventOf<'first-won'> {
    this.once(path, n, 'first-won', '', (tx) =>
      this.appendSingle(tx, path, n, { type: 'first-won', n, winner }),
    )
    return this.find(path, n, 'start') as EventOf<'first-won'>
  }

  // --- outages

  /** Set while the run waits for its models; `root` is the invocation of its root block. */
  get waiting(): Waiting | null {
    return this.note<Waiting>('waiting')
  }

  /** The run waits if nothing has happened since `seq` and no step is open but these, whose models are out. */
  waitIfQuiet(seq: number, steps: readonly OutageStep[]): void {
    this.store.transact(this.run, (tx) => {
      const desk = new Desk(tx)
      const idle = desk.waitingSteps.filter(({ begun }) => begun)
      if (tx.seq !== seq || desk.books.clock.openSteps !== steps.length + idle.length) return
      // None of them is lost: they are performed again when the run is resumed, and ask again for what they need.
      for (const { path, n } of [...steps, ...idle])
        desk.setHold(path, n, { ...desk.hold(path, n), by: null })
      desk.leave((waiting) => idle.some(({ path, n }) => waiting.path === path && waiting.n === n))
      desk.append(ROOT_PATH, { type: 'run-wait', steps })
      desk.save()
      tx.setNote('failure', outageError(this.run, steps).toJSON())
      tx.setNote('waiting', { root: tx.note<string>(`invocation ${ROOT_PATH}`) } satisfies Waiting)
    })
  }

  /** A run that waits is to go on, in another life and with raised limits. False if it does not wait. Waiting is not active time. */
  endWaiting(budget?: Partial<Limits>): boolean {
    return this.store.transact(this.run, (tx) => {
      if (tx.note('waiting') === null) return false
      const generation = (tx.note<number>('generation') ?? 1) + 1
      const desk = new Desk(tx, false)
      const limits = desk.raise(this.run, budget)
      desk.append(ROOT_PATH, runResume(generation, [], limits))
      desk.admission.next()
      desk.save()
      tx.setNote('generation', generation)
      tx.setNote('waiting', null)
      tx.setNote('failure', null)
      return true
    })
  }

  /** Which life in the engine this is. */
  get generation(): number {
    return this.note<number>('generation') ?? 1
  }

  // --- notes

  get seq(): number {
    return this.store.peek(this.run, (reader) => reader.seq)
  }

  note<T>(key: string): T | null {
    return this.store.peek(this.run, (reader) => reader.note<T>(key))
  }

  setNote(key: string, value: unknown): void {
    this.store.transact(this.run, (tx) => tx.setNote(key, value))
  }

  find(path: string, n: number, kind: RecordKind): Event | null {
    return this.store.peek(this.run, (reader) => reader.find(path, n, kind))
  }

  /** The start at this number, as it is recorded or, while its operation waits for its turn, as it will be. */
  made(path: string, n: number): Made | null {
    return this.store.peek(this.run, (reader) => this.madeIn(reader, path, n))
  }

  /** Makes the operation at this number, unless it is made. Another operation there is NON_DETERMINISM. */
  protected once(
    path: string,
    n: number,
    type: EventType,
    name: string,
    make: (tx: SharedTransaction) => void,
  ): void {
    const made = (reader: SharedReader) => {
      const start = this.madeIn(reader, path, n)
      if (start !== null) checkSameOperation(start, path, n, type, name)
      return start !== null
    }
    if (this.store.peek(this.run, made)) return
    this.store.transact(this.run, (tx) => {
      if (!made(tx)) make(tx)
    })
  }

  private madeIn(reader: SharedReader, path: string, n: number): Made | null {
    const start = reader.find(path, n, 'start')
    if (start !== null) return start
    const queued = reader.note<StartBody>(queuedKey(path, n))
    return queued && { ...queued, run: this.run }
  }

  private appendSingle(tx: SharedTransaction, path: string, n: number, body: EventBody): void {
    const books = new Books(tx, systemClock.nowMs())
    tx.append({ ...body, path, ...books.stamp() }, { path, n, kind: 'start' })
    books.save(tx)
  }
}

function callBlock(
  tx: SharedTransaction,
  desk: Desk,
  block: CalledBlock,
  identity: string | ErrorData,
  limits: BlockSpec['limits'] | null,
): void {
  const { n, spec } = block
  const { path } = spec
  tx.setNote(`block ${path}`, block)
  const { left } = desk.books.open(path, limits ?? null)
  const failed = typeof identity !== 'string'
  const name = failed ? `${spec.strategy}${FAILED_VERSION}` : identity
  desk.callBlock({ ...blockStart(spec, n, name, NOTHING, left), path }, !failed)
  if (!failed) return
  const { code, message } = identity
  desk.endBlock(path, { status: 'failed', result: '', reason: message, code }, {})
}
