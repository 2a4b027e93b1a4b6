/** Events of all sorts and lengths; the same for the same topic. */
import type { Draft } from '../../src/kernel/store.ts'
import { DEFAULT_LIMITS, type Event, type Message } from '../../src/protocol/index.ts'

export const TOPICS = ['apples', 'bridges', 'clouds', 'drums', 'engines']

export const START: Draft = {
  type: 'run-start',
  format: 1,
  goal: 'g',
  strategy: 's@1',
  options: {},
  limits: { ...DEFAULT_LIMITS },
  seed: 's',
  config: { thinkon: '0' },
  path: '1',
  atMs: 1_000,
}
export const END: Draft = { type: 'run-end', status: 'completed', path: '1', atMs: 3_000 }

const USAGE = { calls: 1, inputTokens: 1, outputTokens: 1 }
const LEFT = { calls: 1, tokens: 1, timeMs: 1, costUsd: 1 }

export function saying(topic: string): Draft[] {
  const reply = JSON.stringify({
    title: long(`the title of ${topic}`, 3),
    steps: [long(`a step of ${topic}`, 4)],
  })
  const parts = Array.from({ length: 20 }, (_, i) => long(`part ${i} of ${topic}`, 10))
  const messages: Message[] = [
    { role: 'system', content: long(`the rules of ${topic}`) },
    { role: 'user', content: parts },
    { role: 'assistant', content: `turn about ${topic}` },
    { role: 'user', content: long(`the last word on ${topic}`, 200) },
  ]
  const tools = [{ name: 't', description: long(`a tool for ${topic}`, 10), schema: { type: 'object' } }]
  const request = { kind: 'k', version: 1, role: 'plan' as const, messages, tools }
  const value = { text: reply, value: JSON.parse(reply), usage: USAGE }
  const result = { ok: true as const, value }
  const note = (data: unknown): Draft => ({ type: 'note', n: 1, name: 'n', data, path: '1', atMs: 2_000 })
  return [
    { type: 'model-start', n: 1, request, reserve: { calls: 1, tokens: 1, costUsd: 0 }, path: '1', atMs: 1 },
    { type: 'model-end', n: 1, result, usage: USAGE, left: LEFT, path: '1', atMs: 1 },
    { type: 'todo-set', n: 2, todo: value.value.title, path: '1', atMs: 1 },
    note({ made: [value.value.steps[0]] }),
    note(`${topic} `.repeat(50_000)),
  ]
}

/** What both an event and its draft have. */
export function said(events: readonly object[]): string {
  return JSON.stringify(
    (events as Partial<Event & Record<string, unknown>>[]).map(({ type, request, result, data, todo }) => ({
      type,
      request,
      result,
      data,
      todo,
    })),
  )
}

function long(text: string, times = 40): string {
  return `something about ${text}, over and over `.repeat(times)
}
