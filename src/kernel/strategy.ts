/**
 * What a strategy is, and all that it can reach. A strategy keeps no state of its own: what a block knows is in the block
 * or in the journal, so that a block can be executed again from its records and go the same way.
 */

import type {
  Ancestor,
  Block,
  BlockKind,
  Goal,
  KnownTool,
  Limits,
  ModelReply,
  ModelRequest,
  Outcome,
  Remaining,
  Result,
  TimelineEntry,
  Todo,
} from '../protocol/index.ts'
import type { OptionsOf, StrategyName } from '../protocol/strategy-registry.ts'
import type { JsonSchema } from '../schema/check-schema.ts'
import type { StandardSchema } from '../schema/standard-schema.ts'
import type { AskedQuestion } from './asked-question.ts'
import type { Brief } from './brief/brief.ts'
import type { BlockAnswer, Op } from './durable.ts'
import type { Tool } from './tool.ts'

/** What a strategy's notes in the journal say, by their names; `notes.ts` in its folder has the types. */
// biome-ignore lint/suspicious/noExplicitAny: a strategy that does not say what its notes are may write any
export type AnyNotes = Record<string, any>

/** What solves blocks: the part of a strategy that is loaded when it is first used. */
export interface Solver<Options = unknown, Notes = AnyNotes> {
  /** Fills in defaults, or throws BAD_INPUT with what is wrong. */
  options(given: Readonly<Record<string, unknown>>): Options
  /** JSON Schema of the options that a caller may give, for those who show them; `options` is what decides. */
  readonly optionsSchema?: JsonSchema
  /** What the options say about the whole run; with the caller's budget, the smaller counts. */
  limits?(options: Options): Partial<Limits>
  /** After how many repetitions without progress the loop guard (K5) speaks up; its own default without. */
  maxRepeats?(options: Options): number | undefined
  /** The strategies that the options name: a run with a name that does not exist is refused before it begins. */
  calls?(options: Options): readonly string[]
  /** It asks no model for anything: it also runs where none is connected. */
  readonly withoutModel?: boolean
  /** Programs of its own, named `<strategy>/<program>`: steps of its blocks like any other, called by `context.tool`. */
  readonly programs?: readonly Tool[]
  /** Solves the block. What it throws ends the block as partial or failed, with what it has. */
  solve(context: Context<Options, Notes>): Promise<Answer>
}

/** A strategy in one object: its name and version, and what solves its blocks. */
export interface Strategy<Options = unknown, Notes = AnyNotes, Name extends string = string>
  extends Solver<Options, Notes> {
  readonly name: Name
  /** Raised when a block begun by the old code can't be resumed by the new. */
  readonly version: number
}

/**
 * A result, or one that is not a plain success. The outcome of a child may be returned as it is; if the child was skipped or
 * cancelled, the block ends as partial, and as failed without a result.
 */
export type Answer =
  | string
  | (Omit<BlockAnswer, 'value'> & { status: 'completed' | 'partial' | 'failed' })
  | Outcome

export interface CallOptions<Name extends StrategyName = StrategyName> {
  /** Another strategy than this block's own. */
  strategy?: Name | undefined
  /** What kind of block it is, where the run's routes may choose who solves it; `strategy` is then who does without one. */
  kind?: BlockKind
  options?: OptionsOf<Name> | undefined
  /** Limits of the child's own, within what this block has left. */
  budget?: Partial<Limits>
}

export interface ModelOptions {
  /** A closing call: paid from what the block kept back for it. */
  closing?: boolean
}

export interface AskOptions {
  /** The kind of question: its name is this, `<name>-2` for the block's second one of the kind. Default: `answer`. */
  name?: string
  /** After this the fallback is taken; 0 looks and goes on. */
  timeoutMs?: number
  /** What later requests are told of it, here and below; nothing if empty. The question and the answer, unless given. */
  says?(answer: unknown): string
}

/**
 * The type of the answer: one of the choices, if they are known and nothing else is an answer; of a Standard Schema what fits it. The answer
 * is checked against the JSON Schema of the question: refinements are the strategy's.
 */
export type AnswerTo<Asked extends AskedQuestion, Given = AskOptions> =
  | (Asked extends { readonly output: StandardSchema<infer Input> }
      ? Input
      : Asked extends { readonly choices: readonly (infer Choice extends string)[] }
        ? Asked extends { readonly other: true }
          ? string
          : Choice
        : unknown)
  | (Given extends { readonly timeoutMs: number } ? undefined : never)

