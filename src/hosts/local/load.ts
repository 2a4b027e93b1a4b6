/**
 * Reads of a journal what a process needs to resume the run, in one pass: the records of blocks that have not ended, what was
 * spent and held under each of them, the steps that were under way, and the active time so far.
 */
import { NOTHING, type Used, unused } from '../../kernel/budget.ts'
import {
  accumulate,
  accumulateRole,
  type Event,
  type EventOf,
  type LostStep,
  NO_USAGE,
  type Outcome,
  parentPath,
  type Reserve,
  type RoleUsage,
  type RunState,
  ThinkonError,
  type Usage,
} from '../../protocol/index.ts'
import type { Learned } from '../shared/admission.ts'
import { lostUsage } from '../shared/endings.ts'
import { noteSaid, type Said } from '../shared/events.ts'
import { isOpEnd, type OpEnd, type OpRecord, type Records } from '../shared/records.ts'
import { foldOpen, type Outline, type OutlineReader } from './outline.ts'

export interface OpenBlock {
  readonly start: EventOf<'block-start'>
  readonly records: Records
  /** Everything that was spent in it and below it. */
  usage: Usage
  /** Spent, held and kept back, in it and below it. */
  readonly used: Used
  /** The run's active time when it started. */
  readonly startedMs: number
  /** The run's limit of depth when it started: what it was told then holds, though more may be allowed now. */
  readonly maxDepth: number
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
  /** Steps that were under way when the last process died: charged already, and to be recorded when the run is resumed. */
  readonly lost: readonly LostStep[]
  readonly outcome: Outcome | null
  readonly seq: number
  readonly outline: Outline
  /** What its calls have shown to take. */
  readonly learned: Learned
  /** What a person said with the redo of a block that began anew, by its path. */
  readonly said: Said
}

export async function loadJournal(store: OutlineReader, run: string): Promise<Journal> {
  const blocks = new Map<string, OpenBlock>()
  const said = new Map<string, string>()
  let start: EventOf<'run-start'> | null = null
  const { state, outline, learned } = await foldOpen(store, run, (event, activeMs, folded) => {
    if (event.type === 'run-start') start = event
    else if (event.type === 'run-resume') resumed(blocks, event)
    // What a fork has copied is not under way here, nor is a step whose model is out.
    else if (event.type === 'run-fork' || event.type === 'run-wait') setUnderWay(blocks, false)
    else if (event.type === 'block-start') started(blocks, event, activeMs, folded)
    else if (event.type !== 'run-end') recordEvent(blocks, event)
    if (event.type === 'run-fork') noteSaid(said, event)
    if (event.type !== 'block-end') return
    blocks.delete(event.path)
    folded.blocks.delete(event.path)
  })
  if (start === null) throw new ThinkonError('STORE_CORRUPT', 'the journal has no run-start')
  const lost = chargeLost(blocks, state.roles)
  shareWithAncestors(blocks)
  return { start, state, blocks, lost, outcome: state.outcome, seq: state.seq, outline, learned, said }
}

function resumed(blocks: Map<string, OpenBlock>, { lost = [] }: EventOf<'run-resume'>): void {
  for (const { path, n, usage } of lost) {
    const block = blocks.get(path)
    if (block === undefined) continue
    setHeld(block, block.records.get(n), NOTHING)
    spend(block, usage)
  }
  setUnderWay(blocks, true)
}

function setUnderWay(blocks: Map<string, OpenBlock>, underWay: boolean): void {
  for (const { records } of blocks.values()) {
    for (const step of records.values()) if (isOpenStep(step)) step.underWay = underWay
  }
}

/** What a step under way had reserved is spent: nobody knows what it really took. A write is not performed again. */
function chargeLost(blocks: Map<string, OpenBlock>, roles: RoleUsage): LostStep[] {
  const lost: LostStep[] = []
  for (const [path, block] of blocks) {
    for (const [n, step] of block.records) {
      if (!step.underWay || !isOpenStep(step)) continue
      const { start } = step
      const usage = lostUsage(step.held)
      lost.push({ path, n, usage })
      setHeld(block, step, NOTHING)
      spend(block, usage)
      accumulateRole(roles, start.type === 'model-start' ? start.request.role : 'tool', usage)
    }
  }
  return lost
}

