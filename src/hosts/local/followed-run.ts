/**
 * A run that another process works on. Reads its events from the store and passes them to listeners, until it ends.
 *
 * 1. If its owner dies or leaves it unfinished, this process takes it over.
 * 2. Listeners receive streamed text as well if the store passes it on between processes.
 */
import type { Listener, RunHandle, RunningRun } from '../../kernel/durable.ts'
import { type AnyStore, draftOf, gathered } from '../../kernel/store.ts'
import { isBusy } from '../../kernel/when-free.ts'
import { type EventOf, foldEvent, type Outcome, type RunState } from '../../protocol/index.ts'
import { outageError } from '../shared/outage.ts'
import { HeardTexts } from './heard-texts.ts'
import type { Journal } from './load.ts'
import { Telling } from './telling.ts'

/** How often a store without notifications is asked whether something was written. */
const LOOK_MS = 100
/** How often the owner is checked, and a store with notifications is asked: they may be lost. */
const CHECK_MS = 1_000
/** How many events are read at a time. */
const PAGE = 64

export class FollowedRun implements RunHandle, RunningRun {
  readonly id: string
  readonly telling: Telling
  readonly outcome: Promise<Outcome>
  private readonly store: AnyStore
  private readonly state: RunState
  /** Resumes the run in this process. Its events are read from the store all the same. */
  private readonly takeOver: () => Promise<RunHandle>
  private version: number | null = null
  private checkedMs = 0
  private readonly unwatch: (() => void) | undefined
  private readonly unhear: (() => void) | undefined
  private readonly texts: HeardTexts
  /** One look at a time; another follows if something was written meanwhile. */
  private looking: Promise<void> | null = null
  private isDue = false
  /** The last event, if the run waits for its model. */
  private wait: EventOf<'run-wait'> | null = null
  private isHere = false
  private isOver = false
  private timer: NodeJS.Timeout | null = null
  private resolve!: (outcome: Outcome) => void
  private reject!: (error: unknown) => void

  constructor(
    store: AnyStore,
    { start, state, seq }: Journal,
    listener: Listener | undefined,
    takeOver: () => Promise<RunHandle>,
  ) {
    this.id = start.run
    this.store = store
    this.state = state
    this.takeOver = takeOver
    this.telling = new Telling(start.run, seq)
    if (listener) this.telling.listen(listener)
    this.outcome = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
    // A run whose outcome is not awaited must not end the process.
    this.outcome.catch(() => {})
    this.texts = new HeardTexts((text) => this.telling.unrecorded(text))
    if ('hear' in store)
      this.unhear = store.hear?.(this.id, (said) => this.texts.heard(said, this.telling.seq))
    if ('watch' in store) this.unwatch = store.watch?.(this.id, () => this.lookNow())
    this.schedule()
  }

  get roles() {
    return this.state.roles
  }

  /** Another process works on it. */
  get isElsewhere(): boolean {
    return !this.isHere && !this.isOver
  }

  /** Stops following. The run is left as it is. */
  fail(error: unknown): void {
    this.stop()
    this.reject(error)
  }

  private stop(): void {
    this.isOver = true
    this.unwatch?.()
    this.unhear?.()
    if (this.timer !== null) clearTimeout(this.timer)
  }

  private schedule(): void {
    const lookMs = this.unwatch === undefined ? LOOK_MS : CHECK_MS
    if (!this.isOver) this.timer = setTimeout(() => this.lookNow(), lookMs)
  }

  private lookNow(): void {
    if (this.isOver) return
    this.isDue = true
    this.looking ??= this.look().finally(() => {
      this.looking = null
    })
  }

  private async look(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer)
    while (this.isDue && !this.isOver) {
      this.isDue = false
      try {
        await this.tellIfNew()
        const now = performance.now()
        if (this.isHere || now - this.checkedMs < CHECK_MS) continue
        this.checkedMs = now
        await this.checkOwner()
      } catch (error) {
        if (!isBusy(error)) this.fail(error)
      }
    }
    this.schedule()
  }

  private async tellIfNew(): Promise<void> {
    const version = await this.store.version()
    // A store in memory, and this connection's own commits, don't change it.
    if (version !== this.version || this.store.instant || this.isHere) await this.tellNews()
    this.version = version
  }

  private async tellNews(): Promise<void> {
    while (!this.isOver) {
      const { seq } = this.telling
      const page = await gathered(this.store.read(this.id, seq + 1, seq + PAGE))
      for (const event of page) {
        foldEvent(this.state, event)
        if (event.type === 'block-end') this.state.blocks.delete(event.path)
        this.wait = event.type === 'run-wait' ? event : null
        this.telling.events([draftOf(event)], event.seq)
        this.texts.told(event)
      }
      if (page.at(-1)?.type === 'run-end') this.end()
      if (page.length < PAGE) return
    }
  }

  private end(): void {
    this.stop()
    this.resolve(this.state.outcome as Outcome)
  }

  private async checkOwner(): Promise<void> {
    if ((await this.store.row(this.id)).owned) return
    await this.tellNews()
    if (this.isOver) return
    if (this.wait !== null) return this.fail(outageError(this.id, this.wait.steps))
    const handle = await this.takeOver()
    if (handle === (this as RunHandle)) return
    this.isHere = true
    // If the run ends here, listeners receive all events before the outcome.
    handle.outcome.catch((error) => this.fail(error))
  }
}
