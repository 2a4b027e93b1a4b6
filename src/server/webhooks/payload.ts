/**
 * What receivers are told of a run, as its journal has it.
 *
 * 1. The same journal gives the same ids, whoever reads it and when: that is how an event is told once.
 * 2. What was said (goal, result, question, a provider's words) is only in payloads with content.
 */
import { createHash } from 'node:crypto'
import type { WebhookEvent } from '../../config/index.ts'
import {
  defined,
  type ErrorCode,
  type Goal,
  type LimitName,
  type RunState,
  type Status,
  type Usage,
} from '../../protocol/index.ts'
import { openQuestions } from '../../views/questions.ts'

/** The body of a webhook. `timestamp` is when it happened, ISO 8601. */
export type WebhookPayload =
  | { type: 'run.ended'; timestamp: string; data: RunEndedData }
  | { type: 'run.waiting'; timestamp: string; data: RunWaitingData }

interface AboutRun {
  run: string
  /** `name@version` */
  strategy: string
  /** With `content`. */
  goal?: Goal
}

export interface RunEndedData extends AboutRun {
  status: Status
  /** Why it is not `completed`, for a person. */
  reason?: string
  /** The same for programs. */
  code?: ErrorCode
  /** The limit that ended it. */
  limit?: LimitName
  /** Of the whole run. */
  usage: Usage
  activeMs: number
  startedAt: string
  /** With `content`. */
  result?: string
  /** With `content`, of a run that was started with an `output`. */
  value?: unknown
}

export type RunWaitingData = WaitsForPersonData | WaitsForModelData

/** `POST /api/runs/{run}/answers` answers it. */
export interface WaitsForPersonData extends AboutRun {
  waitsFor: 'person'
  question: {
    /** The block that asks. */
    path: string
    name: string
    /** After so long the fallback counts. */
    timeoutMs?: number
    /** With `content`, as are the choices and the fallback. */
    text?: string
    choices?: readonly string[]
    fallback?: string
  }
}

/** The run is resumed by the service; this is told once for the same steps. */
export interface WaitsForModelData extends AboutRun {
  waitsFor: 'model'
  steps: readonly {
    path: string
    model: string
    /** Of the provider's HTTP response, if there was one. */
    status?: number
    /** With `content`: in the provider's words. */
    message?: string
  }[]
}

export interface Told {
  readonly id: string
  readonly type: WebhookEvent
  payload(content: boolean): WebhookPayload
}

/** How a run stands: what it waits for, or how it has ended. Nothing while it just goes on. */
export function toldOf(state: RunState): Told[] {
  if (state.outcome !== null) return [endOf(state)]
  return [...questionsOf(state), ...outageOf(state)]
}

function endOf(state: RunState): Told {
  const { status, reason, code, limit, result, value } = state.outcome as NonNullable<RunState['outcome']>
  const { usage, activeMs, startedAt, changedAt: timestamp } = state
  return {
    id: idOf(state, 'end'),
    type: 'run.ended',
    payload: (content) => ({
      type: 'run.ended',
      timestamp,
      data: {
        ...about(state, content),
        status,
        ...defined({ reason, code, limit }),
        usage,
        activeMs,
        startedAt,
        ...(content && defined({ result, value })),
      },
    }),
  }
}

/** Not the questions that the run's caller answers. A request to a person who is the model is read where it is answered. */
function questionsOf(state: RunState): Told[] {
  const asked = [...openQuestions(state)].filter(({ call }) => call === undefined)
  return asked.map(({ id, run: _, path, name, askedAt, timeoutMs, request: __, ...question }) => ({
    id: idOf(state, `question ${id}`),
    type: 'run.waiting',
    payload: (content) => ({
      type: 'run.waiting',
      timestamp: askedAt,
      data: {
        ...about(state, content),
        waitsFor: 'person',
        question: { id, path, name, askedAt, ...defined({ timeoutMs }), ...(content && question) },
      },
    }),
  }))
}

/** The service asks again and again: the same steps are told of once. */
function outageOf(state: RunState): Told[] {
  const { outages, changedAt: timestamp } = state
  if (outages.length === 0) return []
  const steps = outages.map(({ path, n }) => `${path} ${n}`).sort()
  const told: Told = {
    id: idOf(state, `model ${steps.join(' ')}`),
    type: 'run.waiting',
    payload: (content) => ({
      type: 'run.waiting',
      timestamp,
      data: {
        ...about(state, content),
        waitsFor: 'model',
        steps: outages.map(({ path, model, status, message }) => ({
          path,
          model,
          ...defined({ status, message: content ? message : undefined }),
        })),
      },
    }),
  }
  return [told]
}

function about({ run, strategy, goal }: RunState, content: boolean): AboutRun {
  return { run, strategy, ...(content && { goal }) }
}

/** A run that was deleted may be followed by another of its name. */
function idOf({ run, startedAt }: RunState, what: string): string {
  const hash = createHash('sha256').update(JSON.stringify([run, startedAt, what]))
  return `msg_${hash.digest('base64url').slice(0, 27)}`
}
