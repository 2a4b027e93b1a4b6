/** Shows a run while it is running, as one of: live tree, plain lines, JSON lines, the result alone. */
import { relative } from 'node:path'
import type { RunOutcome } from '../engine.ts'
import {
  type Event,
  type FolderWritten,
  type ModelRetry,
  type PendingQuestion,
  printedResult,
  questionOf,
  type ResumeChange,
  type RunState,
  type ThinkonError,
} from '../protocol/index.ts'
import { questionText } from '../views/block-row.ts'
import type { Details } from '../views/details.ts'
import { newsLine, retryLine } from '../views/event-line.ts'
import type { Line } from '../views/line.ts'
import { longQuestion, openQuestions } from '../views/questions.ts'
import { reasonInWords, resultInWords } from '../views/reason-words.ts'
import type { Retries } from '../views/retries.ts'
import { choiceText } from '../views/step-words.ts'
import type { Streams } from '../views/streams.ts'
import { textWidth, wrapProse } from '../views/text-width.ts'
import { type Lang, wordsOf } from '../views/words.ts'
import type { Output } from './output.ts'
import { runWords, type Why } from './run-words.ts'
import type { Session } from './session.ts'
import { MEMORY } from './setting.ts'

export interface RunView {
  /** The run is resumed with other prompts or models than before; in views that do not show this event. */
  changed?(changes: readonly ResumeChange[]): void
  /** Called once, when the run has its id. */
  opened(state: RunState, first: boolean): void
  /** `state` has the event in it. */
  event(event: Event, state: RunState): void
  /** A model call failed; it is tried again, or waits. */
  retry(retry: ModelRetry): void
  /** A folder for people was written, such as the logs of a search. */
  folder?(written: FolderWritten): void
  /** A person has to answer. */
  asked(question: PendingQuestion, state: RunState): void
  ended(outcome: RunOutcome | RunOutcome<unknown>, state: RunState): Promise<void>
  /** The run has stopped to wait for its model, and can be resumed. */
  waiting(run: string, outage: ThinkonError, state: RunState): Promise<void>
  /** The run was stopped and can be resumed. */
  stopped(run: string, why: Why): Promise<void>
  /** Releases the terminal; called before anything else is printed. */
  close(): Promise<void>
}

export interface ViewParts {
  out: Output
  session: Session
  lang: Lang
  /** Questions are answered without a person. */
  yes: boolean
  /** Shown when the run opens. */
  warning?: string | null
  /** The run is a part of something that is told by who runs it: only the run itself is shown. On a screen of its own, below these lines. */
  below?: readonly Line[]
}

/** What the live view needs in addition to `ViewParts`. */
export interface LiveParts {
  state: RunState
  /** What strategies show next to blocks; has seen the same events as `state`. */
  details: Details
  /** Streamed text; absent if another process works on the run. */
  streams?: Streams
  /** Model calls that are tried again; absent if another process works on the run. */
  retries?: Retries
  answer(question: PendingQuestion, value: unknown): void
  stop(): void
}

export function changesLine({ lang }: ViewParts, changes: readonly ResumeChange[]): string {
  return wordsOf(lang).changed(changes)
}

export function openingLine(
  { session, out, warning, lang }: ViewParts,
  state: RunState,
  first: boolean,
): string {
  const words = runWords(lang)
  const { model, store, hint } = session
  const run = `${first ? words.run : words.resuming} ${state.run} · ${words.model} ${model.spec} ${words.because(model)}`
  const resume = store === MEMORY ? words.inMemory : words.resume(hint(`resume ${state.run}`))
  const breaks = out.live && textWidth(run) + textWidth(resume) + 3 > out.width()
  // The warning is about commands: it says nothing where none can be run.
  const hasShell = !state.config.withheld?.includes('shell')
  const notes = [hasShell ? warning : null, withheldLine(state, words)]
    .filter(Boolean)
    .map((note) => `\n${note}`)
  const lines = `${run}${breaks ? '\n' : ' · '}${resume}${notes.join('')}`
  // A terminal would break them anywhere.
  return out.live ? wrapProse(lines, out.width() - 1) : lines
}

/** What is not permitted. Executors are named as people know them. */
function withheldLine({ config }: RunState, words: ReturnType<typeof runWords>): string | null {
  const names = [...new Set((config.withheld ?? []).map((name) => name.replace(/^executor__/, '')))]
  if (names.length === 0) return null
  return config.approval?.asks === 'nobody'
    ? words.withheld(names.join(', '))
    : words.denied(names.join(', '))
}

export function stoppedLine({ session, lang }: ViewParts, run: string, why: Why): string {
  const words = runWords(lang)
  if (session.store === MEMORY) return words.stoppedInMemory(why)
  if (session.isInCluster)
    return words.detached(
      session.hint(`show ${run}`),
      session.hint(`resume ${run}`),
      session.hint(`cancel ${run}`),
    )
  return words.stopped(session.hint(`resume ${run}`), why)
}

/** The provider's words, and what to do; a question that is open can be answered meanwhile. */
export function outageLines(
  { session, lang }: ViewParts,
  run: string,
  outage: ThinkonError,
  state: RunState,
): string {
  const words = runWords(lang)
  const why = words.waitsForModel(
    reasonInWords(String(outage.data.message ?? outage.message), lang, outage.code),
  )
  if (session.store === MEMORY) return why + words.lostInMemory
  const questions = [...openQuestions(state)].map((question) => waitingLine(session, question, lang))
  return [why, words.whenReachable(session.hint(`resume ${run}`)), ...questions].join('\n')
}

