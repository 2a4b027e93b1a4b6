/**
 * A run as steps that people read, folded from its events and deltas: what is worked on, planned, thought, called, asked and found. A
 * step grows: each time it does it is given again, whole, under the same `id`. No raw JSON or YAML: of replies, the fields that the
 * strategy's view names are read.
 */

import { checkEvent } from '../protocol/check-event.ts'
import {
  type Event,
  type EventOf,
  goalText,
  languageOf,
  type ModelReply,
  type ModelRetry,
  type PendingQuestion,
  questionOf,
  ROOT_PATH,
  type Role,
  type Status,
  signalText,
  type TextDelta,
  toolCallText,
} from '../protocol/index.ts'
import { createBlockViews, type StrategyViews, strategyName } from './block-views.ts'
import { createDetails } from './details.ts'
import { checkView } from './entrances.ts'
import { plainText } from './line.ts'
import { type PartialFields, partialFields } from './partial-fields.ts'
import { retryText } from './retries.ts'
import { strategyNews } from './strategy-news.ts'
import { isBookkeeping } from './tool-calls.ts'
import { withoutFences } from './without-fences.ts'
import type { Lang } from './words.ts'

interface StepBase {
  /** The same while the step grows: what you show under it is replaced. */
  readonly id: string
  /** The block that it belongs to: `1` is the root, `1-2` its second child. */
  readonly path: string
  /** All of it so far. */
  readonly text: string
  /** It does not grow any more. */
  readonly done: boolean
}

export type ThoughtStep =
  /** A block begins: what it works on. */
  | (StepBase & { readonly kind: 'goal'; readonly strategy: string })
  /** A block's plan, an item on each line. A later plan replaces it, under the same id. */
  | (StepBase & { readonly kind: 'plan' })
  /** What a model writes. `error`: why its call failed. */
  | (StepBase & { readonly kind: 'thought'; readonly role: Role; readonly error?: string })
  /** A call of a tool; `text` is a short form of it. */
  | (StepBase & {
      readonly kind: 'tool'
      readonly tool: string
      readonly input: unknown
      readonly output?: unknown
      readonly error?: string
      /** It was not allowed, and not made. */
      readonly denied?: true
      /** Set if the run's caller executes it: `run.answer(output, { question })` gives its result. */
      readonly question?: number
    })
  /** A person is asked; `run.answer(value, { question: question.id })` answers. */
  | (StepBase & {
      readonly kind: 'question'
      readonly question: PendingQuestion
      readonly answer?: string
    })
  /** Something to know about the work: who solves what, how a result was checked, an attempt that failed. */
  | (StepBase & { readonly kind: 'note' })
  /** How a block has ended. */
  | (StepBase & { readonly kind: 'result'; readonly status: Status; readonly reason?: string })

export interface Thoughts {
  /** Takes the next event or delta; returns the steps that have changed, mostly none or one. */
  follow(event: Event | ModelRetry | TextDelta): readonly ThoughtStep[]
}

type Call = Omit<Extract<ThoughtStep, { kind: 'tool' }>, 'done'>
type Asked = Omit<Extract<ThoughtStep, { kind: 'question' }>, 'done'>

/** A reply under way. */
interface Writing {
  readonly role: Role
  readonly wanted: ReadonlySet<string>
  /** The strategy says what fields its replies have. */
  readonly hasFields: boolean
  fields: PartialFields
  /** What was given of it. */
  text: string
  /** How much has come since then. */
  added: number
  /** An attempt has failed: where the next one differs, it begins on a new line. */
  isRepeated: boolean
}

