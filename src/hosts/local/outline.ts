/**
 * The outline of a run: which blocks are open, and the numbers of the events that are their records. Who resumes or steers a run
 * reads these events and what came after the outline, and nothing else of blocks that have ended.
 *
 * 1. It is derived from the journal, whose first `seq` events never change: one that is missing or old only costs time.
 * 2. Its owner keeps it in the store so often that little has to be read after it, and so seldom that it costs next to nothing.
 */
import type { Events, Store } from '../../kernel/store.ts'
import {
  accumulate,
  type Event,
  type EventType,
  emptyState,
  foldEvent,
  NO_USAGE,
  parentPath,
  type RoleUsage,
  type RunState,
} from '../../protocol/index.ts'
import { type Learned, learnFrom, nothingLearned } from '../shared/admission.ts'

/** What the fold of the whole journal has summed up by the last event. */
export interface Sums {
  /** The event's time. */
  readonly changedMs: number
  readonly roles: RoleUsage
  /** Outlines of earlier versions have none. */
  readonly learned?: Learned
}

/** As many events at least come between two outlines. */
const MIN_EVENTS = 4_096
/** The longer the outline, the more events come before the next one. */
const NUMBERS_PER_EVENT = 8

export class Outline {
  private seq = 0
  private activeMs = 0
  private readonly open = new Map<string, Listed>()
  /** Events of the run itself, with its root's start and end. */
  private readonly own: number[] = []
  private count = 0
  private keptSeq = 0

  /** Takes the next event. `activeMs`: the run's active time by then. */
  follow(path: string, type: EventType, activeMs: number): void {
    const seq = ++this.seq
    this.activeMs = activeMs
    if (type === 'block-start') {
      // In its own list as well: its parent may end before it does.
      this.open.set(path, { startedMs: activeMs, seqs: [seq] })
      this.count++
    }
    // A child's start and end are records of the parent's call.
    const isBlock = type === 'block-start' || type === 'block-end'
    const owner = isBlock ? parentPath(path) : type.startsWith('run-') ? null : path
    const list = owner === null ? this.own : this.open.get(owner)?.seqs
    if (list !== undefined) {
      list.push(seq)
      this.count++
    }
    if (type !== 'block-end') return
    this.count -= this.open.get(path)?.seqs.length ?? 0
    this.open.delete(path)
  }

  /** The number of the last event, and the run's active time by then. */
  get last(): { seq: number; activeMs: number } {
    return { seq: this.seq, activeMs: this.activeMs }
  }

  /** The run's active time when the block started. */
  startedMs(path: string): number {
    return this.open.get(path)?.startedMs ?? 0
  }

  /** The numbers of all its events, in their order. */
  seqs(): number[] {
    const all = [this.own, ...Array.from(this.open.values(), ({ seqs }) => seqs)].flat()
    all.sort((a, b) => a - b)
    return all.filter((seq, i) => seq !== all[i - 1])
  }

  get isDue(): boolean {
    return this.seq - this.keptSeq >= MIN_EVENTS + this.count / NUMBERS_PER_EVENT
  }

  /** The journal does not need it: errors are ignored, and a store that has failed for good fails the next commit. */
  keepIfDue(store: Pick<Store, 'keepOutline'>, run: string, sums: () => Sums): void {
    if (!this.isDue) return
    try {
      this.keep(store, run, sums())
    } catch {}
  }

  keep(store: Pick<Store, 'keepOutline'>, run: string, sums: Sums): void {
    const blocks = Array.from(
      this.open,
      ([path, { startedMs, seqs }]) => [path, startedMs, gaps(seqs)] as const,
    )
    const { seq, activeMs } = this
    const kept: Kept = { format: FORMAT, seq, activeMs, sums, own: gaps(this.own), blocks }
    store.keepOutline(run, JSON.stringify(kept))
    this.keptSeq = this.seq
  }

  /** The one that was kept last; null if there is none that this version can read. */
  static async kept(
    store: Pick<OutlineReader, 'outline'>,
    run: string,
  ): Promise<{ outline: Outline; sums: Sums } | null> {
    const kept = parsed(await store.outline(run))
    if (kept?.format !== FORMAT) return null
    const outline = new Outline()
    outline.own.push(...numbers(kept.own))
    outline.count = kept.own.length
    for (const [path, startedMs, list] of kept.blocks) {
      outline.open.set(path, { startedMs, seqs: numbers(list) })
      outline.count += list.length
    }
    outline.seq = kept.seq
    outline.activeMs = kept.activeMs
    outline.keptSeq = kept.seq
    return { outline, sums: kept.sums }
  }
}

/** Null for one that is no JSON: it is made again. */
function parsed(text: string | null): Kept | null {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

/** What is asked of a store. */
export interface OutlineReader {
  outline(run: string): string | null | Promise<string | null>
  pick(run: string, seqs: readonly number[], from: number): Events
}

/**
 * Folds what is open of a run, the children of open blocks, and whatever came after the outline that was kept last. `follow` sees
 * each of these events when it is in the state, with the active time by then. Usage, time and what was learned are those of the whole
 * run.
 */
export async function foldOpen(
  store: OutlineReader,
  run: string,
  follow: (event: Event, activeMs: number, state: RunState) => void = () => {},
): Promise<{ state: RunState; outline: Outline; learned: Learned }> {
  const kept = await Outline.kept(store, run)
  const learned = kept?.sums.learned ?? nothingLearned()
  const outline = kept?.outline ?? new Outline()
  const { seq, activeMs } = outline.last
  const state = emptyState()
  for await (const event of store.pick(run, outline.seqs(), seq + 1)) {
    const isListed = event.seq <= seq
    if (event.seq === seq + 1 && kept !== null) restore(state, seq, activeMs, kept.sums)
    // The time up to the outline is known.
    if (isListed) state.changedAt = ''
    foldEvent(state, event)
    if (!isListed) {
      outline.follow(event.path, event.type, state.activeMs)
      noteLearned(learned, event)
    }
    follow(event, isListed ? outline.startedMs(event.path) : state.activeMs, state)
  }
  if (kept !== null && outline.last.seq === seq) restore(state, seq, activeMs, kept.sums)
  return { state, outline, learned }
}

function noteLearned(learned: Learned, event: Event): void {
  // A step that was refused holds nothing.
  if (event.type !== 'model-start' || event.reserve.calls === 0) return
  learnFrom(learned, event.reserve, event.closing === true)
}

/** The fold has only seen the events of open blocks. */
function restore(state: RunState, seq: number, activeMs: number, { changedMs, roles }: Sums): void {
  state.seq = seq
  state.changedAt = new Date(changedMs).toISOString()
  state.activeMs = activeMs
  state.roles = roles
  state.usage = { ...NO_USAGE }
  for (const usage of Object.values(roles)) accumulate(state.usage, usage)
}

interface Listed {
  readonly startedMs: number
  readonly seqs: number[]
}

const FORMAT = 1

/** An outline as JSON. Ascending numbers are kept as the gaps between them, which are shorter. */
interface Kept {
  readonly format: number
  readonly seq: number
  readonly activeMs: number
  readonly sums: Sums
  readonly own: readonly number[]
  readonly blocks: readonly (readonly [path: string, startedMs: number, seqs: readonly number[]])[]
}

function gaps(seqs: readonly number[]): number[] {
  return seqs.map((seq, i) => seq - (seqs[i - 1] ?? 0))
}

function numbers(list: readonly number[]): number[] {
  let seq = 0
  return list.map((gap) => {
    seq += gap
    return seq
  })
}
