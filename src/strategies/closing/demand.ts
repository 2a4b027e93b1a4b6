/** What a goal asks for that a program can check. */
import type { Rational } from '../../arithmetic/rational.ts'
import type { Language } from '../../protocol/index.ts'

export type Demand = LengthDemand | ItemsDemand | FormatDemand | LanguageDemand | ValueDemand | FileDemand

export interface Bounds {
  readonly least?: number
  readonly most?: number
}

/** `bounds` are wider than what was asked for where counting is a matter of opinion. */
export interface LengthDemand {
  readonly type: 'length'
  readonly unit: Unit
  readonly bounds: Bounds
  /** As the goal says it. */
  readonly asked: string
}

export type Unit = 'words' | 'characters' | 'sentences' | 'paragraphs' | 'lines'

/** A list of so many items; with `bullets` the goal asks for a list by name. */
export interface ItemsDemand {
  readonly type: 'items'
  readonly bullets: boolean
  readonly bounds: Bounds
  readonly asked: string
}

export interface FormatDemand {
  readonly type: 'format'
  readonly format: Format
}

export type Format = 'json' | 'csv' | 'table' | 'number' | 'yes-no' | 'plain'

export interface LanguageDemand {
  readonly type: 'language'
  readonly language: Language
}

/** An arithmetic goal: its values must be in the result. */
export interface ValueDemand {
  readonly type: 'value'
  readonly expression: string
  readonly value: Rational
}

/** A file that must exist when the goal is reached. */
export interface FileDemand {
  readonly type: 'file'
  readonly path: string
}
