/**
 * Finds out what is to be told of the runs of a service: by what it hears, and by looking at the store now and then for what nobody heard.
 *
 * 1. A run is on the record's list from its first event until its end was recorded as told: a process that dies in between leaves it there,
 *    and whoever looks next finds how it ended.
 * 2. Runs that ended before there was a record are not told of.
 */
import type { Engine } from '../../engine/api.ts'
import type { Listener } from '../../kernel/durable.ts'
import type { RunRow } from '../../kernel/run-query.ts'
import { ENDED, errorText, type RunState, ThinkonError } from '../../protocol/index.ts'
import type { DeliveryRecord } from './delivery-record.ts'

export interface WatchOptions {
  readonly record: DeliveryRecord
  readonly engine: Engine
  /** Whether a run is one of those that are told of, by how it was started. */
  isOwn(state: Pick<RunState, 'config'>): boolean
  /** Records what is to be told of it as it stands. */
  tell(state: RunState): Promise<void>
  onProblem(message: string): void
  /** How often the store is looked at. */
  readonly lookMs: number
}

export interface RunWatch {
  readonly onEvent: Listener
  close(): Promise<void>
}

/** Clocks of several machines may differ by this much. */
const CLOCKS_MS = 10 * 60_000
const PAGE = 100
const OPEN = ['running', 'stopped', 'waiting'] as const

export function watchRuns(options: WatchOptions): RunWatch {
  const { record, engine, isOwn, tell, onProblem, lookMs } = options
  const watched = new Set<string>()
  /** Up to which event of a run there is nothing left to tell. */
  const known = new Map<string, number>()
  /** Ended runs of the last while that were looked at. */
  let recent = new Set<string>()
  const due = new Set<string>()
  let working: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const onEvent: Listener = (event) => {
    if (!('seq' in event)) return
    const { run, seq, type } = event
    if (!watched.has(run)) void watch(run)
    if (type === 'run-end' || type === 'run-wait' || type === 'signal-asked') lookAt(run)
    else if (!due.has(run)) known.set(run, seq)
  }

  async function watch(run: string): Promise<void> {
    watched.add(run)
    await record.watch(run).catch((thrown) => {
      watched.delete(run)
      onProblem(`webhooks: run ${run} can't be recorded: ${errorText(thrown)}`)
    })
  }

  function lookAt(run: string): void {
    due.add(run)
    if (working !== null || isClosed) return
    working = lookAtAll().finally(() => {
      working = null
    })
  }

  async function lookAtAll(): Promise<void> {
    const failed: string[] = []
    // A run that is added meanwhile is looked at in the same go.
    for (const run of due) {
      if (isClosed) return
      due.delete(run)
      await look(run).catch((thrown) => {
        failed.push(run)
        // What the store can't say now it can say later.
        if (!isClosed) onProblem(`webhooks: run ${run} can't be looked at: ${errorText(thrown)}`)
      })
    }
    for (const run of failed) known.set(run, 0)
  }

  async function look(run: string): Promise<void> {
    const state = await engine.outline(run).catch((thrown) => {
      if (ThinkonError.isInstance(thrown) && thrown.code === 'UNKNOWN_RUN') return null
      throw thrown
    })
    if (state !== null && (watched.has(run) || isOwn(state))) {
      if (state.outcome === null && !watched.has(run)) await watch(run)
      await tell(state)
    }
    if (state !== null && state.outcome === null) known.set(run, state.seq)
    else await leave(run)
  }

  /** It has ended, or was deleted. */
  async function leave(run: string): Promise<void> {
    await record.unwatch(run)
    watched.delete(run)
    known.delete(run)
  }

  /** What nobody here has heard of: runs of other processes, of the cluster, and of processes that have died. */
  async function lookAround(): Promise<void> {
    const nowMs = Date.now()
    const since = await record.mark('since', nowMs)
    const lookedMs = await record.mark('looked', nowMs)
    const open = await engine.list({ status: OPEN })
    const isOpen = new Set(open.map(({ id }) => id))
    const before = await record.watched()
    for (const run of before) watched.add(run)
    const ended = (await rowsSince(lookedMs - CLOCKS_MS)).filter((row) => endedSince(row, since))
    const news = [
      ...open.filter(({ id, seq }) => seq > (known.get(id) ?? 0)).map(({ id }) => id),
      ...before.filter((run) => !isOpen.has(run)),
      ...ended.map(({ id }) => id).filter((run) => !recent.has(run)),
    ]
    for (const run of news) lookAt(run)
    recent = new Set(ended.map(({ id }) => id))
    await working
    if (!isClosed) await record.setMark('looked', nowMs)
  }

  /** Those that came into the store since then. */
  async function rowsSince(ms: number): Promise<RunRow[]> {
    for (let limit = PAGE; ; limit *= 4) {
      const rows = await engine.list({ limit })
      const last = rows.at(-1)
      if (rows.length < limit || last === undefined || Date.parse(last.createdAt) < ms)
        return rows.filter(({ createdAt }) => Date.parse(createdAt) >= ms)
    }
  }

  function lookAgainAndAgain(): void {
    const looked = lookAround().catch((thrown) => {
      if (!isClosed) onProblem(`webhooks: the runs can't be looked at: ${errorText(thrown)}`)
    })
    around = looked.then(() => {
      if (!isClosed) timer = setTimeout(lookAgainAndAgain, lookMs).unref()
    })
  }

  let around: Promise<void> = Promise.resolve()
  lookAgainAndAgain()
  return {
    onEvent,
    async close() {
      // What was heard is looked at while there is a store to read.
      await working
      isClosed = true
      clearTimeout(timer)
      await around
      await working
    },
  }
}

function endedSince({ status, changedAt }: RunRow, sinceMs: number): boolean {
  return (ENDED as readonly string[]).includes(status) && Date.parse(changedAt) >= sinceMs
}
