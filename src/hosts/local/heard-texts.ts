/**
 * Notifications of another process about a run that are not events: streamed text, failed attempts. It is passed on after the start of its step
 * and not after the step's end. Nothing of it is stored, so some of it may be missing.
 */
import type { Said } from '../../kernel/store.ts'
import type { Ephemeral, Event, EventOf } from '../../protocol/index.ts'

/** Texts that came before the start of their step. */
const MAX_WAITING = 1_000
/** Steps that ended last: texts may come after the end. */
const MAX_ENDED = 1_000

export class HeardTexts {
  private waiting: Said[] = []
  private readonly ended = new Set<string>()
  private readonly tell: (text: Ephemeral) => void

  constructor(tell: (text: Ephemeral) => void) {
    this.tell = tell
  }

  /** `toldSeq`: the last event that listeners have received. */
  heard(said: Said, toldSeq: number): void {
    if (this.ended.has(stepOf(said.what))) return
    if (said.seq <= toldSeq) this.tell(said.what)
    else if (this.waiting.length < MAX_WAITING) this.waiting.push(said)
  }

  /** Listeners have received this event. */
  told(event: Event): void {
    if (event.type === 'model-end') this.end(stepOf(event))
    if (this.waiting.length === 0) return
    const due = this.waiting.filter(({ seq }) => seq <= event.seq)
    this.waiting = this.waiting.filter(({ seq }) => seq > event.seq)
    for (const { what } of due) if (!this.ended.has(stepOf(what))) this.tell(what)
  }

  private end(step: string): void {
    this.ended.add(step)
    const [oldest] = this.ended
    if (this.ended.size > MAX_ENDED && oldest !== undefined) this.ended.delete(oldest)
  }
}

function stepOf(event: Ephemeral | EventOf<'model-end'>): string {
  return 'n' in event ? `${event.path} ${event.n}` : ''
}
