/**
 * Gathers a run's events into commits.
 *
 * 1. What is appended in a turn of the event loop is committed together. When no step is under way, nothing is gained by waiting for the
 *    end of the turn: the commit is made as soon as nothing more can happen without waiting. In memory it is made at once.
 * 2. One commit at a time: where the store's answer comes later, what is appended meanwhile is gathered for the next commit.
 * 3. Callbacks come after the commit of everything that was appended before them.
 * 4. Where several runs write, they wait for the disk together, and not on the main thread.
 */
import type { AsyncStore, Draft, Store } from '../../kernel/store.ts'
import { isBusy, whenFree } from '../../kernel/when-free.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { isTurnDue, noteCommit, noteTurn } from './turn.ts'

type Used = 'instant' | 'append' | 'release' | 'pending' | 'expire' | 'keepOutline'

/** The part of a store that a run uses. */
export type RunStore = Pick<Store, Used> | Pick<AsyncStore, Used | 'later'>

/** Whoever waits for a commit. */
export interface Committed {
  committed(): void
}

/** The run, as its commits see it. */
export interface Committing {
  readonly id: string
  readonly openSteps: number
  /** These events are in the journal now. */
  committed(drafts: readonly Draft[], firstSeq: number): void
  /** After a commit and what followed from it. */
  atRest(): void
  /** A commit has failed. */
  fail(error: unknown): void
  /** A commit waits for a store that another program has locked, or does no longer. */
  setStoreLocked(isLocked: boolean): void
}

export class Commits {
  private readonly run: Committing
  private readonly store: RunStore
  private readonly epoch: number
  private drafts: Draft[] = []
  private waiting: Committed[] = []
  /** Lists of an earlier commit, for the next one: that of a fast step takes as much memory as all the rest of it. */
  private spareDrafts: Draft[] = []
  private spareWaiting: Committed[] = []
  private mustFlush = false
  /** The commit that comes at the end of the turn at the latest. */
  private scheduled: Scheduled | null = null
  private stopped = false
  /** The run is being left: another program that has locked the store is not waited for. */
  private leaving = false
  /** A commit is being made, or events are appended that belong together. */
  private busy = false
  /** The commit whose answer is yet to come. */
  private underWay: Promise<void> | null = null

  constructor(run: Committing, store: RunStore, epoch: number) {
    this.run = run
    this.store = store
    this.epoch = epoch
  }

  /** `flush`: it must be on disk when it is committed. */
  append(draft: Draft, flush: boolean): void {
    this.drafts.push(draft)
    if (flush) this.mustFlush = true
    if (this.scheduled === null) this.schedule()
  }

  /** Calls back when everything appended so far is committed. */
  after(one: Committed): void {
    this.waiting.push(one)
    if (this.store.instant && !this.busy && !isTurnDue(this.drafts)) this.commit()
    else if (this.scheduled === null) this.schedule()
  }

  /** Resolves when everything appended so far is on disk. */
  flushed(): Promise<void> {
    this.mustFlush = true
    return new Promise((committed) => this.after({ committed }))
  }

  /** What `action` appends is committed together, also where commits are not gathered. */
  together(action: () => void): void {
    if (this.busy) {
      action()
      return
    }
    this.busy = true
    try {
      action()
    } finally {
      this.busy = false
    }
    if (this.store.instant) this.commit()
  }

  /** Nothing is committed before `resume`. */
  pause(): void {
    this.busy = true
  }

  resume(): void {
    this.busy = false
    this.commit()
  }

  get isBusy(): boolean {
    return this.busy
  }

  get isEmpty(): boolean {
    return this.drafts.length === 0
  }

  /** Commits what is gathered now, unless a commit is under way: then it follows. */
  commit(): void {
    if (this.stopped || this.busy) return
    this.busy = true
    while (this.drafts.length > 0 || this.waiting.length > 0) {
      if (!this.write()) return
      if (!this.store.instant) break
    }
    this.done()
  }

  /** Commits all that was appended so far. Null if that is done, else a promise that it is. */
  finish(): Promise<void> | null {
    this.leaving = true
    this.commit()
    const { underWay } = this
    if (underWay === null) return null
    return underWay.then(() => {
      this.commit()
      return this.underWay ?? undefined
    })
  }

  /** Nothing more is written. */
  stop(): void {
    this.stopped = true
    // Before the end of the turn many runs may end: each with all that it has said would be kept until then.
    if (this.scheduled !== null) this.scheduled.commits = null
  }

  private schedule(): void {
    this.scheduled = { commits: this }
    process.nextTick(commitSoon, this.scheduled)
  }

  /** No promise is left to be settled. What steps under way will append soon is gathered, too. */
  soon(scheduled: Scheduled): void {
    const isDue = isTurnDue(this.drafts)
    if (isDue) noteTurn(this.drafts)
    if (isDue || this.run.openSteps > 0) setImmediate(commitNow, scheduled)
    else this.now()
  }

  now(): void {
    this.scheduled = null
    this.commit()
  }

  /** Makes a commit of what was gathered. False if it has failed, or if its answer is yet to come. */
  private write(): boolean {
    const { drafts, waiting, mustFlush } = this
    this.drafts = this.spareDrafts
    this.waiting = this.spareWaiting
    this.mustFlush = false
    noteCommit()
    try {
      const first = drafts.length === 0 ? 0 : this.send(drafts, mustFlush)
      if (typeof first === 'number') {
        this.written(drafts, first, waiting)
        return true
      }
      this.underWay = first
        .then((seq) => {
          this.underWay = null
          if (this.stopped) return
          this.written(drafts, seq, waiting)
          this.done()
        })
        .catch((error) => this.failed(error))
    } catch (error) {
      this.failed(error)
    }
    return false
  }

  private send(drafts: readonly Draft[], mustFlush: boolean): number | Promise<number> {
    // No other program can have locked it.
    if (this.store.instant) return this.store.append(this.run.id, this.epoch, drafts, mustFlush)
    return this.sendWhenFree(drafts, mustFlush)
  }

  private sendWhenFree(drafts: readonly Draft[], mustFlush: boolean): number | Promise<number> {
    const append = () => {
      if (this.stopped) throw new ThinkonError('INTERRUPTED', `run ${this.run.id} was stopped`)
      return this.store.append(this.run.id, this.epoch, drafts, mustFlush)
    }
    let isLocked = false
    const lock = () => {
      isLocked = true
      this.run.setStoreLocked(true)
    }
    const sent = whenFree(append, () => this.leaving, lock)
    return isLocked && sent instanceof Promise ? sent.finally(() => this.run.setStoreLocked(false)) : sent
  }

  private failed(error: unknown): void {
    if (!this.leaving || !isBusy(error)) this.run.fail(error)
  }

  private written(drafts: Draft[], first: number, waiting: Committed[]): void {
    if (drafts.length > 0) this.run.committed(drafts, first)
    for (const one of waiting) one.committed()
    this.spareDrafts = emptied(drafts)
    this.spareWaiting = emptied(waiting)
  }

  private done(): void {
    this.busy = false
    if (this.scheduled === null && (this.drafts.length > 0 || this.waiting.length > 0)) this.schedule()
    this.run.atRest()
  }
}

interface Scheduled {
  commits: Commits | null
}

function commitSoon(scheduled: Scheduled): void {
  scheduled.commits?.soon(scheduled)
}

function commitNow({ commits }: Scheduled): void {
  commits?.now()
}

/** It keeps its room, unless it was a long one. */
function emptied<T>(list: T[]): T[] {
  if (list.length > MOST_KEPT) return []
  while (list.length > 0) list.pop()
  return list
}

const MOST_KEPT = 16
