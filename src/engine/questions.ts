/** The questions of runs: which are open, and their answers. The store decides which of two answers is accepted. */

import { requireRecordable } from '../kernel/recorded-value.ts'
import { type AnyStore, eventAt, type QuestionKey, type QuestionQuery } from '../kernel/store.ts'
import { whenFree } from '../kernel/when-free.ts'
import { redactDeep } from '../models/secrets.ts'
import {
  dropQuestion,
  type PendingQuestion,
  questionOf,
  type RunState,
  ThinkonError,
} from '../protocol/index.ts'
import { openQuestions } from '../views/questions.ts'
import { cleanLine } from '../views/text-width.ts'
import { type Lang, langOf, wordsOf } from '../views/words.ts'
import { checkAnswer } from './check-answer.ts'
import { type EngineParts, requireRun } from './parts.ts'

/** Oldest first. */
export async function listQuestions(
  parts: EngineParts,
  { status: _, ...query }: QuestionQuery = {},
): Promise<PendingQuestion[]> {
  if (query.run !== undefined) await requireRun(parts, query.run)
  return readQuestions(parts.store, { for: 'person', ...query })
}

/** Whatever the limit. */
export async function countQuestions(
  parts: EngineParts,
  { status: _, limit: __, offset: ___, ...query }: QuestionQuery = {},
): Promise<number> {
  if (query.run !== undefined) await requireRun(parts, query.run)
  return (await whenFree(() => parts.store.questions({ for: 'person', ...query }))).length
}

async function readQuestions(store: AnyStore, query: QuestionQuery): Promise<PendingQuestion[]> {
  const keys = await whenFree(() => store.questions(query))
  const found: PendingQuestion[] = []
  for (const key of keys) {
    const question = await readQuestion(store, key)
    if (question !== null) found.push(question)
  }
  return found
}

/** Null if its run was deleted meanwhile. */
async function readQuestion(store: AnyStore, { run, id }: QuestionKey): Promise<PendingQuestion | null> {
  try {
    const event = await eventAt(store, run, id)
    return event?.type === 'signal-asked' ? questionOf(event) : null
  } catch (thrown) {
    if (ThinkonError.isInstance(thrown) && thrown.code === 'UNKNOWN_RUN') return null
    throw thrown
  }
}

/**
 * Answers question `id` of a run; without an id the only one that a person is asked. Throws QUESTION_NOT_OPEN, INVALID_ANSWER or, if the
 * id is needed, BAD_INPUT. Of two answers to a question one is accepted, from whichever processes they come.
 */
export async function answerQuestion(
  parts: EngineParts,
  run: string,
  given: unknown,
  id?: number,
): Promise<PendingQuestion> {
  await requireRun(parts, run)
  const { store, host } = parts
  const [question, { goal }] = [await openQuestion(store, run, id), await store.row(run)]
  const answer = checkAnswer(question, requireRecordable(redactDeep(given), 'the answer'), langOf(goal))
  if (!(await host.answer(run, question.id, answer))) throw await notOpen(store, run, question.id)
  return question
}

async function openQuestion(store: AnyStore, run: string, id: number | undefined): Promise<PendingQuestion> {
  if (id === undefined) {
    const open = await readQuestions(store, { run, for: 'person' })
    const [only] = open
    if (open.length > 1) throw whichQuestion(run, open, langOf((await store.row(run)).goal))
    if (only === undefined) throw await notOpen(store, run)
    return only
  }
  const keys = await whenFree(() => store.questions({ run }))
  const key = keys.find((one) => one.id === id)
  const question = key === undefined ? null : await readQuestion(store, key)
  if (question === null) throw await notOpen(store, run, id)
  return question
}

async function notOpen(store: AnyStore, run: string, question?: number): Promise<ThinkonError> {
  const open = await readQuestions(store, { run, for: 'person' })
  const { goal, status } = await store.row(run)
  const words = WORDS[langOf(goal)]
  const message = question === undefined ? words.noneOpen(run, status) : words.notOpen(run, question)
  return new ThinkonError('QUESTION_NOT_OPEN', message, {
    data: { run, ...(question !== undefined && { question }), open: open.map(({ id }) => id) },
  })
}

function whichQuestion(run: string, open: readonly PendingQuestion[], lang: Lang): ThinkonError {
  const message = WORDS[lang].which(run, open)
  return new ThinkonError('BAD_INPUT', message, { data: { run, open: open.map(({ id }) => id) } })
}

interface QuestionWords {
  noneOpen(run: string, status: RunState['status']): string
  notOpen(run: string, question: number): string
  which(run: string, open: readonly PendingQuestion[]): string
}

const WORDS: Record<Lang, QuestionWords> = {
  en: {
    noneOpen: (run, status) => `run ${run} has no open question: it is ${status}`,
    notOpen: (run, question) =>
      `question ${question} of run ${run} is not open: it was answered, withdrawn or timed out, or there is no such question`,
    which: (run, open) => {
      const listed = open.map(({ id, path, text }) => `${id} of block ${path}: ${cleanLine(text, 80)}`)
      return `run ${run} has ${open.length} open questions, give the number of one: ${listed.join('; ')}`
    },
  },
  zh: {
    noneOpen: (run, status) => `运行 ${run} 没有待回答的问题：它${wordsOf('zh').status[status]}`,
    notOpen: (run, question) =>
      `运行 ${run} 的问题 ${question} 不在等待回答：它已被回答、撤回或超时，或者没有这个问题`,
    which: (run, open) => {
      const listed = open.map(({ id, path, text }) => `${id}（块 ${path}）：${cleanLine(text, 80)}`)
      return `运行 ${run} 有 ${open.length} 个待回答的问题，请给出其中一个的编号：${listed.join('；')}`
    },
  },
}

/** The state as lists show it: without the questions whose answers were accepted, and `stopped` if no process works on the run. */
export async function withStanding({ store }: EngineParts, state: RunState): Promise<RunState> {
  if (state.outcome !== null) return state
  if (state.openQuestions > 0) {
    const open = new Set((await whenFree(() => store.questions({ run: state.run }))).map(({ id }) => id))
    for (const { id, path, name } of [...openQuestions(state)])
      if (!open.has(id)) dropQuestion(state, path, name)
  }
  if (state.status === 'running' && !(await store.row(state.run)).owned) state.status = 'stopped'
  return state
}
