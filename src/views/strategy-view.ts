/**
 * How a strategy is drawn. Everything here folds over events and needs nothing of Node, so that a terminal, a log folder and a web
 * page can use the same view. All of it is optional: without it, the blocks are drawn like any others.
 */
import type { Event, EventOf, Goal, RunState } from '../protocol/index.ts'
import type { Form } from './form.ts'
import type { Line, Segment } from './line.ts'
import type { Picture } from './picture.ts'
import type { Lang } from './words.ts'

export interface StrategyView {
  /** What is shown below a block's row in the tree. */
  detail?(path: string, goal: string): Detail
  /** A block as a picture, for the formats mermaid, dot and svg; null if there is nothing to draw yet. */
  picture?(block: ShownBlock, lang: Lang): Picture | null
  /** A block as a page shows it, in the strategy's own form: plain data, without functions; null if there is nothing to show yet. */
  form?(block: ShownBlock, lang: Lang): Form | null
  /** `show --format <name>`: its own version of `json` and `md`, and new formats; null if there is nothing to show yet. */
  readonly formats?: Readonly<Record<string, (block: ShownBlock, lang: Lang) => string | null>>
  /** The strategy only hands on its goal: its runs are drawn as their last child. */
  readonly handsOn?: true
  /** A file in the workspace to write because of this event; null for most events. */
  file?(event: Event): ViewFile | null
  /** A folder to write once, when a block has ended; gets the block's own events. */
  folder?(block: readonly Event[]): ViewFolder | null
  /** The fields of model replies that people read, also while they are streamed; `list.field` names one of objects in a list. */
  readonly streamFields?: readonly string[]
  /**
   * What `run.text` gives out while a reply to this request is written: the part of it that is the block's result. Null if the reply is
   * no result, or if something that follows may replace it, such as a check: text that was given out can't be taken back. Several forms
   * where the reply says itself, by `when`, which of them it has.
   */
  answer?(asked: AnswerRequest): AnswerForm | readonly AnswerForm[] | null
  /** Whether this child's result is to be its parent's as it stands: then `answer` is asked about the child's requests, too. */
  answeredBy?(child: EventOf<'block-start'>): boolean
  /** The event as a one-line message between agents; null if it is not one. */
  message?(event: EventOf<'note'>, width: number): Line | null
  /** A signal that steers something inside a block, such as a task of its plan; throws BAD_INPUT if that is not possible. */
  steer?(request: SteerRequest): SteerSignal
}

/** A request of the block whose result is the run's, or of the child that it is answered by. */
export interface AnswerRequest {
  /** `fractal/think` */
  readonly kind: string
  /** Of the block, also where its child asks. */
  readonly goal: Goal
  /** Of the block, as recorded. */
  readonly options: unknown
  /** How many calls of tools and child blocks have ended in the block, and calls of tools in the child that it is answered by. */
  readonly parts: number
  /** The block's result was held against its goal and sent back: the next one stands. */
  readonly sentBack: boolean
}

export interface AnswerForm {
  /** The field of the reply that is the result: of a JSON object, of YAML, or a tag. Without it, the whole reply is. */
  readonly field?: string
  /** Other fields of the reply, and what they have to say for it. */
  readonly when?: Readonly<Record<string, string>>
  /** False if what was written so far is hardly the result: it is held back. Asked about the beginning of the text only. */
  mayBe?(text: string): boolean
}

/** The events of one block, folded into lines. */
export interface Detail {
  follow(event: Event): void
  /** The events of its children. */
  followChild?(event: Event): void
  /** Absent if only `news` is shown. */
  lines?(options: DetailOptions): Line[]
  /** What is still to be done, shown as rows after those of its children. Without it: the block's plan, unless `lines` shows that. */
  todo?(lang: Lang): readonly string[]
  /** How the row of a child is called; null for its path. */
  childRow?(child: string, lang: Lang): ChildRow | null
  /** A note as news for a person who follows the run; null for most notes. Called after `follow`. */
  news?(event: EventOf<'note'>, lang: Lang): readonly Segment[] | null
  /** The plan as it stands, for lines below this news. With it, that a plan was set is no news of its own. */
  planNews?(event: EventOf<'note'>, lang: Lang): readonly Line[]
}

export interface ChildRow {
  /** If it is not the path, that is added in brackets. */
  readonly name: string
  readonly tags: readonly string[]
  /** What it is doing, in the words of its model; may be empty. */
  readonly doing: string
}

export interface DetailOptions {
  /** Maximum width of a line, in cells. */
  readonly width: number
  readonly maxLines: number
  readonly lang: Lang
}

export interface ShownBlock {
  readonly path: string
  /** The whole journal of the run. */
  readonly journal: readonly Event[]
}

export interface ViewFile {
  /** Relative to the workspace. */
  readonly path: string
  readonly text: string
}

export interface ViewFolder {
  /** What the path is relative to. A store that has no folder leaves its folders in the workspace. */
  readonly in: 'store' | 'workspace'
  readonly path: string
  readonly files: ReadonlyMap<string, string>
}

export interface SteerRequest {
  readonly act: 'skip' | 'redo'
  /** The name of what is steered, inside the block. */
  readonly target: string
  readonly message: string
  readonly path: string
  readonly state: RunState
  readonly journal: readonly Event[]
  /** In which the person is answered. */
  readonly lang: Lang
  /** A command to copy: `thinkon redo …`. */
  hint(words: string): string
}

export interface SteerSignal {
  /** The block that takes it, if it is another than the one that was named. */
  readonly path?: string
  readonly name: string
  readonly value: unknown
  /** For people: what was asked for and what happens next. */
  readonly notice: string
}
