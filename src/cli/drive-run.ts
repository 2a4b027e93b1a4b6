/**
 * Drives a run in this process from its begin to an exit code: folds its events, shows them, answers questions with
 * --yes, and stops cleanly. Stopping leaves the journal as it is: the run can be gone on with. Ending a run for good is
 * `thinkon cancel`.
 */
import type { Run } from '../engine.ts'
import type { Listener } from '../hosts/durable.ts'
import { type Event, EXIT_CODES, emptyState, foldEvent, type OpenQuestion, type RunState } from '../protocol/index.ts'
import { EXIT_STOPPED } from './exit-code.ts'
import { badInput } from './options.ts'
import type { RunView, ViewParts } from './run-view.ts'
import { jsonView, plainView, quietView } from './run-view.ts'

/** npm passes Ctrl-C on to a process that the terminal has told already: so soon, it is the same key press. */
const SAME_PRESS_MS = 300

export interface DriveOptions extends ViewParts {
  quiet: boolean
  /** Events up to this one are known; they are folded but not shown. */
  knownSeq: number
  begin(listener: Listener): Promise<Run>
}

export async function driveRun(options: DriveOptions): Promise<number> {
  const { session, out } = options
  const state = emptyState()
  const stopping = new Stopping(() => void session.engine.close())
  const release = stopping.listen()
  out.onClosed((error) => stopping.stop(error === null ? ', nobody reads the output any more' : `: ${error.message}`))
  let run: Run | null = null
  let view: RunView | null = null
  let failure: Error | null = null
  try {
    const early: Event[] = []
    let take = (event: Event) => void early.push(event)
    run = await options.begin((event) => {
      if (event.type !== 'text-delta') take(event)
    })
    const { id, signal } = run
    const answer = (path: string, { name }: OpenQuestion, value: unknown) =>
      void signal(path, name, value).catch(() => {})
    const shown = await openView(options, { state, answer, stop: () => stopping.stop('') })
    view = shown
    const notice = (event: Event) => {
      if (event.seq <= state.seq) return
      foldEvent(state, event)
      if (event.seq <= options.knownSeq) return
      if (event.seq === options.knownSeq + 1) shown.opened(state, event.seq === 1)
      shown.event(event, state)
      if (event.type !== 'signal-asked') return
      // By then a wait that only looks is over.
      setImmediate(() => {
        if (options.yes) answerOpen(state, event.path, answer)
        else if (!canBeAnswered(options) && isOpen(state, event)) {
          failure = badInput(`${event.path} asks, and nobody can answer a run in memory from outside: use --yes or a store file`)
          void session.engine.close()
        }
      })
    }
    // What was recorded before this listener, then what came in between, then what comes.
    for (const event of await session.engine.events(id)) notice(event)
    take = notice
    for (const event of early) notice(event)
    if (options.yes) for (const path of state.blocks.keys()) answerOpen(state, path, answer)
    const outcome = await run.outcome
    await view.close()
    await view.ended(outcome, state)
    return EXIT_CODES[outcome.status]
  } catch (thrown) {
    await view?.close()
    if (stopping.why === null) throw failure ?? thrown
    if (view !== null && run !== null) await view.stopped(run.id, stopping.why)
    return EXIT_STOPPED
  } finally {
    release()
  }
}

/** What the live view needs beside what every view gets. */
export interface LiveParts {
  state: RunState
  answer(path: string, question: OpenQuestion, value: unknown): void
  stop(): void
}

async function openView(options: DriveOptions, live: LiveParts): Promise<RunView> {
  if (options.out.json) return jsonView(options)
  if (options.quiet) return quietView(options)
  if (!options.out.live) return plainView(options)
  return (await import('./live-view.ts')).liveView(options, live)
}

function answerOpen(state: RunState, path: string, answer: LiveParts['answer']): void {
  for (const open of state.blocks.get(path)?.questions ?? []) {
    const { question, timeoutMs } = open
    if (question === undefined || timeoutMs === 0) continue
    answer(path, open, question.fallback ?? question.choices?.[0] ?? 'yes')
  }
}

function isOpen(state: RunState, event: Event & { type: 'signal-asked' }): boolean {
  const questions = state.blocks.get(event.path)?.questions ?? []
  return questions.some(({ n, timeoutMs }) => n === event.n && timeoutMs === undefined)
}

function canBeAnswered({ session, out, quiet }: DriveOptions): boolean {
  return session.store !== ':memory:' || (out.live && !quiet && process.stdin.isTTY === true)
}

class Stopping {
  /** Why it stops, to be put after "stopped"; null while it does not. */
  why: string | null = null
  private readonly leave: () => void
  private sinceMs = 0

  constructor(leave: () => void) {
    this.leave = leave
  }

  stop(why: string): void {
    if (this.why !== null) {
      if (Date.now() - this.sinceMs > SAME_PRESS_MS) process.exit(EXIT_STOPPED)
      return
    }
    this.why = why
    this.sinceMs = Date.now()
    this.leave()
  }

  listen(): () => void {
    const onSignal = () => this.stop('')
    for (const signal of SIGNALS) process.on(signal, onSignal)
    return () => {
      for (const signal of SIGNALS) process.off(signal, onSignal)
    }
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
