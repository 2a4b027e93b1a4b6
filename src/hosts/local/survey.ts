/** A first pass over the journal of a replay: facts that are needed before its blocks are executed. */
import { type Event, type EventOf, type Outcome, ROOT_PATH, ThinkonError } from '../../protocol/index.ts'
import { noteSaid, type Said } from '../shared/events.ts'
import { strategyName } from '../shared/records.ts'

export interface Survey {
  readonly start: EventOf<'run-start'>
  readonly strategies: ReadonlySet<string>
  /** Blocks and numbers at which they took a signal when they looked: `1-2 4`. */
  readonly taken: ReadonlySet<string>
  readonly outcome: Outcome | null
  readonly said: Said
  /** From which event on which limit of depth holds. */
  readonly depths: readonly { readonly seq: number; readonly depth: number }[]
}

/** The limit of depth of a block that started with event `seq`. */
export function depthAt({ depths }: Survey, seq: number): number {
  return depths.findLast((limit) => limit.seq < seq)?.depth ?? Number.POSITIVE_INFINITY
}

export function surveyOf(events: Iterable<Event>): Survey {
  let start: EventOf<'run-start'> | null = null
  let outcome: Outcome | null = null
  const strategies = new Set<string>()
  const taken = new Set<string>()
  const said = new Map<string, string>()
  const depths: Survey['depths'][number][] = []
  for (const event of events) {
    noteDepth(depths, event)
    if (event.type === 'run-start') start = event
    else if (event.type === 'run-fork') noteSaid(said, event)
    else if (event.type === 'block-start') strategies.add(strategyName(event.strategy))
    else if (event.type === 'signal-taken') taken.add(`${event.path} ${event.n}`)
    else if (event.type === 'block-end' && event.path === ROOT_PATH) outcome = event.outcome
  }
  if (start === null) throw new ThinkonError('STORE_CORRUPT', 'the journal has no run-start')
  return { start, strategies, taken, outcome, said, depths }
}

function noteDepth(depths: Survey['depths'][number][], event: Event): void {
  if (event.type !== 'run-start' && event.type !== 'run-resume') return
  if (event.limits !== undefined) depths.push({ seq: event.seq, depth: event.limits.depth })
}
