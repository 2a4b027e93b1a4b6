/**
 * What a run that has ended keeps of its journal when one of its blocks is redone: everything that does not depend on the block.
 *
 * 1. A block sees how a child ended only when it archives it (`done-add`). So what its ancestors did from there on depends on the
 *    redone block, and goes; what they began before stays, with its end, however late that came: parallel siblings above all.
 * 2. Its ancestors have not ended any more. What they stopped when they ended, or after they had seen the redone block, has not
 *    ended either, and continues.
 * 3. The block keeps its outcome, and its end asks for another attempt, as if the redo had come while the run was going on. A block that
 *    its parent had stopped, and the root, begin anew instead, in a journal that is cut off before them.
 */
import type { Events } from '../kernel/store.ts'
import {
  attemptOf,
  attemptPath,
  type Event,
  type EventOf,
  isPart,
  parentPath,
  ThinkonError,
} from '../protocol/index.ts'

export interface RedoPlan {
  /** The block begins anew. */
  readonly anew: boolean
  keeps(event: Event): boolean
  keepsOperation(path: string, n: number): boolean
  /** What the next attempt at a block is told that had been redone before: of attempts that are not kept, the latest message. */
  messageFor(path: string): string
  /** The end of the redone block; null if it has none, or begins anew. */
  readonly end: number | null
}

/** Throws BAD_INPUT if there is no such block. */
export async function planRedo(events: Events, path: string): Promise<RedoPlan> {
  const blocks = await outlineOf(events)
  const block = blocks.get(path)
  if (block === undefined) throw new ThinkonError('BAD_INPUT', `there is no block ${path} in this run`)
  const above = ancestorsOf(path)
  const parent = blocks.get(above[0] ?? '')
  if (parent === undefined || (isStopped(block) && limitOf(parent, block) < Number.POSITIVE_INFINITY)) {
    const keeps = ({ seq }: Event) => seq < block.start
    const stays = (at: string) => (blocks.get(at)?.start ?? 0) < block.start
    return {
      anew: true,
      keeps,
      keepsOperation: () => true,
      messageFor: (at) => latestMessage(blocks, at, stays),
      end: null,
    }
  }
  const plan = new Plan(blocks)
  for (const [i, up] of above.entries()) {
    const child = blocks.get(above[i - 1] ?? path) as BlockOutline
    plan.reopen(blocks.get(up) as BlockOutline, child)
  }
  return {
    anew: false,
    keeps: (event) => plan.keeps(event),
    keepsOperation: (at, n) => plan.keepsOperation(at, n),
    messageFor: (at) => latestMessage(blocks, at, (attempt) => plan.keepsOperation(attempt, 0)),
    end: block.end,
  }
}

interface OperationOutline {
  readonly n: number
  readonly start: number
  end: number | null
  /** It was ended because its block was, or by its block. */
  stopped: boolean
  /** The path of the block that it called. */
  readonly child: string | null
}

interface BlockOutline {
  readonly path: string
  /** The number of its call in its parent. */
  readonly n: number
  readonly start: number
  end: number | null
  outside: boolean
  /** With which message its end asks for another attempt. */
  redo: string | null
  /** The signal that ended it. */
  endedBy: number | null
  readonly operations: Map<number, OperationOutline>
  /** By path of a child: the number of the operation by which it was archived. */
  readonly archived: Map<string, number>
  /** By number of an operation that was the first to end: the number of that `first`. */
  readonly wins: Map<number, number>
}

class Plan {
  private readonly blocks: ReadonlyMap<string, BlockOutline>
  /** By block: operations from this number on go. */
  private readonly limits = new Map<string, number>()
  /** Blocks that go, with everything below them. */
  private readonly gone = new Set<string>()
  private readonly goneEvents = new Set<number>()
  /** Whether a block stays, as far as it was asked for. */
  private readonly stays = new Map<string, boolean>()

  constructor(blocks: ReadonlyMap<string, BlockOutline>) {
    this.blocks = blocks
  }

  /** The block has not ended any more, and did nothing after it had seen how `seen` ended. */
  reopen(block: BlockOutline, seen: BlockOutline | null): void {
    const limit = seen === null ? Number.POSITIVE_INFINITY : limitOf(block, seen)
    this.limits.set(block.path, limit)
    for (const event of [block.end, block.endedBy]) if (event !== null) this.goneEvents.add(event)
    const kept: OperationOutline[] = []
    let lastStart = 0
    for (const operation of block.operations.values()) {
      if (operation.n < limit) {
        kept.push(operation)
        lastStart = Math.max(lastStart, operation.start)
      } else if (operation.child !== null) this.gone.add(operation.child)
    }
    for (const operation of kept)
      if (operation.child === null || operation.child !== seen?.path)
        this.continueStopped(operation, lastStart)
  }

