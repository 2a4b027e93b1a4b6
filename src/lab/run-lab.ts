/**
 * Runs the trials of a lab that have no result yet, several at once, and writes each result as soon as it is checked.
 *
 * 1. Every run has its own limits and its own seed, whatever else goes on: what a trial comes to depends on neither the order nor the
 *    limits of the whole lab.
 * 2. Runs are in the store: one that has ended is read, not run again, if the lab was killed before it was recorded. One that was under way
 *    is begun anew: the call that it lost would count in the table and against its limits. What it had spent counts for the lab.
 * 3. A limit of the whole lab leaves what is under way as it is. Nothing is recorded of a run that has not ended.
 */
import type { Engine, Run } from '../engine.ts'
import {
  accumulate,
  ENDED,
  type Event,
  languageOf,
  NO_USAGE,
  type Outcome,
  ThinkonError,
  type Usage,
} from '../protocol/index.ts'
import type { LabResult } from '../views/lab-results.ts'
import { isForAnybody, unattendedAnswer } from '../views/questions.ts'
import { checkAnswer, type Verdict } from './check/check-answer.ts'
import { judgeAnswers } from './check/judge.ts'
import { checkByProgram } from './check/run-program.ts'
import { type Plan, type Round, roundsOf, type Trial } from './plan.ts'
import type { ResultsFile } from './results-file.ts'
import { type LabLimit, Sitting, type SittingParts } from './sitting.ts'

export interface LabParts extends Omit<SittingParts, 'spent'> {
  readonly plan: Plan
  readonly file: ResultsFile
  /** The same engine for the same model. Whoever gives them closes them. */
  engineOf(model: string): Promise<Engine>
  onResult(result: LabResult): void
}

/** A lab at work. */
interface Lab extends LabParts {
  readonly sitting: Sitting
}

/** How it ended: null where every trial has a result, otherwise the limit that was reached. Throws if `signal` aborts. */
export async function runLab(parts: LabParts): Promise<LabLimit | null> {
  const known = new Set(parts.file.results.map(({ trial }) => trial))
  const open = roundsOf(parts.plan).filter((round) => round.some(({ key }) => !known.has(key)))
  const sitting = new Sitting({ ...parts, spent: spentIn(parts.file) })
  const lab: Lab = { ...parts, sitting }
  const rounds = open[Symbol.iterator]()
  // A round's trials share a task, and run side by side; so do as many rounds as there is room for.
  const perRound = open[0]?.length ?? 1
  const lanes = Math.min(open.length, Math.ceil(parts.concurrency / perRound))
  const work = async () => {
    for (const round of rounds) {
      if (sitting.isOver()) return
      await workOn(round, known, lab)
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: lanes }, work))
  parts.signal.throwIfAborted()
  if (sitting.reached !== null) return sitting.reached
  for (const lane of ended) if (lane.status === 'rejected') throw lane.reason
  return null
}

interface Ended {
  readonly trial: Trial
  readonly outcome: Pick<Outcome, 'status' | 'result' | 'reason' | 'usage'>
  readonly run: string | null
  readonly timeMs: number
}

async function workOn(round: Round, known: ReadonlySet<string>, lab: Lab): Promise<void> {
  const { task } = round[0] as Trial
  if ('judge' in task.check) return judgeRound(round, known, lab)
  const trials = round.filter(({ key }) => !known.has(key))
  await allOf(
    trials.map(async (trial) => {
      const ended = await runTrial(trial, lab)
      const verdict = await lab.sitting.whileOpen(verdictOn(ended, lab.signal))
      record(lab, resultOf(ended, verdict))
    }),
  )
}

/** All answers are judged together, so those of an earlier sitting that were not judged yet are read again. */
async function judgeRound(round: Round, known: ReadonlySet<string>, lab: Lab): Promise<void> {
  const { task, repeat } = round[0] as Trial
  if (!('judge' in task.check)) return
  const ended = await allOf(round.map((trial) => runTrial(trial, lab)))
  const { plan, engineOf, sitting } = lab
  const { verdicts, usage } = await sitting.whileOpen(
    judgeAnswers(
      task.goal,
      task.check.judge,
      ended.map(({ outcome }) => outcome.result),
      {
        engine: await engineOf(plan.judge),
        seed: `${plan.seed}/${task.id}/${repeat}`,
        limits: plan.limits,
      },
    ),
  )
  sitting.spend(usage)
  for (const [i, one] of ended.entries()) {
    if (known.has(one.trial.key)) continue
    const result = resultOf(one, verdicts[i] as Verdict)
    record(lab, i === 0 ? { ...result, judging: usage } : result)
  }
}

/** Waits for all, also where one fails: nothing goes on behind the caller's back. */
async function allOf<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}

