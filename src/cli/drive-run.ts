/**
 * Drives a run in this process from its start to an exit code: folds its events, shows them, answers questions with
 * --yes, and stops cleanly. Stopping leaves the journal as it is, so the run can be resumed; `thinkon cancel` ends a run
 * for good. A run that waits for its model is left as it is, unless a person at the terminal tries again.
 */

import type { ResumeRunOptions } from '../engine/api.ts'
import type { Run } from '../engine.ts'
import {
  type Event,
  EXIT_CODES,
  emptyState,
  type FolderWritten,
  foldEvent,
  isOutage,
  type ModelRetry,
  type PendingQuestion,
  type RunState,
  type ThinkonError,
} from '../protocol/index.ts'
import { viewsOf } from '../strategies/registry.ts'
import { createDetails } from '../views/details.ts'
import { isForAnybody, openQuestions, unattendedAnswer } from '../views/questions.ts'
import { createRetries } from '../views/retries.ts'
import { createStreams } from '../views/streams.ts'
import { badInput } from './options.ts'
import { jsonView, type LiveParts, plainView, quietView, type RunView, type ViewParts } from './run-view.ts'
import { runWords } from './run-words.ts'
import { MEMORY } from './setting.ts'
import { listenForStop } from './stopping.ts'
import { triesAgain } from './try-again.ts'

/** What a view is told of, apart from streamed text. */
type Told = Event | ModelRetry | FolderWritten

export interface DriveOptions extends ViewParts {
  quiet: boolean
  /** The run that is resumed: its events so far are folded, but not shown. */
  resumes?: string
  begin(listening: Listening): Promise<Run | Run<unknown>>
}

/** `onQuestion`: absent if no person can answer. */
type Listening = Pick<ResumeRunOptions, 'onEvent' | 'onQuestion'>

export async function driveRun(options: DriveOptions): Promise<number> {
  const { out, quiet, session } = options
  out.lang = options.lang
  for (let next = options; ; ) {
    const end = await driveOnce(next)
    if (typeof end === 'number') return end
    const { run } = end
    if (!out.live || quiet || !(await triesAgain(out, options.lang))) return EXIT_CODES.waiting
    next = { ...options, resumes: run, begin: (listening) => session.engine.resume(run, listening) }
  }
}

/** Until the run ends, with the exit code, or waits for its model. */
async function driveOnce(options: DriveOptions): Promise<number | { run: string }> {
  const { engine } = options.session
  // The run is left whatever happens; what can't be closed goes with the process.
  const leave = () => void engine.close().catch(({ message }) => options.out.remark(`thinkon: ${message}`))
  const stopping = listenForStop(options.out, leave)
  const views = await viewsOf(options.session.strategies)
  const streams = createStreams(views)
  const details = createDetails(views)
  const retries = createRetries(options.lang)
  const state = await knownState(options, [streams, details, retries])
  const knownSeq = state.seq
  let run: Run | Run<unknown> | null = null
  let view: RunView | null = null
  let refused: ThinkonError | null = null
  try {
    const early: Told[] = []
    let take = (event: Told): void => void early.push(event)
    run = await begun(options, (event) => {
      if (event.type === 'text-delta') streams.add(event)
      else take(event)
    })
    const steered = run
    // If another process has answered it, the events contain that answer.
    const answer = ({ id }: PendingQuestion, value: unknown) =>
      void steered.answer(value, { question: id }).catch(() => {})
    const shown = await openView(options, { state, details, streams, retries, answer, stop: stopping.stop })
    view = shown

    const asked = (question: PendingQuestion) => {
      if (options.yes && isForAnybody(question)) {
        answer(question, unattendedAnswer(question, options.lang))
      } else if (question.timeoutMs === undefined && !canBeAnswered(options)) {
        refused = badInput(
          `${question.path} asks a question, and nobody can answer a run in memory: use --yes or a store file`,
        )
        leave()
      } else shown.asked(question, state)
    }
    for (const question of openQuestions(state)) asked(question)
    const notice = follower(knownSeq, { state, streams, details, retries }, shown, asked)
    // First what is in the store, then what arrived while it was read, then live events.
    for (const event of await engine.events(run.id, knownSeq + 1)) notice(event)
    for (const event of early) notice(event)
    take = notice

    const outcome = await run.outcome
    await view.close()
    await view.ended(outcome, state)
    return EXIT_CODES[outcome.status]
  } catch (thrown) {
    await view?.close()
    const reason = stopping.reason()
    if (isOutage(thrown) && view !== null && run !== null) {
      await view.waiting(run.id, thrown, state)
      return { run: run.id }
    }
    if (refused !== null || reason === null) throw refused ?? thrown
    if (view !== null && run !== null) await view.stopped(run.id, reason.why)
    return reason.code
  } finally {
    stopping.release()
  }
}

/** Says what is waited for: a server that does not answer has a minute to do so. */
async function begun(
  { begin, session, out, lang }: DriveOptions,
  onEvent: NonNullable<Listening['onEvent']>,
): Promise<Run> {
  const { servers } = session
  const say = () => out.remark(runWords(lang).connecting(servers.join(', ')))
  const timer = servers.length === 0 ? undefined : setTimeout(say, SAY_AFTER_MS)
  try {
    // The view asks what the events contain.
    return await begin({ onEvent, ...(session.approval.asks !== 'nobody' && { onQuestion() {} }) })
  } finally {
    clearTimeout(timer)
  }
}

const SAY_AFTER_MS = 2_000

/** What is known of a run before anything is shown; `folds` have then seen the same events. */
async function knownState(
  { session, resumes }: DriveOptions,
  folds: readonly { follow(event: Event): void }[],
): Promise<RunState> {
  if (resumes === undefined) return emptyState()
  return session.engine.outline(resumes, (event) => {
    for (const fold of folds) fold.follow(event)
  })
}

/** Takes each event once, in order: folds it and, if it is news, shows it. */
function follower(
  knownSeq: number,
  {
    state,
    streams,
    details,
    retries,
  }: Pick<Required<LiveParts>, 'state' | 'streams' | 'details' | 'retries'>,
  view: RunView,
  asked: (question: PendingQuestion) => void,
): (event: Told) => void {
  return (event) => {
    if (event.type === 'folder-written') return view.folder?.(event)
    if (!('seq' in event)) {
      retries.add(event)
      return view.retry(event)
    }
    if (event.seq <= state.seq) return
    foldEvent(state, event)
    streams.follow(event)
    details.follow(event)
    retries.follow(event)
    if (event.type === 'run-resume' && event.changes !== undefined) view.changed?.(event.changes)
    if (event.seq === knownSeq + 1) view.opened(state, event.seq === 1)
    view.event(event, state)
    if (event.type !== 'signal-asked') return
    // A wait that only polls is over by then.
    setImmediate(() => {
      const open = state.blocks.get(event.path)?.questions.find(({ id }) => id === event.seq)
      if (open !== undefined) asked(open)
    })
  }
}

async function openView(options: DriveOptions, live: LiveParts): Promise<RunView> {
  if (options.out.json) return jsonView(options)
  if (options.quiet) return quietView(options)
  const parts = { ...options, warning: await options.session.warning(options.lang) }
  if (!options.out.live) return plainView(parts, live.details)
  return (await import('./live-view.ts')).liveView(parts, live)
}

function canBeAnswered({ session, out, quiet }: DriveOptions): boolean {
  return session.store !== MEMORY || (out.live && !quiet && process.stdin.isTTY === true)
}