export function createThoughts(views: StrategyViews): Thoughts {
  checkView('createThoughts', [views])
  const blockViews = createBlockViews(views)
  const details = createDetails(views)
  const anyFields = new Set([...views.values()].flatMap(({ streamFields = [] }) => streamFields))
  const writing = new Map<string, Writing>()
  const calls = new Map<string, Call>()
  const asked = new Map<string, Asked>()
  /** By path: what its last reply said. */
  const lastThoughts = new Map<string, string>()
  let lang: Lang = 'en'

  function thought(event: Step, text: string, done: boolean, error?: string): readonly ThoughtStep[] {
    const reply = writing.get(idOf(event)) as Writing
    if (text === reply.text && !done) return []
    reply.text = text
    if (text === '' && error === undefined) return []
    const { path } = event
    return [
      {
        id: idOf(event),
        path,
        kind: 'thought',
        role: reply.role,
        text,
        done,
        ...(error !== undefined && { error }),
      },
    ]
  }

  function write(delta: TextDelta): readonly ThoughtStep[] {
    const reply = writing.get(idOf(delta))
    if (reply === undefined) return []
    if (reply.isRepeated && delta.text.startsWith('\n')) reply.fields = partialFields(reply.wanted)
    reply.isRepeated = false
    reply.fields.add(delta.text)
    // All of a step is given each time: of a long one, when it has grown by a little more than nothing.
    reply.added += delta.text.length
    if (reply.added * MIN_GROWTH < reply.text.length - SHORT) return []
    reply.added = 0
    // Prose before the fields of a reply is no part of it; without fields, the reply is shown when it is whole.
    if (reply.hasFields && reply.fields.form !== 'fields') return []
    return thought(delta, shown(reply.fields.readAll()) || reply.text, false)
  }

  function replied(event: EventOf<'model-end'>): readonly ThoughtStep[] {
    const reply = writing.get(idOf(event))
    if (reply === undefined) return []
    const { result } = event
    const steps = result.ok
      ? thought(event, readableText(result.value, reply.wanted) || reply.text, true)
      : thought(event, reply.text, true, result.error.message)
    lastThoughts.set(event.path, reply.text)
    writing.delete(idOf(event))
    return steps
  }

  function called(event: EventOf<'tool-start'>): readonly ThoughtStep[] {
    const { path, name: tool, input } = event
    if (isBookkeeping(tool)) return []
    const id = idOf(event)
    const call: Call = { id, path, kind: 'tool', text: toolCallText(tool, input), tool, input }
    calls.set(id, event.denied === undefined ? call : { ...call, denied: true })
    return [{ ...call, done: false }]
  }

  function returned(event: EventOf<'tool-end'>): readonly ThoughtStep[] {
    const call = calls.get(idOf(event))
    if (call === undefined) return []
    calls.delete(call.id)
    const { result } = event
    return [
      { ...call, ...(result.ok ? { output: result.value } : { error: result.error.message }), done: true },
    ]
  }

  function ask(event: EventOf<'signal-asked'>): readonly ThoughtStep[] {
    const question = questionOf(event)
    if (question === null || question.timeoutMs === 0) return []
    const { path } = question
    const id = idOf(event)
    if (question.call !== undefined) {
      const { tool, input } = question.call
      const text = toolCallText(tool, input)
      const call: Call = { id, path, kind: 'tool', text, tool, input, question: question.id }
      calls.set(id, call)
      return [{ ...call, done: false }]
    }
    const step: Asked = { id, path, kind: 'question', text: question.text, question }
    asked.set(id, step)
    return [{ ...step, done: false }]
  }

  function answered(event: EventOf<'signal-answered'>): readonly ThoughtStep[] {
    if (calls.has(idOf(event))) return given(event)
    const step = asked.get(idOf(event))
    if (step === undefined) return []
    asked.delete(step.id)
    const { result } = event
    return [{ ...step, ...(result.ok && { answer: signalText(result.value) }), done: true }]
  }

  /** The result of a tool that the run's caller executes. */
  function given(event: EventOf<'signal-answered'>): readonly ThoughtStep[] {
    const call = calls.get(idOf(event)) as Call
    calls.delete(call.id)
    const { result, number } = event
    if (!result.ok) return [{ ...call, error: result.error.message, done: true }]
    return [{ ...call, ...(number === 0 ? { error: NO_RESULT } : { output: result.value }), done: true }]
  }

  function noted(event: EventOf<'note'>): readonly ThoughtStep[] {
    const news = details.newsOf(event, lang) ?? strategyNews(event, lang)
    const text = news === null ? '' : plainText([news]).trim()
    const { path } = event
    if (text === '' || restates(text, lastThoughts.get(path) ?? '')) return []
    return [{ id: idOf(event), path, kind: 'note', text, done: true }]
  }

  function retried(retry: ModelRetry): readonly ThoughtStep[] {
    const reply = writing.get(idOf(retry))
    if (reply !== undefined) reply.isRepeated = true
    const { path } = retry
    return [{ id: `${idOf(retry)} retry`, path, kind: 'note', text: retryText(retry, lang), done: true }]
  }

  function begun(event: EventOf<'model-start'>): readonly ThoughtStep[] {
    const { path, request } = event
    if (request.kind === VALUE_REQUEST) return []
    const { streamFields } = blockViews.of(path)
    const wanted = streamFields === undefined ? anyFields : new Set(streamFields)
    writing.set(idOf(event), {
      role: request.role,
      wanted,
      hasFields: streamFields !== undefined,
      fields: partialFields(wanted),
      text: '',
      added: 0,
      isRepeated: false,
    })
    return []
  }

  /** Replies under way are written again. */
  function startAgain(): readonly ThoughtStep[] {
    for (const reply of writing.values()) reply.fields = partialFields(reply.wanted)
    return []
  }

  function recorded(event: Event): readonly ThoughtStep[] {
    switch (event.type) {
      case 'run-start':
        lang = languageOf(goalText(event.goal))
        return []
      case 'run-resume':
        return startAgain()
      case 'block-start':
        return [goalStep(event)]
      case 'block-end':
        lastThoughts.delete(event.path)
        return [resultStep(event)]
      case 'todo-set':
        return [planStep(event)]
      case 'model-start':
        return begun(event)
      case 'part-end':
        return writtenAgain(writing.get(idOf(event)))
      case 'model-end':
        return replied(event)
      case 'tool-start':
        return called(event)
      case 'tool-end':
        return returned(event)
      case 'signal-asked':
        return ask(event)
      case 'signal-answered':
        return answered(event)
      case 'note':
        return noted(event)
      default:
        return []
    }
  }

  return {
    follow(event) {
      checkEvent('follow', event)
      if (event.type === 'text-delta') return write(event)
      if (event.type === 'model-retry') return retried(event)
      blockViews.follow(event)
      details.follow(event)
      return recorded(event)
    },
  }
}

