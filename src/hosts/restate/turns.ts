/**
 * The part of a run's journal that deals with turns in the budget (K3), and with workers that died.
 *
 * 1. A step waits in its effect's handler, which gives the engine no commands. A block waits in its workflow with timers, so that it
 *    holds no slot of the server. How often it looked is noted: executed again, it gives the engine as many timers.
 * 2. When no step is under way, nobody is asked and the journal has been quiet for a while, nothing can come back: those who wait
 *    are served with what there is, or refused.
 * 3. A step that another worker was performing died with that worker. What its steps of this run held is spent (K3); those that only
 *    read are performed again, when they may hold as much once more.
 */
import type { SharedReader, SharedTransaction } from '../../kernel/store.ts'
import { type EventOf, foldEvents, type Limits, type Reserve, ROOT_PATH } from '../../protocol/index.ts'
import { runResume } from '../shared/events.ts'
import { INTERRUPTED } from '../shared/records.ts'
import { type CalledBlock, Desk, type Hold, holdKey, NO_HOLD } from './desk.ts'
import { RunJournal } from './journal.ts'

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

type StepStart = EventOf<'model-start' | 'tool-start'>

export class TurnJournal extends RunJournal {
  // --- steps

  /**
   * This worker performs the step from now on; of one that writes this is on disk before anything changes in the world. False if there is nothing to perform:
   * the step has ended, also because it writes and another worker may have performed it.
   */
  takeUp(path: string, n: number, worker: string): boolean {
    const { by } = this.holdOf(path, n)
    const open = by === null ? [] : by === worker ? [{ path, n }] : this.openSteps()
    const writes = this.store.peek(this.run, (reader) => isWrite(startOf(reader, { path, n })))
    return this.store.transact(
      this.run,
      (tx) => {
        if (tx.find(path, n, 'end') !== null) return false
        const dead = open.filter((at) => holdIn(tx, at.path, at.n).by === by && !isWrite(startOf(tx, at)))
        // The time before a run-resume is not active.
        const desk = new Desk(tx, !dead.some((at) => holdIn(tx, at.path, at.n).held.calls > 0))
        if (dead.length > 0) desk.takeFromDead(dead, this.generation)
        const taken = desk.hold(path, n).by === null
        if (taken) desk.setHold(path, n, { ...desk.hold(path, n), by: worker })
        else desk.endStep(path, n, INTERRUPTED)
        desk.save()
        return taken
      },
      writes,
    )
  }

  /** The step asks to hold `reserve`, having spent or lost what it held. */
  holdAgain(path: string, n: number, reserve: Reserve, part?: number): void {
    this.store.transact(this.run, (tx) => {
      if (tx.find(path, n, 'end') !== null) return
      const desk = new Desk(tx)
      desk.holdAgain(path, n, reserve, part)
      desk.save()
    })
  }

  holdOf(path: string, n: number): Hold {
    return this.store.peek(this.run, (reader) => holdIn(reader, path, n))
  }

  /** If nothing has happened since `seq`, and nothing is under way, nobody can wait any longer. */
  unblock(seq: number): void {
    this.store.transact(this.run, (tx) => unblockIn(tx, seq))
  }

  private openSteps(): { path: string; n: number }[] {
    const { running } = foldEvents(this.store.read(this.run))
    return [...running.keys()].map((key) => {
      const [path, n] = key.split(' ') as [string, string]
      return { path, n: Number(n) }
    })
  }

  // --- limits

  /** The run is given more, from now on: who waits for that may go on. Throws if a limit would be lowered. */
  raise(budget: Partial<Limits>): void {
    this.store.transact(this.run, (tx) => {
      const desk = new Desk(tx, false)
      const limits = desk.raise(this.run, budget)
      if (limits === undefined) return
      desk.append(ROOT_PATH, runResume(this.generation, [], limits))
      desk.admission.next()
      desk.save()
    })
  }

  // --- blocks

  /** After how long the block is to look again, at its `look`-th look; null when it begins. */
  waitMs(called: CalledBlock, generation: number, look: number): number | null {
    const { path } = called.spec
    const key = `looks ${generation} ${path}`
    const looks = this.note<Looks>(key)
    if (looks !== null && look < looks.count) return 0
    if (this.blockStart(called) !== null) return null
    return this.store.transact(this.run, (tx) => {
      const { seq } = tx
      const sinceMs = looks?.seq === seq ? looks.sinceMs : Date.now()
      if (Date.now() - sinceMs >= QUIET_MS) unblockIn(tx, seq)
      const place = new Desk(tx).admission.blocks.findIndex((block) => block.path === path)
      if (place === -1) return null
      tx.setNote(key, { count: look + 1, seq, sinceMs } satisfies Looks)
      return Math.min(MAX_LOOK_MS, LOOK_MS * (1 + place + look))
    })
  }
}

function holdIn(reader: SharedReader, path: string, n: number): Hold {
  return reader.note<Hold>(holdKey(path, n)) ?? NO_HOLD
}

function startOf(reader: SharedReader, { path, n }: { path: string; n: number }): StepStart {
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
