/**
 * The port that makes blocks durable. The kernel's Context is built on `Durable`; strategies never see it.
 *
 * What every host promises:
 * 1. Each operation (step, call, wait, emit, winner, taken signal) takes the block's next number when it is made. The
 *    record at that number must have the same name when the block is executed again, else NON_DETERMINISM.
 * 2. The end of an operation (success, failure, time-out, interruption, refusal, winner) is recorded before the block
 *    sees it. A recorded end is given again, never produced again.
 * 3. An `Op` is started when made. It is not a promise: it is awaited through `all`, `one` and `first`, one of them at a time.
 * 4. `cancel` reaches everything below the operation at once; the operation then ends as cancelled.
 * 5. When a model is out, its step stays open and everything else goes on. When nothing else is left to do, the run stops with
 *    `run-wait` in its journal and MODEL_OUTAGE as the rejection of its outcome. Resumed, it asks again.
 * 6. When a block is ended from outside, its pending `all`, `one` or `first` never settles: the coroutine is abandoned.
 */
import type {
  DoneAdd,
  Ephemeral,
  ErrorCode,
  Event,
  EventBody,
  Goal,
  Left,
  Limits,
  LoopFound,
  ModelNames,
  ModelRequest,
  Note,
  Outcome,
  Question,
  Reserve,
  Result,
  RetryNote,
  RoleUsage,
  RunConfig,
  RunStart,
  Signal,
  TextDelta,
  TimelineEntry,
  TodoSet,
  Usage,
} from '../protocol/index.ts'

import type { Ancestors } from './lineage.ts'
import type { Events } from './store.ts'

/** An effect on the world, as data: a cluster performs it in another process than the one that asked for it. */
export type Effect =
  | {
      kind: 'model'
      request: ModelRequest
      reserve: Reserve
      closing: boolean
      /** A person was asked: what they have answered is the reply, and nobody else is called. */
      said?: Said
      /** A person edited the request in a fork. */
      edited?: true
    }
  | {
      kind: 'tool'
      name: string
      input: unknown
      access: 'read' | 'write'
      denied?: string | undefined
      /** To whoever calls it there is no such tool. */
      hidden?: true | undefined
      reserve: Reserve
    }

export interface Said {
  readonly answers: readonly unknown[]
  /** The number of the operation that another model would have made of the call: recorded traffic is told apart by it. */
  readonly n: number
}

declare const value: unique symbol
/** A started operation. `n` is its number in the block. */
export interface Op<T = unknown> {
  readonly n: number
  readonly [value]?: T
}

/** An operation's end, with the clock and the budget as they were then. */
export interface Ended<T = unknown> {
  readonly result: Result<T>
  readonly atMs: number
  readonly left: Left
  /** Of a step: see Performed. */
  readonly usageProblem?: string | undefined
}

/**
 * What becomes of an operation's end, or of the ends of several. Called rather than awaited: a promise between them takes as much as a fast
 * step's bookkeeping.
 */
export type Take<T> = (end: Ended) => T | Promise<T>
export type TakeAll<T> = (ends: readonly Ended[]) => T | Promise<T>

/** The end of a `call`: an outcome, and whether a redo asks for another attempt in its place. */
export interface ChildEnd {
  readonly outcome: Outcome
  readonly redo?: { message: string }
  readonly timeline?: readonly TimelineEntry[]
}

/** Events a block writes without waiting for anything. */
export type Emission = Omit<Note, 'n'> | Omit<TodoSet, 'n'> | Omit<DoneAdd, 'n'> | Omit<LoopFound, 'n'>