type OpenStep = OpRecord & { start: EventOf<'model-start' | 'tool-start'>; held: Reserve }

function isOpenStep(step: OpRecord): step is OpenStep {
  const { start, end, held = NOTHING } = step
  // A step that was refused holds nothing, nor does one between two parts.
  return end === null && held.calls > 0 && !(start.type === 'tool-start' && start.access === 'write')
}

/** What open blocks spent and hold is spent and held by their ancestors too. */
function shareWithAncestors(blocks: Map<string, OpenBlock>): void {
  const own = [...blocks].map(([path, { used }]) => [path, structuredClone(used)] as const)
  for (const [path, { spent, held, kept }] of own) {
    for (let up = parentPath(path); up !== null; up = parentPath(up)) {
      const used = blocks.get(up)?.used
      if (used === undefined) continue
      addReserve(used.spent, spent)
      addReserve(used.held, held)
      addReserve(used.kept, kept)
    }
  }
}

function started(
  blocks: Map<string, OpenBlock>,
  event: EventOf<'block-start'>,
  activeMs: number,
  { limits }: RunState,
): void {
  blocks.set(event.path, openBlock(event, activeMs, limits?.depth ?? Number.POSITIVE_INFINITY))
  recordEvent(blocks, event)
}

/** Adds the event to the records of its block, or of its parent. */
function recordEvent(blocks: Map<string, OpenBlock>, event: Event): void {
  // A child's start and end are records of the parent's call.
  const isBlock = event.type === 'block-start' || event.type === 'block-end'
  const block = blocks.get((isBlock ? parentPath(event.path) : event.path) ?? '')
  if (event.type === 'block-end') endBlock(blocks.get(event.path), block, event)
  if (block === undefined || !('n' in event) || event.n === undefined) return
  const opened = block.records.get(event.n)
  if (event.type === 'part-start') recordHold(block, opened, event.reserve)
  else if (event.type === 'part-end') recordPart(block, opened, event)
  else if (isOpEnd(event)) recordEnd(block, opened, event)
  else recordStart(block, event.n, event)
}

function openBlock(start: EventOf<'block-start'>, startedMs: number, maxDepth: number): OpenBlock {
  const { kept } = start
  const records: Records = new Map()
  const used = { ...unused(), kept: { ...kept } }
  return { start, records, usage: { ...NO_USAGE }, used, startedMs, maxDepth, kept, end: null }
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
  const record: OpRecord = { start, end: null, parts: [] }
  block.records.set(n, record)
  if (start.type !== 'model-start' && start.type !== 'tool-start') return
  setHeld(block, record, start.reserve)
  record.underWay = isOpenStep(record)
  if (start.type === 'model-start' && start.closing) {
    addReserve(block.used.kept, negative(block.kept))
    block.kept = NOTHING
  }
}

function recordHold(block: OpenBlock, step: OpRecord | undefined, reserve: Reserve): void {
  setHeld(block, step, reserve)
  if (step) step.underWay = isOpenStep(step)
}

function recordPart(block: OpenBlock, step: OpRecord | undefined, part: EventOf<'part-end'>): void {
  setHeld(block, step, NOTHING)
  step?.parts.push(part)
  spend(block, part.usage)
}

function recordEnd(block: OpenBlock, opened: OpRecord | undefined, end: OpEnd): void {
  if (opened) opened.end = end
  if (end.type !== 'model-end' && end.type !== 'tool-end') return
  setHeld(block, opened, NOTHING)
  spend(block, end.usage)
}

/** What a step holds until its end, or until its part is paid. */
function setHeld(block: OpenBlock, step: OpRecord | undefined, held: Reserve): void {
  if (step === undefined) return
  addReserve(block.used.held, negative(step.held ?? NOTHING))
  addReserve(block.used.held, held)
  step.held = held
}

function spend(block: OpenBlock, usage: Usage): void {
  accumulate(block.usage, usage)
  addReserve(block.used.spent, {
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
