/**
 * A run that no host has worked on, such as a fork, as the processes of a cluster would have noted it if they had written its journal.
 *
 * 1. Only blocks that have not ended are executed again: their operations get records; they and their children get notes.
 * 2. What the journal does not have (the input of a request, what a child is told, the number that a wait listens to) comes with the
 *    operation, when its block is executed for the first time: until then it is marked as incomplete (operations.ts).
 * 3. The run waits, as one does whose model is out: whoever resumes it ends that.
 */
import { Ledger, NOTHING, type Used, unused } from '../../kernel/budget.ts'
import type { Adoption } from '../../kernel/store.ts'
import {
  accumulate,
  type EventOf,
  type Limits,
  type LostStep,
  NO_USAGE,
  parentPath,
  type Reserve,
  ROOT_PATH,
  type RunState,
  type Usage,
} from '../../protocol/index.ts'
import type { Learned } from '../shared/admission.ts'
import { blockStart, rootSpec, type Said } from '../shared/events.ts'
import { type OpRecord, type Records, strategyName } from '../shared/records.ts'
import type { Book, RunClock } from './books.ts'
import { type CalledBlock, type Hold, holdKey, NO_PARENT, queuedKey, type Turns } from './desk.ts'
import type { RunFrame, Waiting } from './journal.ts'
import { incompleteKey } from './operations.ts'

/** A journal as it is read to resume its run. */
export interface LoadedRun {
  readonly start: EventOf<'run-start'>
  readonly state: RunState
  /** Those without an end. */
  readonly blocks: ReadonlyMap<string, LoadedBlock>
  readonly lost: readonly LostStep[]
  readonly learned: Learned
  readonly said: Said
  readonly seq: number
}

interface LoadedBlock {
  readonly start: EventOf<'block-start'>
  readonly records: Records
  readonly usage: Usage
  readonly used: Used
  readonly startedMs: number
  readonly maxDepth: number
  readonly kept: Reserve
}

/** Whoever was at a step that writes is not there any more: it ends as interrupted (K2). */
const GONE = 'gone'

export function adoptionOf(run: LoadedRun): Adoption {
  const { start, state, blocks, lost, learned, said, seq } = run
  const { seed, config } = start
  const root = blocks.get(ROOT_PATH)
  const usages = usagesOf(blocks)
  const notes = new Map<string, unknown>([
    ['frame', { seed, config } satisfies RunFrame],
    ['waiting', { root: null, lost } satisfies Waiting],
    ['clock', clockOf(state)],
    ['turns', { steps: [], blocks: root === undefined ? [ROOT_PATH] : [], learned } satisfies Turns],
    ['said', said.size > 0 ? Object.fromEntries(said) : null],
  ])
  noteRoot(notes, start, state.limits ?? start.limits, root && bookOf(root, usages, null))
  const records: Adoption['records'][number][] = []
  if (root !== undefined) records.push({ path: NO_PARENT, n: 0, kind: 'start', seq: root.start.seq })
  for (const [path, block] of blocks) {
    if (block !== root) notes.set(`book ${path}`, bookOf(block, usages, block.start.limits ?? null))
    for (const [n, record] of block.records) {
      records.push(...recordsOf(path, n, record))
      noteOperation(notes, path, n, record)
    }
  }
  return { seq, records, notes: Object.fromEntries(notes) }
}

function noteRoot(
  notes: Map<string, unknown>,
  start: EventOf<'run-start'>,
  limits: Limits,
  root: Book | undefined,
): void {
  const { goal, options } = start
  const spec = rootSpec({ goal, strategy: strategyName(start.strategy), options })
  notes.set(`block ${ROOT_PATH}`, { n: 0, spec } satisfies CalledBlock)
  notes.set(`book ${ROOT_PATH}`, { ...(root ?? newBook(limits)), limits })
  if (root !== undefined) return
  // It has not begun, and is the first whose turn it is.
  const left = new Ledger(null, limits, 0, 0).left(0)
  const queued = { ...blockStart(spec, 0, start.strategy, NOTHING, left), path: ROOT_PATH }
  notes.set(queuedKey(NO_PARENT, 0), queued)
}

function* recordsOf(path: string, n: number, { start, end, parts }: OpRecord) {
  yield { path, n, kind: 'start' as const, seq: start.seq }
  for (const { part, seq } of parts) yield { path, n, kind: `part-${part}` as const, seq }
  if (end !== null) yield { path, n, kind: 'end' as const, seq: end.seq }
}

function noteOperation(notes: Map<string, unknown>, path: string, n: number, record: OpRecord): void {
  const { start, end, held = NOTHING } = record
  const { type } = start
  if (end !== null) {
    if (type === 'block-start') noteEnded(notes, n, start)
    return
  }
  if (type === 'model-start' || type === 'signal-asked' || type === 'block-start')
    notes.set(incompleteKey(path, n), true)
  if (type === 'tool-start' && start.access === 'write')
    notes.set(holdKey(path, n), { held, by: GONE } satisfies Hold)
  // One that holds nothing was lost with its process, or is between two parts.
  else if (type === 'tool-start' || type === 'model-start')
    notes.set(holdKey(path, n), { held, by: null, waits: held.calls === 0 } satisfies Hold)
}

/** Called again, it only says that it has ended. */
function noteEnded(notes: Map<string, unknown>, n: number, start: EventOf<'block-start'>): void {
  const { path, goal, options } = start
  const strategy = strategyName(start.strategy)
  const spec = { path, goal, strategy, options, ancestors: [], timeline: [] }
  notes.set(`block ${path}`, { n, spec } satisfies CalledBlock)
  notes.set(`book ${path}`, newBook(null))
}

function bookOf(block: LoadedBlock, usages: Usages, limits: Partial<Limits> | null): Book {
  const { start, startedMs, used, kept, maxDepth } = block
  return { limits, maxLevel: maxDepth, startedMs, used, usage: usages.get(start.path) as Usage, kept }
}

type Usages = ReadonlyMap<string, Usage>

/** In the books a block has spent what those below it have, also while they are open. */
function usagesOf(blocks: LoadedRun['blocks']): Usages {
  const usages = new Map([...blocks].map(([path, { usage }]) => [path, { ...usage }]))
  for (const [path, { usage }] of blocks) {
    for (let up = parentPath(path); up !== null; up = parentPath(up)) {
      const sum = usages.get(up)
      if (sum !== undefined) accumulate(sum, usage)
    }
  }
  return usages
}

function newBook(limits: Partial<Limits> | null): Book {
  return { limits, startedMs: 0, used: unused(), usage: { ...NO_USAGE }, kept: NOTHING }
}

function clockOf({ activeMs, changedAt, openSteps, openQuestions }: RunState): RunClock {
  return { activeMs, lastMs: Date.parse(changedAt), openSteps, openQuestions }
}