export interface Durable {
  step<T>(effect: Effect): Op<T>
  call(child: BlockSpec): Op<ChildEnd>
  /** An answer from outside, or undefined when the time is up; a `timeoutMs` of 0 looks and goes on. */
  wait<T>(name: string, question?: Question, timeoutMs?: number): Op<T | undefined>
  emit(emission: Emission): void
  /** The recorded start of the operation that is made next, if there is one: what was decided then holds. */
  peek(): EventBody | null
  /** Control signals that came for this block (messages; redos of its ended children), each once; or NO_SIGNALS. */
  look(): readonly Signal[] | Promise<readonly Signal[]>
  /** In order; never rejects because an operation failed. */
  all(ops: readonly Op[]): Promise<readonly Ended[]>
  /** The same, for what `take` makes of the ends: it is called when they are there, before the promise resolves. */
  all<T>(ops: readonly Op[], take: TakeAll<T>): Promise<T>
  /** The same for a single one, which is what most blocks await most of the time. */
  one<T>(op: Op, take: Take<T>): Promise<T>
  /** The index of the one that ended first. */
  first(ops: readonly Op[]): Promise<number>
  cancel(op: Op, reason: string): Promise<void>
}

export const NO_SIGNALS: readonly Signal[] = []

/** A block to be solved. Plain data, apart from what its parent knows already and a host may pass by reference. */
export interface BlockSpec {
  readonly path: string
  readonly goal: Goal
  readonly strategy: string
  readonly options: unknown
  readonly limits?: Partial<Limits> | undefined
  /** All of them, nearest first: a host may take the level from their number. */
  readonly ancestors: Ancestors
  /** The ancestors' timelines as of this block's start. */
  readonly timeline: readonly TimelineEntry[]
}

/** A block being solved: how it will end, and what it has when it is ended from outside (K4). */
export interface Solving {
  /** Ended from outside: archives the children that have ended and were not consumed (K1), and says what there is (K4). */
  halt(childEnd: (op: Op) => ChildEnd | null): Halted
  /** What the parent's timeline takes over. */
  timeline(): readonly TimelineEntry[]
}

export interface Halted {
  readonly result: string
  readonly archived: readonly string[]
}

/** An outcome whose usage the host fills in. */
export type BlockAnswer = Omit<Outcome, 'usage'>

/** Receives how a strategy has ended, once, and not before `solve` has returned. */
export interface Solved {
  answered(answer: BlockAnswer): void
  /** Nobody can solve it: an error of ours, or of the store. */
  failed(thrown: unknown): void
}

export interface BlockFrame {
  readonly run: string
  readonly startedAtMs: number
  readonly left: Left
  /** Kept back for closing. */
  readonly kept: Reserve
  readonly maxLevel: number
  readonly seed: string
  readonly config: RunConfig
}

/** What the kernel gives a host: how to solve a block, and how to perform an effect. */
export interface Kernel {
  /** The strategy's `name@version`; throws NO_SUCH_STRATEGY with the names there are. */
  identify(strategy: string): string
  /**
   * Loads these strategies and what a person has allowed in this run, so that executing blocks from their records awaits nothing
   * else. Names that are unknown are left out: `solve` reports them where they are used.
   */
  preload(
    strategies: Iterable<string>,
    run?: { readonly id: string; readonly config: RunConfig },
  ): Promise<void>
  /** Its models, as runs record them. */
  readonly models?: ModelNames | undefined
  /** What a run with this start needs besides the strategies of its blocks and is not here; call it after `preload`. */
  missing(start: Pick<RunStart, 'strategy' | 'options' | 'config'>): readonly Missing[]
  solve(spec: BlockSpec, durable: Durable, frame: BlockFrame, solved: Solved): Solving
  /**
   * Performs the effect once. A failure is thrown. MODEL_OUTAGE of a model's step means that the step must not end: it stays
   * open, and is performed again when the run is resumed.
   */
  perform(effect: Effect, io: EffectIo): Promise<Performed>
}

/** Something that a run needs and that is not here. */
export interface Missing {
  readonly code: ErrorCode
  /** `the tool "lookup"` */
  readonly what: string
}

