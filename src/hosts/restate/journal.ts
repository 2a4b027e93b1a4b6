/**
 * A run's journal as the processes of a cluster write it: the same events as on the local host, each record looked for
 * and written in one transaction, so that the first one wins and every process sees that one.
 *
 * What a block's code does next must not depend on who asks when. So each method gives back what is recorded, whether
 * this call wrote it or an earlier one did.
 */
import { limitError, NOTHING } from '../../kernel/budget.ts'
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
  NO_USAGE,
  type OutageStep,
  parentPath,
  type Result,
  ROOT_PATH,
  type Usage,
} from '../../protocol/index.ts'
import {
  type BlockEnding,
  blockEnd,
  blockStart,
  outcomeOf,
  rootSpec,
  runStart,
  stepEnd,
  stepStart,
} from '../shared/events.ts'
import { outageError } from '../shared/outage.ts'
import { checkSameOperation, FAILED_VERSION, operationName } from '../shared/records.ts'
import { Books } from './books.ts'

/** Where a root's call would be recorded, if it had a parent. */
const NO_PARENT = ''

export type StepEnd = EventOf<'model-end' | 'tool-end'>

/** What a worker needs to execute a block that another process called. */
export interface CalledBlock {
  readonly n: number
  readonly spec: BlockSpec
}

