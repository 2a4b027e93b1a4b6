/** What shows a run while it goes on: one of the live tree, plain lines, JSON lines, or the result alone. */
import type { RunOutcome } from '../engine.ts'
import type { Event, RunState } from '../protocol/index.ts'
import { newsLine } from '../views/event-line.ts'
import { cleanText } from '../views/text-width.ts'
import type { Lang } from '../views/words.ts'
import type { Output } from './output.ts'
import type { Session } from './session.ts'

export interface RunView {
  /** Said once the run has its id. */
  opened(state: RunState, first: boolean): void
  /** `state` has the event in it. */
  event(event: Event, state: RunState): void
  ended(outcome: RunOutcome, state: RunState): Promise<void>
  /** The run is left as it is. */
  stopped(run: string, why: string): Promise<void>
  /** Gives the terminal back; before anything else is printed. */
  close(): Promise<void>
}

export interface ViewParts {
  out: Output
  session: Session
  lang: Lang
  /** Questions are answered without a person. */
  yes: boolean
}

export function openingLine({ session }: ViewParts, state: RunState, first: boolean): string {
  const { model, store, hint } = session
  const verb = first ? 'run' : 'going on with run'
  const resume = store === ':memory:' ? 'in memory, gone when it ends' : `resume: ${hint(`resume ${state.run}`)}`
  return `${verb} ${state.run} · model ${model.spec} (${model.why}) · ${resume}`
}

export function stoppedLine({ session }: ViewParts, run: string, why: string): string {
  if (session.store === ':memory:') return `stopped${why}; it was in memory, there is nothing to go on with`
  return `stopped${why}; go on with: ${session.hint(`resume ${run}`)}`
}

/** One line for each noteworthy event, then the result. */
export function plainView(parts: ViewParts): RunView {
  const { out, session, lang, yes } = parts
  return {
    opened: (state, first) => out.print(openingLine(parts, state, first)),
    event(event, state) {
      const line = newsLine(state, event, lang)
      if (line !== null) out.printLines([line])
      if (event.type === 'signal-asked' && event.timeoutMs !== 0 && !yes) {
        out.print(`    waiting: ${session.hint(`answer ${state.run} ${event.path} ${choiceHint(event)}`)}`)
      }
    },
    async ended(outcome) {
      if (outcome.result !== '') out.print(`\n${outcome.result}`)
    },
    async stopped(run, why) {
      out.remark(stoppedLine(parts, run, why))
    },
    async close() {},
  }
}

/** The events as they are on the wire; the last line is the outcome. */
export function jsonView(parts: ViewParts): RunView {
  const { out } = parts
  return {
    opened() {},
    event: (event) => out.data(event),
    async ended(outcome) {
      out.data({ type: 'outcome', ...outcome })
    },
    async stopped(run, why) {
      out.data({ type: 'stopped', run })
      out.remark(stoppedLine(parts, run, why))
    },
    async close() {},
  }
}

/** The result alone, for `$(thinkon run -q …)`; why it is not complete goes to stderr. */
export function quietView(parts: ViewParts): RunView {
  const { out } = parts
  return {
    opened() {},
    event(event) {
      if (event.type !== 'signal-asked' || event.timeoutMs === 0 || parts.yes) return
      out.remark(`waiting: ${parts.session.hint(`answer ${event.run} ${event.path} ${choiceHint(event)}`)}`)
    },
    async ended({ status, reason, result }) {
      if (status !== 'completed') out.remark(`thinkon: ${status}${reason === undefined ? '' : `: ${reason}`}`)
      if (result !== '') out.print(out.live ? cleanText(result) : result)
    },
    async stopped(run, why) {
      out.remark(stoppedLine(parts, run, why))
    },
    async close() {},
  }
}

export function choiceHint({ name, question }: { name: string; question?: { choices?: readonly string[] } }): string {
  const choice = question?.choices === undefined ? '<answer>' : `<${question.choices.join('|')}>`
  return `${choice.includes(' ') ? `'${choice}'` : choice}${name === 'answer' ? '' : ` --name ${name}`}`
}
