/**
 * A value of any JSON Schema as a person fills it in: a draft for each place of the value. What can be seen at once is checked here; whoever
 * gets the value checks all of it.
 */
import { type LeafProblem, readLeaf, type SchemaNode, schemaNode } from 'thinkon/views'

export type Schema = Readonly<Record<string, unknown>>

/** Which of its members count depends on the kind of the place. */
export interface Draft {
  readonly text?: string
  /** Which choice or branch; none is chosen at first. */
  readonly at?: number
  readonly inner?: Draft
  readonly items?: readonly Draft[]
  readonly fields?: Readonly<Record<string, Draft>>
  /** A part that may be left out is filled in. */
  readonly isIn?: boolean
}

export const EMPTY: Draft = {}

export type ValueProblem = 'missing' | LeafProblem

/** By the place, as `placeOf` names it. */
export type Problems = Readonly<Record<string, ValueProblem>>

/** A schema may hold itself: what is deeper is opened by hand. */
export const OPEN_DEPTH = 5

export function placeIn(place: string, part: string | number): string {
  return `${place}/${part}`
}

export function isOpened(draft: Draft, isRequired: boolean, depth: number): boolean {
  return draft.isIn === true || (isRequired && depth < OPEN_DEPTH)
}

export interface ReadValue {
  /** Undefined where nothing was filled in. */
  readonly value: unknown
  readonly problems: Problems
}

export function readValue(schema: Schema, draft: Draft): ReadValue {
  const problems: Record<string, ValueProblem> = {}
  const value = new Reader(schema, problems).read(schema, draft, { place: '', isRequired: true, depth: 0 })
  return { value, problems }
}

interface At {
  readonly place: string
  readonly isRequired: boolean
  readonly depth: number
}

class Reader {
  private readonly root: Schema
  private readonly problems: Record<string, ValueProblem>

  constructor(root: Schema, problems: Record<string, ValueProblem>) {
    this.root = root
    this.problems = problems
  }

  read(schema: Schema, draft: Draft, at: At): unknown {
    const node = schemaNode(schema, this.root)
    switch (node.kind) {
      case 'fixed':
        return at.isRequired || draft.isIn ? node.value : undefined
      case 'boolean':
        return draft.at === undefined ? this.missing(at) : draft.at === 0
      case 'choice':
        return draft.at === undefined ? this.missing(at) : node.choices[draft.at]
      case 'union':
        return this.branch(node, draft, at)
      case 'list':
        return this.list(node, draft, at)
      case 'object':
        return this.object(node, draft, at)
      default:
        return this.leaf(node, draft, at)
    }
  }

  private missing({ place, isRequired }: At): undefined {
    if (isRequired) this.problems[place] = 'missing'
    return undefined
  }

  private branch(
    node: SchemaNode & { kind: 'union' },
    { at: chosen, inner = EMPTY }: Draft,
    at: At,
  ): unknown {
    const branch = chosen === undefined ? undefined : node.branches[chosen]
    if (branch === undefined) return this.missing(at)
    const place = placeIn(at.place, 'as')
    return this.read(branch.schema, inner, { place, isRequired: true, depth: at.depth + 1 })
  }

  private list(node: SchemaNode & { kind: 'list' }, { items = [] }: Draft, at: At): unknown {
    if (items.length === 0 && !at.isRequired) return undefined
    return items.map((item, i) =>
      this.read(node.item, item, { place: placeIn(at.place, i), isRequired: true, depth: at.depth + 1 }),
    )
  }

  private object(node: SchemaNode & { kind: 'object' }, draft: Draft, at: At): unknown {
    if (!isOpened(draft, at.isRequired, at.depth)) return this.missing(at)
    const entries = node.fields.flatMap(({ name, schema, isRequired }) => {
      const own = { place: placeIn(at.place, name), isRequired, depth: at.depth + 1 }
      const value = this.read(schema, draft.fields?.[name] ?? EMPTY, own)
      return value === undefined ? [] : [[name, value] as const]
    })
    return Object.fromEntries(entries)
  }

  private leaf(node: SchemaNode, { text = '' }: Draft, at: At): unknown {
    if (text.trim() === '') return this.missing(at)
    const read = readLeaf(node, text)
    if ('value' in read) return read.value
    this.problems[at.place] = read.problem
    return undefined
  }
}
