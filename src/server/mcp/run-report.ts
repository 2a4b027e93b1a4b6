/** A run as a tool's result tells of it: data for programs, and the same in words. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { listedStatus } from '../../kernel/run-query.ts'
import type { RunRow } from '../../kernel/store.ts'
import { type Goal, goalTitle, printedResult, type RunState, type Usage } from '../../protocol/index.ts'
import type { JsonSchema } from '../../schema/check-schema.ts'
import { strategyName } from '../../views/block-views.ts'
import { usageText } from '../../views/figures.ts'
import { openQuestions, wholeQuestion } from '../../views/questions.ts'
import { outagesText } from '../../views/summary.ts'
import { langOf, wordsOf } from '../../views/words.ts'

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
  path: string
  name: string
  text: string
  choices?: readonly string[]
  fallback?: string
}

const text = { type: 'string' } as const

export const RUN_REPORT = {
  type: 'object',
  properties: {
    run: { ...text, description: 'The handle of the run: the other tools take it.' },
    status: {
      ...text,
      enum: ['running', 'waiting', 'completed', 'partial', 'failed', 'skipped', 'cancelled'],
      description:
        'running and waiting: it has not ended. waiting: for a person, if there are questions, otherwise for its model. partial: it ended with less than the goal asked for.',
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
          path: text,
          name: text,
          text,
          choices: { type: 'array', items: text },
          fallback: { ...text, description: 'What holds if nobody answers.' },
        },
        required: ['path', 'name', 'text'],
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
  return [...openQuestions(state)].map(([path, { name, question }]) => ({
    path,
    name,
    text: question === undefined ? '' : wholeQuestion(question, langOf(state.goal)),
    ...(question?.choices && { choices: question.choices }),
    ...(question?.fallback !== undefined && { fallback: question.fallback }),
  }))
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
  for (const { path, name, text: asked, choices = [], fallback } of questions) {
    lines.push(`question of block ${path} (name "${name}"): ${asked}`)
    if (choices.length > 0) lines.push(`  choices: ${choices.join(' | ')}`)
    if (fallback !== undefined) lines.push(`  if not answered: ${fallback}`)
  }
  if (next !== undefined) lines.push(`To go on, ${next}.`)
  return lines.join('\n')
}

/** A run in the list of them. */
export function rowReport(row: RunRow) {
  const { id, goal, strategy, createdAt, changedAt, forkOf } = row
  return {
    run: id,
    status: listedStatus(row),
    goal: goalTitle(goal, 200),
    strategy: strategyName(strategy),
    createdAt,
    changedAt,
    ...(forkOf !== null && { forkOf }),
  }
}
