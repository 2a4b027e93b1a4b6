/** Hand-made journals for the tests of the views: events one after the other, each some time after the one before. */
import type { Event, EventBody, Goal, Outcome, Usage } from '../../src/protocol/index.ts'

export const usage: Usage = { calls: 1, inputTokens: 100, outputTokens: 20 }
export const left = { tokens: 0, calls: 0, timeMs: 0, costUsd: 0 }
export const kept = { calls: 0, tokens: 0, costUsd: 0 }
const limits = { depth: 8, tokens: 1_000, calls: 100, timeMs: 60_000, costUsd: 1 }

export interface Journal {
  readonly events: Event[]
  add(path: string, body: EventBody): Journal
  runStart(goal: Goal, strategy: string): Journal
  start(path: string, goal: Goal, strategy: string, options?: unknown): Journal
  note(path: string, name: string, data: unknown): Journal
  model(path: string, kind: string, error?: string): Journal
  tool(path: string, name: string, input: unknown, value: unknown, error?: string): Journal
  end(path: string, outcome: Omit<Outcome, 'usage'>): Journal
  runEnd(status: Outcome['status']): Journal
}

export function journal(startedAt = '2026-03-04T05:06:07.100Z', stepMs = 137): Journal {
  const events: Event[] = []
  let calls = 0
  const made: Journal = {
    events,
    add(path, body) {
      const ts = new Date(Date.parse(startedAt) + events.length * stepMs).toISOString()
      events.push({ seq: events.length + 1, ts, run: 'r1', path, ...body } as Event)
      return made
    },
    runStart: (goal, strategy) =>
      made.add('1', {
        type: 'run-start',
        format: 1,
        goal,
        strategy,
        options: {},
        limits,
        seed: 's',
        config: { thinkon: '0' },
      }),
    start: (path, goal, strategy, options = {}) =>
      made.add(path, { type: 'block-start', n: 0, goal, strategy, options, kept, left }),
    note: (path, name, data) => made.add(path, { type: 'note', n: 1, name, data }),
    model(path, kind, error) {
      const n = ++calls
      const request = { kind, version: 1, role: 'act', messages: [], settings: {} } as never
      made.add(path, { type: 'model-start', n, request, reserve: kept })
      const result = (
        error === undefined
          ? { ok: true, value: { text: '', usage } }
          : { ok: false, error: { code: 'MODEL_FAILED', message: error, retryable: false } }
      ) as never
      return made.add(path, { type: 'model-end', n, result, usage, left })
    },
    tool(path, name, input, value, message) {
      const n = ++calls
      made.add(path, { type: 'tool-start', n, name, input, access: 'read', reserve: kept })
      const failed = { code: 'TOOL_ERROR' as const, message: message ?? '' }
      const result =
        message === undefined ? { ok: true as const, value } : { ok: false as const, error: failed }
      return made.add(path, { type: 'tool-end', n, result, usage, left })
    },
    end: (path, outcome) => made.add(path, { type: 'block-end', n: 0, outcome: { ...outcome, usage }, left }),
    runEnd: (status) => made.add('1', { type: 'run-end', status }),
  }
  return made
}
