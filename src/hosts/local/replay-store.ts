/**
 * The store of a replay: a journal that is read while its blocks are executed. It records nothing, and compares each appended event
 * with the recorded one at the same place.
 *
 * 1. It is read on when an operation is made, until the operation's start is there, and when all blocks stand still, until the end of an
 *    operation that was made.
 * 2. Records are held from when they are read until they are compared: memory does not grow with the run.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Draft } from '../../kernel/store.ts'
import { type Event, type EventOf, isPart, parentPath, ROOT_PATH, type Signal } from '../../protocol/index.ts'
import { FAILED_VERSION, operationLabel } from '../shared/records.ts'
import type { Recorded } from './recorded.ts'
import { type BlockEndDraft, ReplayedBlock } from './replayed-block.ts'
import type { Survey } from './survey.ts'

export interface Difference {
  path: string
  /** The operation's number; 0 for the block itself. */
  n: number
  /** The journal's event, if it has one. */
  seq: number | null
  what: string
}

export class ReplayStore implements Recorded {
  readonly instant = true
  /** How many were executed again. */
  blocks = 0
  operations = 0
  private readonly survey: Survey
  private readonly journal: Iterator<Event>
  private readonly differences: Difference[] = []
  /** Those that are not over. */
  private readonly open = new Map<string, ReplayedBlock>()
  private isHeard = false

  constructor(survey: Survey, journal: Iterator<Event>) {
    this.survey = survey
    this.journal = journal
  }

  // --- reading

  get(path: string): ReplayedBlock | undefined {
    return this.open.get(path)
  }

  readUntilBegun(): void {
    while (!this.open.has(ROOT_PATH) && this.read());
  }

  /** Reads until the end of an operation that was made. False at the end of the journal. */
  readOn(): boolean {
    this.isHeard = false
    while (!this.isHeard) if (!this.read()) return false
    return true
  }

  private readonly read = (): boolean => {
    const { done, value } = this.journal.next()
    if (done) return false
    this.take(value)
    return true
  }

  private take(event: Event): void {
    if (event.type.startsWith('run-')) return
    const { path } = event
    if (event.type === 'block-start') this.open.set(path, new ReplayedBlock(event, this.survey, this.read))
    else if (event.type === 'block-end') this.takeEnd(event)
    // A child's start and end are records of the parent's call.
    const isBlock = event.type === 'block-start' || event.type === 'block-end'
    const owner = this.open.get((isBlock ? parentPath(path) : path) ?? '')
    if (owner === undefined || isPart(event) || !('n' in event) || event.n === undefined) return
    if (owner.add(event.n, event)) this.isHeard = true
  }

  private takeEnd(end: EventOf<'block-end'>): void {
    const block = this.open.get(end.path)
    if (block === undefined) return
    block.end = end
    this.close(block)
  }

  // --- comparing

  append(_run: string, _epoch: number, drafts: readonly Draft[]): number {
    for (const draft of drafts) {
      if (draft.type === 'block-end') this.answered(draft)
      else if (draft.type === 'block-start' && draft.path === ROOT_PATH)
        this.begun(this.open.get(ROOT_PATH), draft)
      else if ('n' in draft && draft.n !== undefined) this.made(draft, draft.n)
    }
    return 1
  }

  /** Whether the strategy was executed: not where a block did nothing before it was ended. */
  wasSolved(path: string): boolean {
    const block = this.open.get(path)
    if (block === undefined) return false
    const didNothing = block.get(1) === undefined
    block.isUnsolved = didNothing && (block.end?.outside === true || block.end?.outcome.code === 'LIMIT')
    return !block.isUnsolved
  }

  failed(path: string, what: string): void {
    this.differ(path, 0, null, what)
  }

  allDifferences(): Difference[] {
    for (const block of this.open.values()) {
      const { path, end } = block
      if (!block.isBegun || block.isUnsolved || end === null || end.outside) continue
      this.differ(path, 0, end.seq, 'the journal has its end, the strategy has not come to one')
      this.checkRest(block)
    }
    return this.differences.sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
  }

  /** An operation was made. */
  private made(draft: Draft, n: number): void {
    const isBlock = draft.type === 'block-start'
    // A block takes signals by the way.
    if (draft.type !== 'signal-taken') this.operations++
    const block = this.open.get((isBlock ? parentPath(draft.path) : draft.path) ?? '')
    if (block === undefined) return
    const record = block.compared(n)
    if (record === undefined) {
      // How an unfinished block, or one that was ended from outside, would have continued is unknown.
      if (block.end !== null && !block.end.outside)
        this.differ(
          block.path,
          n,
          null,
          `the strategy makes ${operationLabel(draft)}, the journal has nothing there`,
        )
      return
    }
    if (isBlock && operationLabel(record.start) === operationLabel(draft))
      this.begun(this.open.get(draft.path), draft)
    else this.compare(block.path, n, record.start, draft)
    this.close(block)
  }

  private begun(block: ReplayedBlock | undefined, draft: Draft & { type: 'block-start' }): void {
    if (block === undefined) return
    this.blocks++
    block.isBegun = true
    if (draft.strategy.endsWith(FAILED_VERSION)) block.isUnsolved = true
    this.compare(block.path, 0, block.start, draft)
    this.close(block)
  }

  private answered(draft: BlockEndDraft): void {
    const block = this.open.get(draft.path)
    if (block === undefined) return
    block.answer = draft
    this.close(block)
  }

  /** Compares how it has ended, when both ends are there, and forgets it. */
  private close(block: ReplayedBlock): void {
    if (!block.isOver) return
    this.open.delete(block.path)
    const { end, answer } = block
    if (end === null || answer === null || end.outside || block.isUnsolved) return
    this.checkRest(block)
    const { usage: _was, ...was } = end.outcome
    const { usage: _is, ...is } = answer.outcome
    if (isDeepStrictEqual(was, JSON.parse(JSON.stringify(is)))) return
    const what = `it ended ${was.status} "${was.result}", now ${is.status} "${is.result}"`
    this.differ(block.path, 0, end.seq, what)
  }

  /** Nothing of the journal may be left over. */
  private checkRest(block: ReplayedBlock): void {
    for (const [n, start] of block.rest()) {
      const what = `the journal has ${operationLabel(start)}, the strategy no longer makes it`
      this.differ(block.path, n, start.seq, what)
    }
  }

  private compare(path: string, n: number, recorded: Event, draft: Draft): void {
    const { seq, ts: _ts, run: _run, path: _path, inactiveMs: _inactiveMs, ...was } = recorded
    const { path: _place, atMs: _time, inactiveMs: _pause, ...is } = JSON.parse(JSON.stringify(draft))
    if (isDeepStrictEqual(was, is)) return
    const [labelWas, labelIs] = [operationLabel(recorded), operationLabel(draft)]
    const fields = Object.keys({ ...was, ...is })
      .filter((key) => !isDeepStrictEqual((was as never)[key], is[key]))
      .map((key) => (key === 'strategy' ? `strategy (${(was as never)[key]}, here is ${is[key]})` : key))
    const what =
      labelWas === labelIs
        ? `${labelWas} differs in ${fields.join(', ')}`
        : `the journal has ${labelWas}, the strategy makes ${labelIs}`
    this.differ(path, n, seq, what)
  }

  private differ(path: string, n: number, seq: number | null, what: string): void {
    this.differences.push({ path, n, seq, what })
  }

  // --- what a run expects of its store

  pending(): Signal[] {
    return []
  }

  expire(): boolean {
    return false
  }

  release(): void {}

  keepOutline(): void {}
}
