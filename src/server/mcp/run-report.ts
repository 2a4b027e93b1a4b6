/** A run as a tool's result tells of it: data for programs, and the same in words. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { RunRow } from '../../kernel/store.ts'
import {
  defined,
  type Goal,
  goalTitle,
  type PendingQuestion,
  printedResult,
  type RunState,
  STANDINGS,
  type Usage,
} from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { strategyName } from '../../views/block-views.ts'
import { usageText } from '../../views/figures.ts'
import { openQuestions, wholeQuestion } from '../../views/questions.ts'
import { outagesText } from '../../views/summary.ts'
import { type Lang, langOf, wordsOf } from '../../views/words.ts'

export interface RunReport {
  run: string
  status: RunState['status']
  goal: Goal
  strategy: string
  result?: string
  value?: unknown
  /** Why it is not completed, or what it waits for. */
  reason?: string
  questions?: AskedQuestion[]
  usage: Usage
  /** What to do now, in words. */
  next?: string
}

export interface AskedQuestion {
  id: number
  path: string
  text: string
  choices?: readonly string[]
  other?: boolean
  output?: unknown
  fallback?: string
}

const text = { type: 'string' } as const

export const RUN_REPORT = {
  type: 'object',
  properties: {
    run: { ...text, description: 'The handle of the run: the other tools take it.' },
    status: {
      ...text,
      enum: [...STANDINGS],
      description:
        'running, waiting and stopped: it has not ended. waiting: for a person, if there are questions, otherwise for its model. stopped: no process works on it. partial: it ended with less than the goal asked for.',
    },
    goal: { anyOf: [text, { type: 'object' }], description: 'A text, or its four parts.' },
    strategy: text,
    result: { ...text, description: 'What the goal asked for, once the run has ended.' },
    value: {
      anyOf: ['object', 'array', 'string', 'number', 'boolean', 'null'].map((type) => ({ type })),
      description: 'The result as a value that fits the output schema of the request.',
    },
    reason: { ...text, description: 'Why it is not completed, or what it waits for.' },
    questions: {
      type: 'array',
      description: 'For the person: "answer" takes what they say.',
      items: {
        type: 'object',
        properties: {
          id: { type: 'integer', description: 'What "answer" takes as its question.' },
          path: text,
          text,
          choices: { type: 'array', items: text },
          other: { type: 'boolean', description: 'Besides the choices, any text is an answer.' },
          output: { type: 'object', description: 'JSON Schema of the answer, which is given as JSON text.' },
          fallback: { ...text, description: 'What holds if nobody answers.' },
        },
        required: ['id', 'path', 'text'],
      },
    },
    usage: {
      type: 'object',
      properties: {
        calls: { type: 'integer' },
        inputTokens: { type: 'integer' },
        outputTokens: { type: 'integer' },
        costUsd: { type: 'number' },
      },
      required: ['calls', 'inputTokens', 'outputTokens'],
    },
    next: { ...text, description: 'What to do now.' },
  },
  required: ['run', 'status', 'goal', 'strategy', 'usage'],
} as const satisfies JsonSchema

export function reportOf(state: RunState): RunReport {
  const { run, status, goal, strategy, outcome, usage, outages } = state
  const questions = questionsOf(state)
  const out = outages.length > 0 ? outagesText(outages, 'en') : undefined
  const reason = outcome === null ? out : outcome.reason
  return {
    run,
    status,
    goal,
    strategy: strategyName(strategy),
    ...(outcome !== null && { result: outcome.result }),
    ...(outcome?.value !== undefined && { value: outcome.value }),
    ...(reason && { reason }),
    ...(questions.length > 0 && { questions }),
    usage: { ...usage },
    ...nextOf(state, questions),
  }
}

function nextOf({ run, outcome, outages }: RunState, questions: readonly AskedQuestion[]): { next?: string } {
  if (outcome !== null) return {}
  const wait = `call "wait" with {"run":"${run}"}`
  if (questions.length > 0)
    return { next: `ask the person these questions, call "answer" for each with what they say, then ${wait}` }
  return { next: outages.length > 0 ? `${wait} to try again` : `${wait} to wait for the result` }
}

export function questionsOf(state: RunState): AskedQuestion[] {
  return [...openQuestions(state)].map((question) => askedQuestion(question, langOf(state.goal)))
}

export function askedQuestion(question: PendingQuestion, lang: Lang): AskedQuestion {
  const { id, path, choices, other, output, fallback } = question
  return { id, path, text: wholeQuestion(question, lang), ...defined({ choices, other, output, fallback }) }
}

/** The result, or where the run is and what to do. */
export function reportResult(state: RunState): CallToolResult {
  const report = reportOf(state)
  const texts = state.outcome === null ? [] : [printedResult(state.outcome)]
  return {
    content: [...texts.filter((one) => one !== ''), reportText(report)].map((one) => ({
      type: 'text',
      text: one,
    })),
    structuredContent: { ...report },
    ...(report.status === 'failed' && { isError: true }),
  }
}

function reportText({ run, status, reason, questions = [], usage, next }: RunReport): string {
  const lines = [`run ${run}: ${status}${reason ? ` (${reason})` : ''} · ${usageText(usage, wordsOf('en'))}`]
  for (const { id, path, text: asked, choices = [], fallback } of questions) {
    lines.push(`question ${id} of block ${path}: ${asked}`)
    if (choices.length > 0) lines.push(`  choices: ${choices.join(' | ')}`)
    if (fallback !== undefined) lines.push(`  if not answered: ${fallback}`)
  }
  if (next !== undefined) lines.push(`To go on, ${next}.`)
  return lines.join('\n')
}

/** A run in the list of them. */
export function rowReport(row: RunRow) {
  const { id, goal, strategy, status, waitsFor, createdAt, changedAt, forkOf } = row
  return {
    run: id,
    status,
    ...(waitsFor !== null && { waitsFor }),
    goal: goalTitle(goal, 200),
    strategy: strategyName(strategy),
    createdAt,
    changedAt,
    ...(forkOf !== null && { forkOf }),
  }
}
