/** Waits until a run has ended, needs somebody, or the time is over. Whoever stops waiting leaves the run as it is. */
import { foldEvent, type PendingQuestion, type RunState } from '../../protocol/index.ts'
import { createDetails } from '../../views/details.ts'
import { newsLine } from '../../views/event-line.ts'
import { plainText } from '../../views/line.ts'
import { openQuestions } from '../../views/questions.ts'
import { langOf } from '../../views/words.ts'
import type { Door } from './door.ts'

/** `asked`: a person; `sampling`: the client's model; `outage`: its model can't be reached; `late`: the time is over; `left`: nobody waits any more. */
export type Why = 'ended' | 'asked' | 'sampling' | 'outage' | 'late' | 'left'

export interface Waited {
  readonly why: Why
  readonly state: RunState
}

export interface WaitOptions {
  readonly waitMs: number
  readonly signal: AbortSignal
  readonly canSample: boolean
  /** Questions, by key, that the person has answered, or does not want to answer here. */
  readonly declined: ReadonlySet<string>
  /** A line about what has happened, if it is worth one, and how far the run's journal is. */
  onNews(seq: number, line?: string): void
}

/** What blocks do at the same time is asked for together. */
const TOGETHER_MS = 30
/** Clients give up on a call that shows no sign of life. */
const SIGN_OF_LIFE_MS = 10_000

export async function waitForRun(door: Door, run: string, options: WaitOptions): Promise<Waited> {
  const { service, views } = door
  const { waitMs, signal, declined, onNews } = options
  const desk = options.canSample ? door.desk : null
  const details = createDetails(await views())
  const state = await service.engine.outline(run, details.follow)
  if (state.outcome !== null) return { why: 'ended', state }
  const lang = langOf(state.goal)
  // One that is being resumed has its last outage in the journal, still.
  let isOut = state.outages.length > 0 && !(await service.engine.row(run)).owned
  const need = () => needOf(state, { declined, isOut, isAsking: desk?.hasOpen(run) === true })
  const waiting = until(need, waitMs, () => onNews(state.seq))
  const unlisten = desk?.onAsked(run, waiting.look)
  try {
    waiting.look()
    const stop = AbortSignal.any([signal, waiting.over])
    for await (const item of service.follow(run, { from: state.seq + 1, signal: stop })) {
      if (!('seq' in item)) continue
      foldEvent(state, item)
      details.follow(item)
      const line = newsLine(state, item, lang, details)
      if (line !== null) onNews(item.seq, plainText([line]).trim())
      if (item.type === 'run-wait') isOut = true
      if (item.type === 'run-end') return { why: 'ended', state }
      waiting.look()
    }
  } finally {
    waiting.stop()
    unlisten?.()
  }
  return { why: waiting.over.aborted ? (waiting.over.reason as Why) : 'left', state }
}

/** Aborts `over`, with why, when something is needed or the time is over. */
function until(need: () => Why | null, waitMs: number, signOfLife: () => void) {
  const over = new AbortController()
  const timers = [setTimeout(() => over.abort('late'), waitMs), setInterval(signOfLife, SIGN_OF_LIFE_MS)]
  return {
    over: over.signal,
    look() {
      if (need() === null) return
      const later = () => {
        const reason = need()
        if (reason !== null) over.abort(reason)
      }
      timers.push(setTimeout(later, TOGETHER_MS))
    },
    stop() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

interface Known {
  /** Keys of questions that the client does not want to answer in this call. */
  readonly declined: ReadonlySet<string>
  /** It asks the client's model. */
  readonly isAsking: boolean
  /** Nobody works on it until its model can be reached. */
  readonly isOut: boolean
}

function needOf(state: RunState, { declined, isAsking, isOut }: Known): Why | null {
  const isStuck = state.openQuestions > 0 && state.openSteps === 0
  if (isStuck || [...questionsByKey(state).keys()].some((key) => !declined.has(key))) return 'asked'
  if (isAsking) return 'sampling'
  return isOut && state.outages.length > 0 ? 'outage' : null
}

/** The open questions, each by the key that names it in the answers of a client. */
export function questionsByKey(state: RunState): Map<string, PendingQuestion> {
  return new Map([...openQuestions(state)].map((question) => [`question-${question.id}`, question]))
}
