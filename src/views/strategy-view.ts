/**
 * How a strategy is drawn. Everything here folds over events and needs nothing of Node, so that a terminal, a log folder and a web
 * page can use the same view. All of it is optional: what a strategy leaves out is drawn as for any block.
 */
import type { Event, EventOf, RunState } from '../protocol/index.ts'
import type { Line, Segment } from './line.ts'
import type { Picture } from './picture.ts'
import type { Lang } from './words.ts'

export interface StrategyView {
  /** What is shown of one block below its row in the tree. */
  detail?(path: string, goal: string): Detail
  /** A block as a picture, for the formats mermaid, dot and svg; null where it has nothing to draw yet. */
  picture?(block: ShownBlock, lang: Lang): Picture | null
  /** `show --format <name>`: its own `json` and `md`, and formats of its own; null where it has nothing to show yet. */
  readonly formats?: Readonly<Record<string, (block: ShownBlock, lang: Lang) => string | null>>
  /** It only hands its goal on: a run of it is drawn as its last child. */
  readonly handsOn?: true
  /** A file in the workspace that is replaced because of this event; null for most. */
  file?(event: Event): ViewFile | null
  /** A folder that is written once, when a block has ended; gets the block's own events. */
  folder?(block: readonly Event[]): ViewFolder | null
  /** The fields of its models' replies that people read while they are written. */
  readonly streamFields?: readonly string[]
  /** The message between agents that an event is, on one line; null for any other event. */
  message?(event: EventOf<'note'>, width: number): Line | null
  /** A signal that steers something inside a block, such as a task of its plan; throws BAD_INPUT with what is wrong. */
  steer?(request: SteerRequest): SteerSignal
}

/** The events of one block, and what they look like. */
export interface Detail {
  follow(event: Event): void
  /** The events of the blocks right below it. */
  followChild?(event: Event): void
  /** Left out where notes are all that it shows. */
  lines?(options: DetailOptions): Line[]
  /** What a note tells somebody who waits for the run; null for most. The note has been followed. */
  news?(event: EventOf<'note'>, lang: Lang): readonly Segment[] | null
}

export interface DetailOptions {
  /** Cells; no line is wider. */
  readonly width: number
  readonly maxLines: number
  readonly lang: Lang
}

export interface ShownBlock {
  readonly path: string
  /** The whole journal of the run. */
  readonly journal: readonly Event[]
}

/** Paths are relative to the workspace. */
export interface ViewFile {
  readonly path: string
  readonly text: string
}

export interface ViewFolder {
  readonly path: string
  readonly files: ReadonlyMap<string, string>
}

export interface SteerRequest {
  readonly act: 'skip' | 'redo'
  /** What is steered, by its name inside the block. */
  readonly target: string
  readonly message: string
  readonly path: string
  readonly state: RunState
  readonly journal: readonly Event[]
  /** A command as it can be typed: `thinkon redo …`. */
  hint(words: string): string
}

export interface SteerSignal {
  readonly name: string
  readonly value: unknown
  /** What was asked for and what happens next, for a person. */
  readonly notice: string
}