async function runTrial(trial: Trial, lab: Lab): Promise<Ended> {
  const { plan, file, engineOf, sitting } = lab
  return sitting.inTurn(async () => {
    const { setting, model, task, repeat } = trial
    const engine = await engineOf(model)
    const id = `${file.lab}-${numberOf(trial, plan)}`
    const live: Usage = { ...NO_USAGE }
    const spendNow = (usage: Usage) => {
      accumulate(live, usage)
      sitting.spend(usage)
    }
    await dropUnfinished(engine, id, lab)
    let run: Run
    try {
      run = await sitting.whileOpen(
        engine.start(task.goal, {
          id,
          strategy: setting.strategy,
          options: setting.options,
          budget: plan.limits,
          // The same for all settings: they differ in what they do, not in their luck.
          seed: `${plan.seed}/${task.id}/${repeat}`,
          onEvent: (event) => {
            if ('usage' in event && event.type === 'model-end') spendNow(event.usage)
            if (event.type === 'signal-asked') void answer(engine, id, event)
          },
        }),
      )
    } catch (thrown) {
      if (ThinkonError.isInstance(thrown) && thrown.code === 'NO_MODEL') return refused(trial, thrown)
      throw thrown
    }
    const outcome = await sitting.whileOpen(run.outcome)
    const { activeMs } = await engine.outline(id)
    sitting.spend(less(outcome.usage, live))
    return { trial, outcome, run: id, timeMs: Math.round(activeMs) }
  })
}

/** So that the run is begun anew, if an earlier sitting has left it under way. */
async function dropUnfinished(engine: Engine, id: string, { file, sitting }: Lab): Promise<void> {
  const [row] = await engine.list({ search: id }).then((rows) => rows.filter((one) => one.id === id))
  if (row === undefined) return
  const { status, usage } = await engine.outline(id)
  if ((ENDED as readonly string[]).includes(status)) return
  await engine.delete(id)
  file.appendLost({ type: 'lost', run: id, usage })
  sitting.spend(usage)
}

/** Nobody is there to be asked. */
async function answer(
  engine: Engine,
  run: string,
  { seq, question }: Extract<Event, { type: 'signal-asked' }>,
): Promise<void> {
  if (question !== undefined && isForAnybody(question))
    await engine.answer(run, unattendedAnswer(question, 'en'), { question: seq }).catch(() => {})
}

/** What no event has told of: of a run that had ended in an earlier sitting, all of it. */
function less(whole: Usage, seen: Usage): Usage {
  return {
    calls: whole.calls - seen.calls,
    inputTokens: whole.inputTokens - seen.inputTokens,
    outputTokens: whole.outputTokens - seen.outputTokens,
    costUsd: (whole.costUsd ?? 0) - (seen.costUsd ?? 0),
  }
}

/** A model that can't work on a goal has not solved it. */
function refused(trial: Trial, { message }: ThinkonError): Ended {
  const [reason = ''] = message.split('\n')
  const outcome = { status: 'failed', result: '', reason, usage: { ...NO_USAGE } } as const
  return { trial, outcome, run: null, timeMs: 0 }
}

async function verdictOn({ trial, outcome }: Ended, signal: AbortSignal): Promise<Verdict> {
  const { task } = trial
  const { check } = task
  const language = languageOf(task.goal)
  if (outcome.result === '') return { solved: false, score: 0, why: outcome.reason ?? NO_ANSWER[language] }
  if ('program' in check) return checkByProgram(outcome.result, task, check, signal)
  if ('judge' in check) throw new Error('judged with the others of its round')
  return checkAnswer(outcome.result, check, language)
}

const NO_ANSWER = { en: 'there is no answer', zh: '没有答案' }

function resultOf({ trial, outcome, run, timeMs }: Ended, verdict: Verdict): LabResult {
  const { key, task, setting, model, repeat } = trial
  return {
    type: 'result',
    trial: key,
    task: task.id,
    group: task.group,
    goal: task.goal,
    setting: setting.name,
    strategy: setting.strategy,
    model,
    repeat,
    run,
    status: outcome.status,
    answer: outcome.result,
    ...verdict,
    usage: outcome.usage,
    timeMs,
  }
}

function spentIn({ results, lost }: ResultsFile): Usage {
  const spent: Usage = { ...NO_USAGE }
  for (const { usage } of [...results, ...lost]) accumulate(spent, usage)
  for (const { judging } of results) if (judging) accumulate(spent, judging)
  return spent
}

function record({ file, onResult }: Lab, result: LabResult): void {
  file.append(result)
  onResult(result)
}

/** The place of a trial in its lab, from 1 on. */
function numberOf({ key }: Trial, plan: Plan): number {
  let numbers = NUMBERS.get(plan)
  if (numbers === undefined) {
    numbers = new Map(
      roundsOf(plan)
        .flat()
        .map((trial, i) => [trial.key, i + 1]),
    )
    NUMBERS.set(plan, numbers)
  }
  return numbers.get(key) as number
}

const NUMBERS = new WeakMap<Plan, Map<string, number>>()
