/**
 * Tells listeners what happens in a run.
 *
 * 1. Everything is told in the order in which it happened: what is not recorded comes after the events that were appended before it, and
 *    before those appended after it. So nothing of a block comes before its `block-start`, and the text of a step comes between the
 *    step's start and its end.
 * 2. A listener that begins now, and has read the events up to `seq` and the texts under way, misses nothing and gets nothing twice.
 */
import type { Listener } from '../../kernel/durable.ts'
import type { Draft } from '../../kernel/store.ts'
import type { Ephemeral, Event, TextDelta } from '../../protocol/index.ts'
import { tell } from '../shared/tell.ts'

export class Telling {
  /** The last event that was told. */
  seq: number
  /** How many events were appended in this process. */
  appended = 0
  /** How many of them are told. */
  private told = 0
  private readonly run: string
  /** Replaced when one comes or goes: whoever comes while something is told does not get that. */
  private listeners: readonly Listener[] = []
  /** What is not recorded, until the events that were appended before it are told. */
  private readonly held: { readonly after: number; readonly event: Ephemeral }[] = []
  /** The text of replies under way, as far as it was told. */
  private readonly writing = new Map<string, TextDelta>()

  constructor(run: string, seq: number) {
    this.run = run
    this.seq = seq
  }

  /** Returns how to stop listening. */
  listen(listener: Listener): () => void {
    this.listeners = [...this.listeners, listener]
    return () => {
      this.listeners = this.listeners.filter((other) => other !== listener)
    }
  }

  /** The text so far of each reply under way. */
  textsUnderWay(): TextDelta[] {
    return [...this.writing.values()].map((text) => ({ ...text }))
  }

  /** Events that are in the journal now. */
  committed(drafts: readonly Draft[], firstSeq: number): void {
    this.events(drafts, firstSeq)
    this.told += drafts.length
    if (this.held.length > 0) this.release(this.told)
  }

  events(drafts: readonly Draft[], firstSeq: number): void {
    if (this.listeners.length > 0 || this.held.length > 0 || this.writing.size > 0) {
      for (let i = 0; i < drafts.length; i++) {
        if (this.held.length > 0) this.release(this.told + i)
        this.seq = firstSeq + i
        this.event(drafts[i] as Draft)
      }
    }
    this.seq = firstSeq + drafts.length - 1
  }

  unrecorded(event: Ephemeral): void {
    if (this.told === this.appended && this.held.length === 0) this.tellUnrecorded(event)
    else this.held.push({ after: this.appended, event })
  }

  private event(draft: Draft): void {
    if (draft.type === 'model-end') this.writing.delete(stepKey(draft))
    if (this.listeners.length === 0) return
    const { atMs, path, ...body } = draft
    const stamp = { seq: this.seq, ts: new Date(atMs).toISOString(), run: this.run, path }
    this.tell({ ...stamp, ...body } as Event)
  }

  /** What was held back until so many events are told. */
  private release(told: number): void {
    while (this.held[0] !== undefined && this.held[0].after <= told) {
      const { event } = this.held[0]
      this.held.shift()
      this.tellUnrecorded(event)
    }
  }

  private tellUnrecorded(event: Ephemeral): void {
    if (event.type === 'text-delta') this.keepText(event)
    if (this.listeners.length > 0) this.tell(event)
  }

  private keepText(delta: TextDelta): void {
    const key = stepKey(delta)
    const text = this.writing.get(key)
    if (text === undefined) this.writing.set(key, { ...delta })
    else text.text += delta.text
  }

  private tell(event: Event | Ephemeral): void {
    for (const listener of this.listeners) tell(listener, event)
  }
}

function stepKey({ path, n }: { path: string; n: number }): string {
  return `${path} ${n}`
}