/** Its reply is the run's value, which is for programs, whatever words stand around it. */
const VALUE_REQUEST = 'output/value'

const NO_RESULT = 'no result was given in time'

const SHORT = 2_000
const MIN_GROWTH = 64

type Step = { readonly path: string; readonly n: number }

function idOf({ path, n }: Step): string {
  return `${path}/${n}`
}

/** A step asks once more: what comes next is another reply. */
function writtenAgain(reply: Writing | undefined): readonly ThoughtStep[] {
  if (reply !== undefined) reply.fields = partialFields(reply.wanted)
  return []
}

function goalStep({ path, goal, strategy }: EventOf<'block-start'>): ThoughtStep {
  return { id: path, path, kind: 'goal', text: goalText(goal), strategy: strategyName(strategy), done: true }
}

function planStep({ path, todo }: EventOf<'todo-set'>): ThoughtStep {
  const text = typeof todo === 'string' ? todo : todo.join('\n')
  return { id: `${path} plan`, path, kind: 'plan', text, done: true }
}

function resultStep({ path, outcome }: EventOf<'block-end'>): ThoughtStep {
  const { result, status, reason } = outcome
  const text = path === ROOT_PATH ? result : withoutFences(result)
  const id = `${path} result`
  return { id, path, kind: 'result', text, status, ...(reason !== undefined && { reason }), done: true }
}

/** What people read of a whole reply; empty if it is for programs only. */
function readableText({ text }: ModelReply, wanted: ReadonlySet<string>): string {
  const fields = partialFields(wanted)
  // A reply of one word is known to be prose when it has ended.
  fields.add(`${text}\n`)
  return shown(fields.readAll())
}

/** Whether a note says in one line what the thought before it has said. */
function restates(note: string, thought: string): boolean {
  const lines = thought.split('\n').map((line) => line.trim().slice(0, 40))
  return lines.some((line) => line.length >= MIN_SAID && note.includes(line))
}

const MIN_SAID = 5

/** A list in JSON is for programs. */
function shown(text: string): string {
  return /^\s*\[\s*(?:[[{"\d]|$)/.test(text) ? '' : text.trim()
}
