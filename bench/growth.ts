/** The fold of a long journal against that of a short one: time per event, and memory against the state. */
import { type Event, foldEvents, NO_USAGE } from '../src/protocol/index.ts'
import type { Figures } from './index.ts'
import { rounded, rounds } from './measure.ts'

export const about = 'the fold of 100,000 events against that of 1,000: time per event; and what it keeps'

const SHORT = 1_000
const LONG = 100_000
const STEPS_PER_BLOCK = 10

export async function run(): Promise<Figures> {
  const short = journal(SHORT)
  const long = journal(LONG)
  await rounds(20, { warmUp: async () => foldEvents(short) })
  const times = await rounds(15, {
    short: async () => {
      for (let i = 0; i < LONG / SHORT; i++) foldEvents(short)
    },
    long: async () => foldEvents(long),
  })
  const usPerEvent = rounded((times.long ?? 0) / LONG, 3)
  const usPerEventShort = rounded((times.short ?? 0) / LONG, 3)
  const ratio = rounded((times.long ?? 0) / (times.short ?? 1))
  // Ten times the history over the same blocks: the state must not grow with it.
  const keptFew = kept(few(LONG / 10))
  const keptMany = kept(few(LONG))
  const stateRatio = rounded(keptMany / keptFew)
  return {
    figures: { events: LONG, usPerEvent, usPerEventShort, ratio, stateRatio },
    lines: [
      `${usPerEvent} µs per event at 100,000, ${usPerEventShort} µs at 1,000: ${ratio} ×`,
      `ten times the history over the same blocks: a state of ${stateRatio} × the size`,
    ],
  }
}

/** Blocks of a few steps each: state and history grow together. */
function journal(length: number): Event[] {
  return events(length, STEPS_PER_BLOCK)
}

/** The same hundred blocks, however long the history. */
function few(length: number): Event[] {
  return events(length, length / 100)
}

function events(length: number, perBlock: number): Event[] {
  const left = { tokens: 1, calls: 1, timeMs: 1, costUsd: 1 }
  const reserve = { calls: 1, tokens: 100, costUsd: 0 }
  const list: Event[] = []
  const add = (path: string, body: object) => {
    const ts = new Date(1_700_000_000_000 + list.length).toISOString()
    list.push({ seq: list.length + 1, ts, run: 'bench', path, ...body } as Event)
  }
  const limits = { depth: 8, tokens: 1, calls: 1, timeMs: 1, costUsd: 1 }
  const start = { goal: 'bench', strategy: 'bench@1', options: {} }
  add('1', { type: 'run-start', format: 1, ...start, limits, seed: 's', config: { thinkon: '0' } })
  add('1', { type: 'block-start', n: 0, ...start, kept: reserve, left })
  for (let block = 1; list.length < length; block++) {
    const path = `1-${block}`
    add(path, { type: 'block-start', n: block, ...start, kept: reserve, left })
    for (let n = 1; list.length % perBlock < perBlock - 3 && list.length < length; n++) {
      const request = { kind: 'bench/next', version: 1, role: 'plan', messages: [] }
      add(path, { type: 'model-start', n, request, reserve })
      add(path, {
        type: 'model-end',
        n,
        result: { ok: true, value: { text: 'x', usage: NO_USAGE } },
        usage: NO_USAGE,
        left,
      })
    }
    const outcome = { status: 'completed', result: 'done', usage: NO_USAGE }
    add(path, { type: 'block-end', n: block, outcome, left })
    add('1', { type: 'done-add', n: block, from: [path] })
  }
  return list
}

/** How large the state is when written out. */
function kept(list: readonly Event[]): number {
  const state = foldEvents(list)
  return JSON.stringify({ ...state, blocks: [...state.blocks.values()] }).length
}
