/** The children of a block: the latest attempt at each, and how those that were done again ended at last. */
import {
  attemptOf,
  attemptPath,
  type Chosen,
  childPath,
  type Outcome,
  placeOf,
  type Signal,
  signalText,
  type TimelineEntry,
} from '../protocol/index.ts'
import type { BlockSpec } from './durable.ts'
import type { Knowledge } from './knowledge.ts'
import type { Routing } from './routing.ts'

export class Children {
  private readonly parent: string
  private readonly knows: Knowledge
  private readonly routing: Routing
  /** In the order of their places, whatever the attempt: child 1 comes first. */
  private readonly latest: BlockSpec[] = []
  /** By the child's place. Made on first use, like all that most do without. */
  private redone: Map<string, Outcome> | null = null

  constructor(parent: string, knows: Knowledge, routing: Routing) {
    this.parent = parent
    this.knows = knows
    this.routing = routing
  }

  nextPath(): string {
    return childPath(this.parent, this.latest.length + 1)
  }

  /** The first attempt at the next place. */
  called(child: BlockSpec): void {
    this.latest.push(child)
  }

  calledAgain(child: BlockSpec): void {
    this.latest[this.indexOf(child.path)] = child
  }

  /** The latest attempt at the child with this path. */
  at(path: string): BlockSpec | undefined {
    const index = this.indexOf(path)
    return childPath(this.parent, index + 1) === placeOf(path) ? this.latest[index] : undefined
  }

  private indexOf(path: string): number {
    return Number(placeOf(path).slice(this.parent.length + 1)) - 1
  }

  ended(child: BlockSpec, outcome: Outcome): void {
    if (attemptOf(child.path) === 1) return
    this.redone ??= new Map()
    this.redone.set(placeOf(child.path), outcome)
  }

  /** How the last of several attempts ended, where there were several. */
  outcomeOfRedone(child: BlockSpec): Outcome | undefined {
    return this.redone?.get(placeOf(child.path))
  }

  /** What a look's redos ask for: each child once, with the person's latest words. */
  toRedo(signals: readonly Signal[]): Map<BlockSpec, string> {
    const asked = new Map<BlockSpec, string>()
    for (const { name, path, value } of signals) {
      const child = name === 'redo' ? this.at(path) : undefined
      if (child !== undefined) asked.set(child, signalText(value) || asked.get(child) || '')
    }
    return asked
  }

  /** The next attempt at a child's place; by another strategy, where one is given. */
  nextAttempt(child: BlockSpec, message: string, other: Chosen | null = null): BlockSpec {
    const last = this.at(child.path) ?? child
    const path = attemptPath(last.path, attemptOf(last.path) + 1)
    const said: TimelineEntry[] = message === '' ? [] : [{ path, kind: 'message', text: message }]
    const timeline = [...this.knows.timeline.known(), ...said]
    const changed = other && { strategy: other.strategy, options: this.routing.optionsOf(other) }
    return { ...last, ...changed, path, timeline }
  }
}
