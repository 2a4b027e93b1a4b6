/**
 * Where the time went: for each block, in the order of the tree, when a model, a tool or a person was at work. A fold over events: a step
 * that a kill or an outage broke off is a bar until then, and another from the resume on.
 */
import { type BlockState, type Event, goalTitle, type RunState } from '../protocol/index.ts'
import { checkView } from './entrances.ts'

export type TimelineKind = 'model' | 'tool' | 'wait'

export interface TimelineBar {
  readonly kind: TimelineKind
  readonly from: number
  readonly to: number
  readonly failed: boolean
}

export interface TimelineRow {
  readonly path: string
  readonly level: number
  readonly title: string
  readonly status: BlockState['status']
  readonly from: number
  readonly to: number
  readonly bars: readonly TimelineBar[]
  /** Of the block itself, without what is below it. */
  readonly times: Readonly<Record<TimelineKind, number>>
  readonly costUsd: number
}

export interface RunTimeline {
  readonly rows: readonly TimelineRow[]
  readonly from: number
  readonly to: number
  readonly times: Readonly<Record<TimelineKind, number>>
  /** Time at models by role, and at tools; in the order in which they were first used. */
  readonly roles: ReadonlyMap<string, number>
}

interface OpenBar {
  readonly path: string
  readonly kind: TimelineKind
  readonly role: string
  from: number
}

/** `state` is of the same events; `nowMs` is where what is under way ends. */
export function runTimeline(events: Iterable<Event>, state: RunState, nowMs: number): RunTimeline {
  checkView('runTimeline', [events, state, nowMs])
  const bars = new Map<string, TimelineBar[]>()
  const open = new Map<string, OpenBar>()
  const roles = new Map<string, number>()
  let last = 0

  function close(key: string, to: number, failed = false): void {
    const step = open.get(key)
    if (step === undefined) return
    open.delete(key)
    const { path, kind, role, from } = step
    const own = bars.get(path) ?? []
    bars.set(path, own)
    own.push({ kind, from, to: Math.max(from, to), failed })
    if (kind !== 'wait') roles.set(role, (roles.get(role) ?? 0) + Math.max(0, to - from))
  }

  /** Nobody was at work between the last event and this one. */
  function goOn(at: number): void {
    for (const [key, step] of [...open]) {
      if (step.kind === 'wait') continue
      close(key, last)
      open.set(key, { ...step, from: at })
    }
  }

  for (const event of events) {
    const at = Date.parse(event.ts)
    switch (event.type) {
      case 'model-start':
        open.set(keyOf(event), { path: event.path, kind: 'model', role: event.request.role, from: at })
        break
      case 'tool-start':
        open.set(keyOf(event), { path: event.path, kind: 'tool', role: 'tool', from: at })
        break
      case 'model-end':
      case 'tool-end':
        close(keyOf(event), at, !event.result.ok)
        break
      case 'signal-asked':
        // Without a question the block only listens.
        if (event.question !== undefined)
          open.set(keyOf(event), { path: event.path, kind: 'wait', role: '', from: at })
        break
      case 'signal-answered':
        close(keyOf(event), at)
        break
      case 'run-resume':
        goOn(at)
        break
    }
    last = at
  }
  const until = Math.max(last, nowMs)
  for (const key of [...open.keys()]) close(key, until)
  return { ...rowsOf(state, bars, until), roles }
}

function keyOf({ path, n }: { path: string; n: number }): string {
  return `${path}/${n}`
}

function rowsOf(
  state: RunState,
  bars: ReadonlyMap<string, readonly TimelineBar[]>,
  until: number,
): Omit<RunTimeline, 'roles'> {
  const rows: TimelineRow[] = []
  const times = { model: 0, tool: 0, wait: 0 }
  const open = [...state.blocks.values()]
    .filter(({ parent }) => parent === null)
    .reverse()
    .map((block) => ({ block, level: 0 }))
  // Not by recursion: a run may be thousands of levels deep.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { block, level } = next
    const row = rowOf(block, level, bars.get(block.path) ?? [], until)
    rows.push(row)
    for (const kind of ['model', 'tool', 'wait'] as const) times[kind] += row.times[kind]
    for (const path of block.children.toReversed()) {
      const child = state.blocks.get(path)
      if (child !== undefined) open.push({ block: child, level: level + 1 })
    }
  }
  const from = state.startedAt === '' ? until : Date.parse(state.startedAt)
  return { rows, times, from, to: Math.max(until, from + 1) }
}

function rowOf(block: BlockState, level: number, bars: readonly TimelineBar[], until: number): TimelineRow {
  const times = { model: 0, tool: 0, wait: 0 }
  for (const { kind, from, to } of bars) times[kind] += to - from
  return {
    path: block.path,
    level,
    title: goalTitle(block.goal),
    status: block.status,
    from: Date.parse(block.startedAt),
    to: block.endedAt === null ? until : Date.parse(block.endedAt),
    bars,
    times,
    costUsd: block.usage.costUsd ?? 0,
  }
}

/** Bars that would be too narrow to tell apart are one: thousands of calls are drawn as what can be seen of them. */
export function joinBars(bars: readonly TimelineBar[], leastMs: number): TimelineBar[] {
  checkView('joinBars', [bars, leastMs])
  const drawn: TimelineBar[] = []
  for (const bar of bars) {
    const before = drawn.at(-1)
    const isNear = before?.kind === bar.kind && bar.from - before.to < leastMs && bar.from >= before.from
    if (before !== undefined && isNear && bar.failed === before.failed)
      drawn[drawn.length - 1] = { ...before, to: Math.max(before.to, bar.to) }
    else drawn.push(bar)
  }
  return drawn
}