export interface Performed {
  value: unknown
  usage: Omit<Usage, 'calls'>
  /** Nobody was paid for it: it does not count as a call, whatever was reserved. */
  isFree?: true
  /** The problem with the reported usage, if an estimate replaced it. */
  usageProblem?: string
}

export interface EffectIo {
  readonly run: string
  /** The run's, as recorded. */
  readonly config: RunConfig
  /** The run's: what is drawn by chance in a step is drawn from it. */
  readonly seed: string
  readonly path: string
  readonly n: number
  /** Made on first use: most in-process effects never look. */
  readonly signal: AbortSignal
  onDelta(text: string): void
  /** Another attempt follows after `waitMs`. */
  onRetry?(note: RetryNote): void
  /**
   * Runs a numbered part of the step once; a part that was paid before the process died is given again. The first is paid from what
   * the step has reserved; each further one reserves `reserve`, or as much as the step, and waits for its turn.
   */
  part<T>(run: () => Promise<{ value: T; usage: Performed['usage'] }>, reserve?: Reserve): Promise<T>
  /** The value of the next part, if it was paid before the process died. */
  paid(): unknown
}

export interface RunSpec {
  readonly id: string
  readonly goal: Goal
  readonly strategy: string
  readonly options: unknown
  readonly limits: Limits
  readonly seed: string
  readonly config: RunConfig
}

export interface RunHandle {
  readonly id: string
  /**
   * Settles when the run ends; rejects only when the run cannot continue here (store, ownership), or has stopped to wait for
   * its model (MODEL_OUTAGE).
   */
  readonly outcome: Promise<Outcome>
  /** What each role has spent so far. */
  readonly roles: RoleUsage
}

export type Listener = (event: Event | Ephemeral) => void

export interface ResumeOptions {
  /** Refuse before anything is written if a prompt of an open block or a model is not as it was. */
  readonly strict?: boolean | undefined
  /** Limits to be raised: these hold from now on, which is recorded. */
  readonly budget?: Partial<Limits> | undefined
}

export interface JoinOptions extends ResumeOptions {
  /** False: throws RUN_LOCKED if another process works on the run. The same with `strict` and `budget`, which following can't fulfil. */
  readonly follow?: boolean | undefined
}

/** A run that is under way in this process, or that it follows. */
export interface RunningRun {
  readonly outcome: Promise<Outcome>
  readonly telling: RunTelling
  /** Another process works on it, and this one follows. */
  readonly isElsewhere?: boolean
  /** It can't go on here. */
  fail(error: unknown): void
}

/** Whoever has read the events up to `seq` and the texts under way, and listens from then on, misses nothing and gets nothing twice. */
export interface RunTelling {
  /** The last event that was told. */
  readonly seq: number
  /** Returns how to stop listening. */
  listen(listener: Listener): () => void
  /** The text so far of each reply under way. */
  textsUnderWay(): TextDelta[]
}

export interface Host {
  /** Starts a run. Idempotent: a run that exists is resumed, one that runs here is re-attached, one of another process is followed. */
  start(run: RunSpec, listener?: Listener): Promise<RunHandle>
  resume(run: string, listener?: Listener, options?: JoinOptions): Promise<RunHandle>
  /** Taken also before the block waits for it, and while the run is down. */
  signal(run: string, path: string, name: string, value: unknown): Promise<void>
  /** Answers an open question, also while the run is down. False if it is not open: nothing was changed. */
  answer(run: string, question: number, value: unknown): Promise<boolean>
  cancel(run: string, reason: string): Promise<void>
  close(): Promise<void>
}

/** What an engine needs of its host. */
export interface EngineHost extends Host {
  /** The run, if it is under way or followed here. */
  running(run: string): RunningRun | undefined
  /**
   * Throws what a resume of the run, or of one with these events, would be refused with. Writes nothing. The events may be
   * iterated several times.
   */
  check(run: string, options: ResumeOptions, events?: Events): Promise<void>
}
