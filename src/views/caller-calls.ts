/** The calls of tools that a run's caller executes, folded from its events: which wait for a result, and what became of the others. */
import type { Event, EventOf } from '../protocol/index.ts'

export interface CallerCall {
  readonly path: string
  /** The signal that gives the result. */
  readonly signal: string
  readonly tool: string
  readonly input: unknown
}

/** `given up`: no result came in time, or the block was ended. */
export type CallerCallStatus = 'open' | 'answered' | 'given up'

export interface CallerCalls {
  follow(event: Event): void
  /** Those that wait for a result. */
  open(): readonly CallerCall[]
  readonly isEmpty: boolean
  statusOf(call: CallKey): CallerCallStatus | undefined
}

export type CallKey = Pick<CallerCall, 'path' | 'signal'>

export function callKey({ path, signal }: CallKey): string {
  return `${path} ${signal}`
}

/** The call that the event answers, if it is one. */
export function answeredKey({ path, name: signal }: EventOf<'signal-answered'>): string {
  return callKey({ path, signal })
}

export function createCallerCalls(): CallerCalls {
  const open = new Map<string, CallerCall>()
  const ended = new Map<string, CallerCallStatus>()

  function end(key: string, status: CallerCallStatus): void {
    if (open.delete(key)) ended.set(key, status)
  }

  function asked({ path, name: signal, question }: EventOf<'signal-asked'>): void {
    const call = question?.call
    if (call !== undefined) open.set(callKey({ path, signal }), { path, signal, ...call })
  }

  function blockEnded(path: string): void {
    for (const [key, call] of open) if (call.path === path) end(key, 'given up')
  }

  return {
    follow(event) {
      if (event.type === 'signal-asked') asked(event)
      else if (event.type === 'signal-answered')
        end(answeredKey(event), event.number > 0 ? 'answered' : 'given up')
      else if (event.type === 'block-end') blockEnded(event.path)
    },
    open: () => [...open.values()],
    get isEmpty() {
      return open.size === 0
    },
    statusOf: (call) => (open.has(callKey(call)) ? 'open' : ended.get(callKey(call))),
  }
}
