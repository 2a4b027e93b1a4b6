/**
 * The part of a run's journal that deals with turns in the budget (K3), and with workers that died.
 *
 * 1. A step waits in its effect's handler, which gives the engine no commands. A block waits in its workflow with timers, so that it
 *    holds no slot of the server. How often it looked is noted: executed again, it gives the engine as many timers.
 * 2. When no step is under way, nobody is asked and the journal has been quiet for a while, nothing can come back: those who wait
 *    are served with what there is, or refused.
 * 3. A step that was taken up and is claimed anew died with its worker, or was given up by it. What that worker's steps of this run held is
 *    spent (K3); those that only read are performed again, when they may hold as much once more.
 */
import type { SharedReader, SharedTransaction } from '../../kernel/store.ts'
import {
  type EventOf,
  emptyState,
  foldEvent,
  type Limits,
  type Reserve,
  ROOT_PATH,
} from '../../protocol/index.ts'
import { runResume } from '../shared/events.ts'
import { INTERRUPTED } from '../shared/records.ts'
import { type CalledBlock, Desk, type Hold, holdKey, NO_HOLD } from './desk.ts'
import { blockStartIn, generationIn, outIn, RunJournal } from './journal.ts'

/** So long nothing may have happened in a run before it is taken to do nothing but wait. */
export const QUIET_MS = 500

/** A waiting block looks the less often, the more are before it and the longer it has waited. */
const LOOK_MS = 50
const MAX_LOOK_MS = 60_000

/** The looks of a block that waits, and since when the journal has been as it was at the last one. */
interface Looks {
  readonly count: number
  readonly seq: number
  readonly sinceMs: number
}

/** A step's place. */
type At = { readonly path: string; readonly n: number }

type StepStart = EventOf<'model-start' | 'tool-start'>

export class TurnJournal extends RunJournal {
  // --- steps

  /**
   * This worker performs the step from now on; of one that writes this is on disk before anything changes in the world. What it holds, or null if there is
   * nothing to perform: the step has ended, also because it writes and another worker may have performed it. If it was taken over, whoever was at it before
   * is dead; otherwise that worker may live, and has given up this step alone.
   */
  async takeUp(
    { path, n }: At,
    worker: string,
    claim: 'taken' | 'taken-over',
    writes: boolean,
  ): Promise<Hold | null> {
    const found = await this.transact((tx) => takeUpIn(tx, { path, n }, worker, null), writes)
    if (typeof found !== 'string') return found
    const open = claim === 'taken-over' && found !== worker ? await this.openSteps() : [{ path, n }]
    const lost = { by: found, open }
    const taken = await this.transact((tx) => takeUpIn(tx, { path, n }, worker, lost), writes)
    if (typeof taken !== 'string') return taken
    throw new Error(`run ${this.run}: step ${path} ${n} was taken up by another worker`)
  }

  /** The step asks to hold `reserve`, having spent or lost what it held. */
  holdAgain(path: string, n: number, reserve: Reserve, part?: number): Promise<void> {
    return this.transact((tx) => {
      if (tx.find(path, n, 'end') !== null) return
      this.atDesk(tx, (desk) => desk.holdAgain(path, n, reserve, part))
    })
  }

  /** If nothing has happened since `seq`, and nothing is under way, nobody can wait any longer. */
  unblock(seq: number): Promise<void> {
    return this.transact((tx) => unblockIn(tx, seq))
  }

  private async openSteps(): Promise<At[]> {
    const state = emptyState()
    for await (const event of this.store.read(this.run)) foldEvent(state, event)
    return [...state.running.keys()].map((key) => {
      const [path, n] = key.split(' ') as [string, string]
      return { path, n: Number(n) }
    })
  }

  // --- limits

  /** The run is given more, from now on: who waits for that may go on. Throws if a limit would be lowered. */
  raise(budget: Partial<Limits>): Promise<void> {
    return this.transact((tx) => {
      const desk = new Desk(tx, false)
      const limits = desk.raise(this.run, budget)
      if (limits === undefined) return
      desk.append(ROOT_PATH, runResume(generationIn(tx), [], limits))
      desk.admission.next()
      desk.save()
    })
  }

  // --- blocks

  /** After how long the block is to look again, at its `look`-th look; its start, when it begins; null if it will not. */
  nextLook(
    called: CalledBlock,
    generation: number,
    look: number,
  ): Promise<number | EventOf<'block-start'> | null> {
    const { path } = called.spec
    return this.transact((tx) => {
      const key = looksKey(generation, path)
      const { seq } = tx
      const before = tx.note<Looks>(key)
      const sinceMs = before?.seq === seq ? before.sinceMs : Date.now()
      if (Date.now() - sinceMs >= QUIET_MS) unblockIn(tx, seq)
      const start = blockStartIn(tx, called)
      if (start !== null) return start
      const place = new Desk(tx).admission.blocks.findIndex((block) => block.path === path)
      if (place === -1) return null
      tx.setNote(key, { count: look + 1, seq, sinceMs } satisfies Looks)
      return Math.min(MAX_LOOK_MS, LOOK_MS * (1 + place + look))
    })
  }
}

/** Takes the step up; or says who did before, unless it is known that they are not at it any more, with those of their steps that are open. */
function takeUpIn(
  tx: SharedTransaction,
  { path, n }: At,
  worker: string,
  lost: { readonly by: string; readonly open: readonly At[] } | null,
): Hold | string | null {
  if (tx.find(path, n, 'end') !== null) return null
  const { by } = holdIn(tx, path, n)
  if (by !== null && by !== lost?.by) return by
  const open = lost?.open ?? []
  const dead = open.filter((at) => holdIn(tx, at.path, at.n).by === lost?.by && !isWrite(startOf(tx, at)))
  // The time before a run-resume is not active.
  const desk = new Desk(tx, !dead.some((at) => holdIn(tx, at.path, at.n).held.calls > 0))
  if (dead.length > 0) desk.takeFromDead(dead, generationIn(tx))
  const hold = { ...desk.hold(path, n), by: worker }
  const taken = desk.hold(path, n).by === null
  if (taken) desk.setHold(path, n, hold)
  else desk.endStep(path, n, INTERRUPTED)
  desk.save()
  const out = outIn(tx, { path, n })
  if (out.length < outIn(tx).length) tx.setNote('out', out)
  return taken ? hold : null
}

/** How often the block has looked whether its turn has come. */
export function looksIn(reader: SharedReader, generation: number, path: string): number {
  return reader.note<Looks>(looksKey(generation, path))?.count ?? 0
}

function looksKey(generation: number, path: string): string {
  return `looks ${generation} ${path}`
}

export function holdIn(reader: SharedReader, path: string, n: number): Hold {
  return reader.note<Hold>(holdKey(path, n)) ?? NO_HOLD
}

function startOf(reader: SharedReader, { path, n }: At): StepStart {
  return reader.find(path, n, 'start') as StepStart
}

function unblockIn(tx: SharedTransaction, seq: number): void {
  if (tx.seq !== seq) return
  const desk = new Desk(tx)
  if (!desk.isIdle) return
  desk.admission.unblock()
  desk.save()
}

function isWrite(start: StepStart): boolean {
  return start.type === 'tool-start' && start.access === 'write'
}
