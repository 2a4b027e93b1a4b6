import type { Emission } from './durable.ts'
import type { Loop } from './loop-guard.ts'

/** Shared by all that is empty: never written to. */
const NONE: never[] = []

/** What follows from a batch of ends, once all of them are in; done in this order. Most ends have few consequences, or none. */
export class Consequences {
  /** Paths of children. */
  archived: string[] = NONE
  repairs: Emission[] = NONE
  loops: Loop[] = NONE
  attempts: (() => void)[] = NONE
  continued: (() => void)[] = NONE
  isEmpty = true

  add<Kind extends keyof Omit<Consequences, 'add' | 'isEmpty'>>(
    kind: Kind,
    item: Consequences[Kind][number] | null,
  ): void {
    if (item === null) return
    this.isEmpty = false
    if (this[kind] === NONE) this[kind] = [] as never
    ;(this[kind] as (typeof item)[]).push(item)
  }
}

/** One that has stayed empty serves the next batch of ends. */
let spare: Consequences | null = null

export function consequences(): Consequences {
  const empty = spare ?? new Consequences()
  spare = null
  return empty
}

/** It must be empty, and nobody may keep it. */
export function giveBack(empty: Consequences): void {
  spare = empty
}