/** A result with its value. */
export interface Settled {
  readonly result: string
  /** Absent if the run has no `output`, or if no value that fits could be made. */
  readonly value?: unknown
  /** Why there is no value. */
  readonly reason?: string
  /** For a person: the value as JSON, or the result. */
  readonly shown: string
}

/** The results of operations, in their order. */
export type ResultsOf<Ops extends readonly Op[]> = {
  -readonly [At in keyof Ops]: Ops[At] extends Op<infer T> ? Result<T> : never
}

export interface Context<Options = unknown, Notes = AnyNotes> {
  readonly block: Block
  readonly path: string
  /** 0 at the root. */
  readonly level: number
  readonly options: Options
  /** Nearest first. */
  readonly ancestors: readonly Ancestor[]
  /** Those that may be offered to a model. */
  readonly tools: readonly KnownTool[]
  /** Those that are called by name, by who knows of them. */
  readonly hiddenTools: readonly KnownTool[]
  /** Names of tools that are not offered because a rule denies every call, or nobody is there to permit it. */
  readonly withheld: readonly string[]
  /** False where the run was started with nobody there to answer questions. */
  readonly isAttended: boolean
  /**
   * JSON Schema of the value that the result is to be given as, where this block answers the run and its caller wants one; else null.
   * Models are told of it with the rules of every brief, and the kernel sees to the value after the strategy has answered.
   */
  readonly output: JsonSchema | null

  // Operations: each is started when made, and awaited with one, all or first, one of these at a time.
  /** A brief, which the kernel fits into the model's budget; or a request whose messages are made already. */
  model(request: Brief | ModelRequest, options?: ModelOptions): Op<ModelReply>
  /** A tool of `tools`, or what a model has named: to this, what models are not offered does not exist. */
  tool(name: string, input: unknown): Op<unknown>
  /** A tool of `hiddenTools` or a program of its own. It is on record, but not an action that the block is told of. */
  ownTool(name: string, input: unknown): Op<unknown>
  call<const Name extends StrategyName = string>(goal: Goal, options?: CallOptions<Name>): Op<Outcome>
  /** The answer, or the question's fallback; undefined if the time is up and there is none. */
  ask<const Asked extends AskedQuestion, const Given extends AskOptions = AskOptions>(
    question: Asked,
    options?: Given,
  ): Op<AnswerTo<Asked, Given>>

  /** A signal of this name, whenever it comes; nobody is asked. What is not awaited when the block ends is let go. */
  listen(name: string): Op<unknown>

  /**
   * Makes the value of a result that is to be the block's, if the run has an `output`, so that a person can see it before it is
   * approved. If the block then ends with this result, the value is the run's, and no model is called for another one.
   */
  settle(result: string): Promise<Settled>

  /** The value, or throws what it failed with. */
  one<T>(op: Op<T>): Promise<T>
  /** In the order given; never rejects. */
  all<const Ops extends readonly Op[]>(ops: Ops): Promise<ResultsOf<Ops>>
  /** Which ended first; the others go on. */
  first(ops: readonly Op[]): Promise<number>
  /** How a called child ended; where it was done again since, how its last attempt did. Null while it runs. */
  outcomeOf(op: Op<Outcome>): Outcome | null
  /** The called child's block, of its last attempt: by this path `read_result` reads its result. */
  pathOf(op: Op<Outcome>): string
  /** Ends the operation and everything below it. */
  cancel(op: Op, reason: string): Promise<void>

  /** Writes the block's plan. */
  plan(todo: Todo): void
  /** Puts a note into the journal. */
  emit<Name extends keyof Notes & string>(name: Name, data: Notes[Name]): void
  /** What was left when the last consumed operation ended. */
  budget(): Remaining
  /** When the last consumed operation ended, in milliseconds. */
  now(): number
  /** In [0, 1), the same on every execution of this block. */
  random(): number
  /**
   * To how many tokens the turns of the brief's conversation should be folded before it is asked: for strategies that have them
   * summed up (`Conversation.fold`). Null while there is room. What nobody folds, the kernel does without a model.
   */
  roomFor(brief: Brief): number | null
  /** All that the block may know of what happened, whole, the oldest first. */
  known(): readonly TimelineEntry[]
  /** What the block may know of what happened, in at most so many characters; of these kinds alone, when given. */
  timeline(maxChars: number, kinds?: readonly TimelineEntry['kind'][]): string
}
