/** The calls of tools that a run's caller executes, folded from its events: which wait for a result, and what became of the others. */
import type { Event, EventOf } from '../protocol/index.ts'

export interface CallerCall {
  /** The id of the question whose answer is the result. */
  readonly question: number
  readonly path: string
  readonly tool: string
  readonly input: unknown
}

/** `given up`: no result came in time, or the block was ended. */
export type CallerCallStatus = 'open' | 'answered' | 'given up'

export interface CallerCalls {
  follow(event: Event): void
  /** The question of the call that the event ends; undefined if it ends none. */
  endedBy(event: EventOf<'signal-answered'>): number | undefined
  /** Those that wait for a result. */
  open(): readonly CallerCall[]
  readonly isEmpty: boolean
  statusOf(question: number): CallerCallStatus | undefined
}

export function createCallerCalls(): CallerCalls {
  const open = new Map<number, CallerCall>()
  const ended = new Map<number, CallerCallStatus>()
  /** By path and name. */
  const questions = new Map<string, number>()

  function end(question: number | undefined, status: CallerCallStatus): void {
    if (question !== undefined && open.delete(question)) ended.set(question, status)
  }

  function asked({ seq, path, name, question }: EventOf<'signal-asked'>): void {
    const call = question?.call
    if (call === undefined) return
    open.set(seq, { question: seq, path, ...call })
    questions.set(`${path} ${name}`, seq)
  }

  const endedBy = ({ path, name }: EventOf<'signal-answered'>) => questions.get(`${path} ${name}`)

  function blockEnded(path: string): void {
    for (const call of [...open.values()]) if (call.path === path) end(call.question, 'given up')
  }

  return {
    follow(event) {
      if (event.type === 'signal-asked') asked(event)
      else if (event.type === 'signal-answered')
        end(endedBy(event), event.number > 0 ? 'answered' : 'given up')
      else if (event.type === 'block-end') blockEnded(event.path)
    },
    endedBy,
    open: () => [...open.values()],
    get isEmpty() {
      return open.size === 0
    },
    statusOf: (question) => (open.has(question) ? 'open' : ended.get(question)),
  }
}