  /** What was stopped before its block did something else had been stopped for a reason that still holds. */
  private continueStopped({ end, stopped, child }: OperationOutline, lastStart: number): void {
    if (end === null || !stopped || end < lastStart) return
    const block = child === null ? undefined : this.blocks.get(child)
    if (block === undefined) this.goneEvents.add(end)
    else if (isStopped(block)) this.reopen(block, null)
  }

  keeps(event: Event): boolean {
    if (event.type === 'run-end' || this.goneEvents.has(event.seq)) return false
    const isBlock = event.type === 'block-start' || event.type === 'block-end'
    return this.keepsOperation(event.path, !isBlock && 'n' in event ? (event.n ?? 0) : 0)
  }

  keepsOperation(path: string, n: number): boolean {
    const limit = this.limits.get(path)
    return (limit === undefined || n < limit) && this.isKept(path)
  }

  private isKept(path: string): boolean {
    const known = this.stays.get(path)
    if (known !== undefined) return known
    const parent = parentPath(path)
    const kept = !this.gone.has(path) && (parent === null || this.isKept(parent))
    this.stays.set(path, kept)
    return kept
  }
}

function latestMessage(
  blocks: ReadonlyMap<string, BlockOutline>,
  path: string,
  stays: (attempt: string) => boolean,
): string {
  let message = ''
  let block = blocks.get(path)
  while (block !== undefined && block.redo !== null) {
    message = block.redo || message
    const next = attemptPath(block.path, attemptOf(block.path) + 1)
    block = stays(next) ? undefined : blocks.get(next)
  }
  return message
}

/** The number from which on what the block did depends on how the child ended. */
function limitOf(block: BlockOutline, { path, n }: BlockOutline): number {
  const archived = block.archived.get(path)
  if (archived === undefined) return Number.POSITIVE_INFINITY
  const won = block.wins.get(n)
  return won === archived - 1 ? won : archived
}

function isStopped({ outside, endedBy }: BlockOutline): boolean {
  return outside && endedBy === null
}

/** From the parent to the root. */
function ancestorsOf(path: string): string[] {
  const above: string[] = []
  for (let up = parentPath(path); up !== null; up = parentPath(up)) above.push(up)
  return above
}

async function outlineOf(events: Events): Promise<Map<string, BlockOutline>> {
  const blocks = new Map<string, BlockOutline>()
  for await (const event of events) {
    const block = blocks.get(event.path)
    if (event.type === 'block-start') blockStarted(blocks, event)
    else if (event.type === 'block-end') blockEnded(blocks, block, event)
    else if (block !== undefined) noteOperation(block, event)
  }
  return blocks
}

function blockStarted(blocks: Map<string, BlockOutline>, { path, n, seq }: EventOf<'block-start'>): void {
  blocks.get(parentPath(path) ?? '')?.operations.set(n, operationOf(n, seq, path))
  blocks.set(path, {
    path,
    n,
    start: seq,
    end: null,
    outside: false,
    redo: null,
    endedBy: null,
    operations: new Map(),
    archived: new Map(),
    wins: new Map(),
  })
}

function blockEnded(
  blocks: Map<string, BlockOutline>,
  block: BlockOutline | undefined,
  { path, n, seq, outside, redo }: EventOf<'block-end'>,
): void {
  if (block === undefined) return
  block.end = seq
  block.outside = outside === true
  block.redo = redo?.message ?? null
  if (!block.outside) block.endedBy = null
  endOperation(blocks.get(parentPath(path) ?? ''), n, seq, block.outside)
}

function noteOperation(block: BlockOutline, event: Event): void {
  if (event.type === 'model-end' || event.type === 'tool-end' || event.type === 'signal-answered') {
    endOperation(block, event.n, event.seq, isStop(event))
    return
  }
  if (event.type === 'done-add') for (const child of event.from) block.archived.set(child, event.n)
  if (event.type === 'first-won') block.wins.set(event.winner, event.n)
  if (event.type === 'signal-taken' && event.n === undefined) block.endedBy = event.seq
  else if (!isPart(event) && 'n' in event && event.n !== undefined)
    block.operations.set(event.n, operationOf(event.n, event.seq, null))
}

function operationOf(n: number, start: number, child: string | null): OperationOutline {
  return { n, start, end: null, stopped: false, child }
}

function endOperation(block: BlockOutline | undefined, n: number, seq: number, stopped: boolean): void {
  const operation = block?.operations.get(n)
  if (operation === undefined) return
  operation.end = seq
  operation.stopped = stopped
}

function isStop({ result }: EventOf<'model-end' | 'tool-end' | 'signal-answered'>): boolean {
  return !result.ok && (result.error.code === 'CANCELLED' || result.error.code === 'SKIPPED')
}