/** What a person is shown as the answer; the marks of parts that did not succeed are in the run's language. */
export function shownAnswer(outcome: Pick<RunOutcome<unknown>, 'value' | 'result'>, lang: Lang): string {
  const { value, result } = outcome
  return printedResult({ ...(value !== undefined && { value }), result: resultInWords(result, lang) })
}

/** Where a folder was written, as short as it can be named from here. */
export function folderLine({ folder }: FolderWritten, lang: Lang): string {
  const near = relative('', folder)
  return runWords(lang).logs(near === '' || near.startsWith('..') ? folder : near)
}

/** One line for each noteworthy event, then the result. */
export function plainView(parts: ViewParts, details: Details): RunView {
  const { out, lang, session } = parts
  const isPart = parts.below !== undefined
  let pause: NodeJS.Timeout | undefined
  /** Questions that were asked are said again after other output, when it pauses. */
  const sayAgain = (state: RunState) => {
    for (const question of openQuestions(state)) {
      out.print(`[?] ${question.path} ${questionText(question, lang)}`)
      out.print(`    ${waitingLine(session, question, lang)}`)
    }
  }
  /** Questions whose lines are printed: what is asked for is told however soon it is answered, how to answer only while it is open. */
  const told = new Set<number>()
  return {
    opened(state, first) {
      if (!isPart) out.print(openingLine(parts, state, first))
    },
    event(event, state) {
      const line = newsLine(state, event, lang, details)
      if (line === null) return
      out.printLines([line, ...details.planNewsOf(event, lang)])
      if (event.type === 'signal-asked' && !parts.yes) {
        told.add(event.seq)
        const question = questionOf(event)
        if (question !== null) for (const part of longQuestion(question, lang)) out.print(`    ${part}`)
      }
      clearTimeout(pause)
      if (state.openQuestions > 0 && event.type !== 'signal-asked')
        pause = setTimeout(sayAgain, PAUSE_MS, state).unref()
    },
    retry: (retry) => out.printLines([retryLine(retry, lang)]),
    folder(written) {
      if (!isPart) out.print(folderLine(written, lang))
    },
    asked(question) {
      const lines = told.has(question.id) ? [] : longQuestion(question, lang)
      out.print([...lines, waitingLine(session, question, lang)].map((line) => `    ${line}`).join('\n'))
    },
    async ended(outcome) {
      if (isPart) return
      const answer = shownAnswer(outcome, lang)
      if (answer !== '') out.print(`\n${answer}`)
    },
    async waiting(run, outage, state) {
      out.remark(outageLines(parts, run, outage, state))
    },
    async stopped(run, why) {
      out.remark(stoppedLine(parts, run, why))
    },
    async close() {
      clearTimeout(pause)
    },
  }
}

/** How long nothing is printed before an open question is said again. */
const PAUSE_MS = 1_500

/** The events as JSON lines; the last line is the outcome, or says that the run waits for its model. */
export function jsonView(parts: ViewParts): RunView {
  const { out } = parts
  return {
    opened() {},
    event: (event) => out.data(event),
    retry: (retry) => out.data(retry),
    folder: (written) => out.data(written),
    asked() {},
    async ended(outcome) {
      out.data({ type: 'outcome', ...outcome })
    },
    async waiting(run, outage, state) {
      const { outages, usage, roles } = state
      const { message, path, model } = outage.data
      const why = { code: outage.code, reason: message, path, model, steps: outages }
      out.data({ type: 'waiting', status: 'waiting', run, ...why, usage, roles })
      out.remark(outageLines(parts, run, outage, state))
    },
    async stopped(run, why) {
      out.data({ type: 'stopped', run })
      out.remark(stoppedLine(parts, run, why))
    },
    async close() {},
  }
}

/** The result alone, for `$(thinkon run -q …)`; if the run did not complete, the reason goes to stderr. */
export function quietView(parts: ViewParts): RunView {
  const { out, lang } = parts
  return {
    changed: (changes) => out.remark(changesLine(parts, changes)),
    opened() {},
    event() {},
    retry() {},
    asked: (question) =>
      out.remark([...longQuestion(question, lang), waitingLine(parts.session, question, lang)].join('\n')),
    async ended(outcome) {
      if (parts.below !== undefined) return
      const { status, reason, code } = outcome
      const answer = shownAnswer(outcome, lang)
      const word = lang === 'en' ? status : wordsOf(lang).status[status]
      const why = reason === undefined ? '' : `: ${reasonInWords(reason, lang, code)}`
      if (status !== 'completed') out.remark(`thinkon: ${word}${why}`)
      if (answer !== '') out.print(answer)
    },
    async waiting(run, outage, state) {
      out.remark(outageLines(parts, run, outage, state))
    },
    async stopped(run, why) {
      out.remark(stoppedLine(parts, run, why))
    },
    async close() {},
  }
}

/** The command that answers the question from another terminal. */
export function waitingLine({ hint }: Session, question: PendingQuestion, lang: Lang): string {
  const { run, id, other } = question
  const choices = question.choices?.map((choice) => choiceText(choice, lang))
  const choice = choices === undefined ? "'…'" : `'${[...choices, ...(other ? ['…'] : [])].join('|')}'`
  return runWords(lang).waiting(hint(`answer ${run} ${id} ${choice}`))
}