interface Waiting {
  readonly root: string | null
}

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
      const books = new Books(tx, null, systemClock.nowMs())
      tx.append({ ...runStart(spec, identity), path: ROOT_PATH, ...books.stamp() })
      tx.setNote('frame', { seed, config } satisfies RunFrame)
      this.openBlock(tx, books, rootSpec(spec), 0, identity, limits)
    })
  }

  call(path: string, n: number, child: BlockSpec, kernel: Kernel): void {
    this.once(path, n, 'block-start', child.path, (tx) => {
      const books = new Books(tx, path, systemClock.nowMs())
      let identity: string | ErrorData
      try {
        identity = kernel.identify(child.strategy)
      } catch (thrown) {
        identity = errorData(thrown, 'NO_SUCH_STRATEGY')
      }
      return this.openBlock(tx, books, child, n, identity, child.limits ?? null)
    })
  }

  called(path: string): CalledBlock | null {
    return this.store.peek(this.run, (reader) => reader.note<CalledBlock>(`block ${path}`))
  }

  blockStart({ n, spec }: CalledBlock): EventOf<'block-start'> {
    return this.find(parentPath(spec.path) ?? NO_PARENT, n, 'start') as EventOf<'block-start'>
  }

  blockEnd({ n, spec }: CalledBlock): EventOf<'block-end'> | null {
    return this.find(parentPath(spec.path) ?? NO_PARENT, n, 'end') as EventOf<'block-end'> | null
  }

  /** The frame that the kernel solves a block in. */
  frame(path: string): Pick<BlockFrame, 'maxLevel' | 'seed' | 'config'> {
    return this.store.peek(this.run, (reader) => {
      const { maxLevel } = new Books(reader, path, systemClock.nowMs())
      const { seed, config } = reader.note<RunFrame>('frame') as RunFrame
      return { maxLevel, seed, config }
    })
  }

  endBlock(path: string, answer: BlockAnswer, ending: BlockEnding = {}): EventOf<'block-end'> {
    return this.store.transact(
      this.run,
      (tx) => {
        const block = tx.note<CalledBlock>(`block ${path}`) as CalledBlock
        const recorded = tx.find(parentPath(path) ?? NO_PARENT, block.n, 'end')
        if (recorded !== null) return recorded as EventOf<'block-end'>
        return closeBlock(tx, new Books(tx, path, systemClock.nowMs()), block, answer, ending)
      },
      path === ROOT_PATH,
    )
  }

  private openBlock(
    tx: SharedTransaction,
    books: Books,
    spec: BlockSpec,
    n: number,
    identity: string | ErrorData,
    limits: BlockSpec['limits'] | null,
  ): Event {
    const { path } = spec
    const block = { n, spec }
    tx.setNote(`block ${path}`, block)
    const failed = typeof identity !== 'string'
    const { kept, left, lack } = books.add(path, limits ?? null)
    const name = failed ? `${spec.strategy}${FAILED_VERSION}` : identity
    const start = tx.append(
      { ...blockStart(spec, n, name, failed ? NOTHING : kept, left), path, ...books.stamp() },
      { path: parentPath(path) ?? NO_PARENT, n, kind: 'start' },
    )
    if (failed) {
      const { code, message } = identity
      closeBlock(tx, books, block, { status: 'failed', result: '', reason: message, code }, {})
    } else if (lack !== null) {
      const { code, message } = limitError(path, lack)
      const { limit } = lack
      closeBlock(tx, books, block, { status: 'partial', result: '', reason: message, code, limit }, {})
    } else books.save(tx)
    return start
  }

  // --- steps

  /** Recorded before it is performed; a refusal by a limit is its recorded end. */
  beginStep(path: string, n: number, effect: Effect): void {
    const [type, name] =
      effect.kind === 'model'
        ? (['model-start', effect.request.kind] as const)
        : (['tool-start', effect.name] as const)
    this.once(path, n, type, name, (tx) => {
      const books = new Books(tx, path, systemClock.nowMs())
      if (effect.kind === 'model' && effect.closing) books.releaseKept()
      const lack = books.hold(effect.reserve)
      const body = stepStart(n, effect, lack === null ? effect.reserve : NOTHING)
      const start = tx.append({ ...body, path, ...books.stamp() }, { path, n, kind: 'start' })
      // The journal holds the messages that were rendered from the input, not the input.
      if (effect.kind === 'model') tx.setNote(`input ${path} ${n}`, effect.request.input ?? null)
      books.clock.openSteps++
      if (lack !== null) {
        closeStep(tx, books, start, { ok: false, error: limitError(path, lack).toJSON() }, NO_USAGE)
      }
      books.save(tx)
      return start
    })
  }

  /** The effect of a step, as its record has it. */
  effectOf(path: string, n: number): Effect | null {
    const start = this.find(path, n, 'start')
    if (start?.type === 'tool-start') {
      const { name, input, access, denied, reserve } = start
      return { kind: 'tool', name, input, access, denied, reserve }
    }
    if (start?.type !== 'model-start') return null
    const input = this.store.peek(this.run, (reader) => reader.note<unknown>(`input ${path} ${n}`))
    const request = input === null ? start.request : { ...start.request, input }
    return { kind: 'model', request, reserve: start.reserve, closing: start.closing === true }
  }

  /** The first end wins. */
  endStep(path: string, n: number, result: Result, usage: Usage): StepEnd {
    return this.store.transact(
      this.run,
      (tx) => {
        const recorded = tx.find(path, n, 'end')
        if (recorded !== null) return recorded as StepEnd
        const books = new Books(tx, path, systemClock.nowMs())
        const end = closeStep(tx, books, tx.find(path, n, 'start') as Event, result, usage)
        books.save(tx)
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
        const books = new Books(tx, path, systemClock.nowMs())
        books.settle(NOTHING, usage)
        const body = { type: 'part-end' as const, n, part, value, usage }
        tx.append({ ...body, path, ...books.stamp() }, { path, n, kind: `part-${part}` })
        books.save(tx)
      },
      true,
    )
  }

  /** Says that the step is performed now: was it said before? On disk before anything changes in the world. */
  claim(path: string, n: number): boolean {
    const claim = (tx: SharedTransaction) => {
      const key = `claim ${path} ${n}`
      const before = tx.note(key) !== null
      if (!before) tx.setNote(key, true)
      return before
    }
    return this.store.transact(this.run, claim, true)
  }

  timeLeftMs(path: string): number {
    return this.store.peek(this.run, (reader) => new Books(reader, path, systemClock.nowMs()).left.timeMs)
  }

  // --- what has no end of its own

  emit(path: string, n: number, emission: Emission): void {
    const body = { ...emission, n } as EventBody
    this.once(path, n, body.type, operationName(body), (tx) => this.appendSingle(tx, path, n, body))
  }

  won(path: string, n: number, winner: number): EventOf<'first-won'> {
    const won = this.once(path, n, 'first-won', '', (tx) =>
      this.appendSingle(tx, path, n, { type: 'first-won', n, winner }),
    )
    return won as EventOf<'first-won'>
  }

  // --- outages

  /** Set while the run waits for its models; `root` is the invocation of its root block. */
  get waiting(): Waiting | null {
    return this.note<Waiting>('waiting')
  }

  /** The run waits if nothing has happened since `seq` and no step is open but these, whose models are out. */
  waitIfQuiet(seq: number, steps: readonly OutageStep[]): void {
    this.store.transact(this.run, (tx) => {
      const books = new Books(tx, null, systemClock.nowMs())
      if (tx.seq !== seq || books.clock.openSteps !== steps.length) return
      tx.append({ type: 'run-wait', steps, path: ROOT_PATH, ...books.stamp() })
      books.save(tx)
      tx.setNote('failure', outageError(this.run, steps).toJSON())
      tx.setNote('waiting', { root: tx.note<string>(`invocation ${ROOT_PATH}`) } satisfies Waiting)
    })
  }

  /** A run that waits is to go on, in another life. False if it does not wait. Waiting is not active time. */
  endWaiting(): boolean {
    return this.store.transact(this.run, (tx) => {
      if (tx.note('waiting') === null) return false
      const generation = (tx.note<number>('generation') ?? 1) + 1
      const atMs = Books.skipTime(tx, systemClock.nowMs())
      tx.append({ type: 'run-resume', epoch: generation, path: ROOT_PATH, atMs })
      tx.setNote('generation', generation)
      tx.setNote('waiting', null)
      tx.setNote('failure', null)
      return true
    })
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

  /** The record at this number; `make` writes it when there is none. Another operation's record is NON_DETERMINISM. */
  protected once(
    path: string,
    n: number,
    type: EventType,
    name: string,
    make: (tx: SharedTransaction) => Event,
  ): Event {
    const recorded = (reader: SharedReader) => {
      const start = reader.find(path, n, 'start')
      if (start !== null) checkSameOperation(start, path, n, type, name)
      return start
    }
    const had = this.store.peek(this.run, recorded)
    return had ?? this.store.transact(this.run, (tx) => recorded(tx) ?? make(tx))
  }

  private appendSingle(tx: SharedTransaction, path: string, n: number, body: EventBody): Event {
    const books = new Books(tx, null, systemClock.nowMs())
    const event = tx.append({ ...body, path, ...books.stamp() }, { path, n, kind: 'start' })
    books.save(tx)
    return event
  }
}

function closeStep(tx: SharedTransaction, books: Books, start: Event, result: Result, usage: Usage): StepEnd {
  const { path, n, type, reserve } = start as EventOf<'model-start' | 'tool-start'>
  books.settle(reserve, usage)
  books.clock.openSteps--
  const body = stepEnd(type === 'model-start' ? 'model' : 'tool', n, result, usage, books.left)
  return tx.append({ ...body, path, ...books.stamp() }, { path, n, kind: 'end' }) as StepEnd
}

/** The block's end, and with the root's that of the run. */
function closeBlock(
  tx: SharedTransaction,
  books: Books,
  { n, spec: { path } }: CalledBlock,
  answer: BlockAnswer,
  ending: BlockEnding,
): EventOf<'block-end'> {
  books.releaseKept()
  const outcome = outcomeOf(answer, books.usage)
  const body = blockEnd(n, outcome, books.left, ending)
  const end = tx.append(
    { ...body, path, ...books.stamp() },
    { path: parentPath(path) ?? NO_PARENT, n, kind: 'end' },
  )
  if (path === ROOT_PATH) tx.append({ type: 'run-end', status: outcome.status, path, ...books.stamp() })
  books.save(tx)
  return end as EventOf<'block-end'>
}
