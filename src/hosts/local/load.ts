/**
 * Reads of a journal what a process needs to resume the run, in one pass: the records of blocks that have not ended, what was
 * spent and held under each of them, and the active time so far.
 */
import { NOTHING } from '../../kernel/budget.ts'
import type { Store } from '../../kernel/store.ts'
import {
  accumulate,
  type Event,
  type EventOf,
  NO_USAGE,
  type Outcome,
  parentPath,
  type Reserve,
  type RunState,
  ThinkonError,
  type Usage,
} from '../../protocol/index.ts'
import { isOpEnd, type OpEnd, type OpRecord, type Records } from '../shared/records.ts'
import { foldOpen, type Outline } from './outline.ts'

export interface OpenBlock {
  readonly start: EventOf<'block-start'>
  readonly records: Records
  /** Everything that was spent in it and below it. */
  usage: Usage
  /** Spent and held. */
  used: Reserve
  /** The run's active time when it started. */
  readonly startedMs: number
  /** Still kept back for closing. */
  kept: Reserve
  end: EventOf<'block-end'> | null
}

export interface Journal {
  readonly start: EventOf<'run-start'>
  /** Of its blocks those that have not ended. */
  readonly state: RunState
  /** Blocks without an end. */
  readonly blocks: Map<string, OpenBlock>
  readonly outcome: Outcome | null
  readonly seq: number
  readonly outline: Outline
}

export function loadJournal(store: Pick<Store, 'outline' | 'pick'>, run: string): Journal {
  const blocks = new Map<string, OpenBlock>()
  let start: EventOf<'run-start'> | null = null
  const { state, outline } = foldOpen(store, run, (event, activeMs, folded) => {
    if (event.type === 'run-start') start = event
    else if (!event.type.startsWith('run-')) recordEvent(blocks, event, activeMs)
    if (event.type !== 'block-end') return
    blocks.delete(event.path)
    folded.blocks.delete(event.path)
  })
  if (start === null) throw new ThinkonError('STORE_CORRUPT', 'the journal has no run-start')
  shareWithAncestors(blocks)
  return { start, state, blocks, outcome: state.outcome, seq: state.seq, outline }
}

/** What open blocks spent and hold is spent and held by their ancestors too. */
function shareWithAncestors(blocks: Map<string, OpenBlock>): void {
  const own = [...blocks].map(([path, block]) => [path, { ...block.used }] as const)
  for (const [path, used] of own) {
    for (let up = parentPath(path); up !== null; up = parentPath(up)) {
      const ancestor = blocks.get(up)
      if (ancestor) addReserve(ancestor.used, used)
    }
  }
}

/** Adds the event to the records of its block, or of its parent. */
export function recordEvent(blocks: Map<string, OpenBlock>, event: Event, activeMs: number): void {
  if (event.type === 'block-start') blocks.set(event.path, openBlock(event, activeMs))
  // A child's start and end are records of the parent's call.
  const isBlock = event.type === 'block-start' || event.type === 'block-end'
  const block = blocks.get((isBlock ? parentPath(event.path) : event.path) ?? '')
  if (event.type === 'block-end') endBlock(blocks.get(event.path), block, event)
  if (block === undefined || !('n' in event) || event.n === undefined) return
  const opened = block.records.get(event.n)
  if (event.type === 'part-end') recordPart(block, opened, event)
  else if (isOpEnd(event)) recordEnd(block, opened, event)
  else recordStart(block, event.n, event)
}

function openBlock(start: EventOf<'block-start'>, startedMs: number): OpenBlock {
  const { kept } = start
  const records: Records = new Map()
  return { start, records, usage: { ...NO_USAGE }, used: { ...kept }, startedMs, kept, end: null }
}

function endBlock(
  ended: OpenBlock | undefined,
  parent: OpenBlock | undefined,
  event: EventOf<'block-end'>,
): void {
  if (ended === undefined) return
  ended.end = event
  if (parent) spend(parent, event.outcome.usage)
}

function recordStart(block: OpenBlock, n: number, start: Event): void {
  block.records.set(n, { start, end: null, parts: [] })
  if (start.type === 'model-start' || start.type === 'tool-start') addReserve(block.used, start.reserve)
  if (start.type === 'model-start' && start.closing) {
    addReserve(block.used, negative(block.kept))
    block.kept = NOTHING
  }
}

function recordPart(block: OpenBlock, step: OpRecord | undefined, part: EventOf<'part-end'>): void {
  if (step?.parts.length === 0) addReserve(block.used, negative(reserveOf(step)))
  step?.parts.push(part)
  spend(block, part.usage)
}

function recordEnd(block: OpenBlock, opened: OpRecord | undefined, end: OpEnd): void {
  if (opened) opened.end = end
  if (end.type !== 'model-end' && end.type !== 'tool-end') return
  if (opened?.parts.length === 0) addReserve(block.used, negative(reserveOf(opened)))
  spend(block, end.usage)
}

/** What a step holds until its end, or until its first paid part. */
function reserveOf({ start }: OpRecord): Reserve {
  return (start as EventOf<'model-start'>).reserve
}

function spend(block: OpenBlock, usage: Usage): void {
  accumulate(block.usage, usage)
  addReserve(block.used, {
    calls: usage.calls,
    tokens: usage.inputTokens + usage.outputTokens,
    costUsd: usage.costUsd ?? 0,
  })
}

function addReserve(sum: Reserve, more: Reserve): void {
  sum.calls += more.calls
  sum.tokens += more.tokens
  sum.costUsd += more.costUsd
}

function negative({ calls, tokens, costUsd }: Reserve): Reserve {
  return { calls: -calls, tokens: -tokens, costUsd: -costUsd }
}
