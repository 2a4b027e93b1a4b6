/**
 * The text of a run's answer as it is written, folded from its events and deltas.
 *
 * 1. What is given out is never taken back: text of a reply is given out while it is written only if the reply's strategy says that
 *    nothing can replace it (`answer` of its view), and only as far as it is sure how it will be read.
 * 2. All that was given out is the result of the run when the run has ended; if it can't be, because the reply broke off, was cancelled or
 *    could not be used, `follow` throws.
 */

import { checkEvent } from '../protocol/check-event.ts'
import {
  type Event,
  type EventOf,
  type Goal,
  isObject,
  type ModelReply,
  type ModelRetry,
  parentPath,
  ROOT_PATH,
  type TextDelta,
  ThinkonError,
} from '../protocol/index.ts'
import { createBlockViews, type StrategyViews, strategyName } from './block-views.ts'
import { checkView } from './entrances.ts'
import { type PartialFields, partialFields } from './partial-fields.ts'
import type { AnswerForm, AnswerRequest, StrategyView } from './strategy-view.ts'

export interface AnswerText {
  /** Takes the next event or delta; returns the text that follows what was given out before, mostly none. */
  follow(event: Event | ModelRetry | TextDelta): string
  /** The step that the text was given from, `<path>/<n>`; null before there is any, and if it came only with the result. */
  readonly step: string | null
}

interface AnswerBlock {
  readonly path: string
  readonly goal: Goal
  readonly options: unknown
  parts: number
  sentBack: boolean
  /** The block that it answers for: its result becomes that block's. */
  readonly above?: AnswerBlock
}

/** A reply that is the answer. */
interface AnswerStep {
  readonly path: string
  readonly n: number
  /** One of them is that of the reply. */
  readonly forms: readonly AnswerForm[]
  readonly fields: PartialFields | null
  /** What has come of the answer, and is not given out yet. */
  waiting: string
  /** It is written for the second time: what comes is given out when it is whole. */
  isHeld: boolean
}

export function createAnswerText(views: StrategyViews): AnswerText {
  checkView('createAnswerText', [views])
  const blockViews = createBlockViews(views)
  let mayStream = true
  /** Strategies whose blocks may be solved again by another. */
  let fallbacks: ReadonlySet<string> = new Set()
  /** Blocks that hand their goal on: what their child answers is their answer. */
  const handsOn = new Set<string>()
  let block: AnswerBlock | null = null
  let step: AnswerStep | null = null
  let given = ''
  let writer: string | null = null
  let isWhole = false
  let result: string | null = null

  /** Gives out what follows in a text that begins with what was given out. */
  function growTo(text: string): string {
    const piece = text.slice(given.length)
    given = text
    return piece
  }

  /** More of the answer has come. White space at both ends may be trimmed, and half a character becomes a whole one. */
  function grow(from: AnswerStep, form: AnswerForm, text: string): string {
    from.waiting += text
    if (given.length < BEGINNING && !isLikely(given + from.waiting, form)) return ''
    const piece = from.waiting.slice(0, sureLength(from.waiting))
    from.waiting = from.waiting.slice(piece.length)
    given += piece
    if (piece !== '') writer ??= `${from.path}/${from.n}`
    return piece
  }

  function begin(event: EventOf<'block-start'>): void {
    const { path, goal, strategy, options } = event
    const parent = parentPath(path)
    if (block !== null && parent === block.path && isAnsweredBy(blockViews.of(parent), event)) {
      block = { ...block, path, above: block }
      return
    }
    if (parent !== null && !handsOn.has(parent)) return
    if (blockViews.of(path).handsOn) handsOn.add(path)
    if (fallbacks.has(strategyName(strategy))) mayStream = false
    block = { path, goal, options, parts: 0, sentBack: false }
  }

  function ask({ path, n, request }: EventOf<'model-start'>): void {
    if (!mayStream || block === null || step !== null || isWhole || given !== '') return
    const { goal, options, parts, sentBack } = block
    const forms = formsOf(blockViews.of(path), { kind: request.kind, goal, options, parts, sentBack })
    if (forms.length > 0) step = { path, n, forms, fields: fieldsOf(forms), waiting: '', isHeld: false }
  }

  /** The reply that was under way is asked for again. */
  function writeAgain(): void {
    if (step === null) return
    if (given === '') step = { ...step, fields: fieldsOf(step.forms), waiting: '' }
    else step.isHeld = true
  }

  function write(text: string): string {
    if (step === null || step.isHeld) return ''
    const { fields, forms } = step
    fields?.add(text)
    const form = meantIn(fields, forms)
    if (form === undefined) return ''
    return grow(step, form, fields?.take(form.field ?? '') ?? text)
  }

  function end({ result: ended }: EventOf<'model-end'>): string {
    const from = step as AnswerStep
    step = null
    const answer = ended.ok ? answerOf(ended.value, from.forms) : null
    if (answer === null || !answer.text.startsWith(given)) return ''
    isWhole = true
    from.waiting = ''
    if (given === '') {
      // Nobody has waited for it as it was written: it comes with the result, whatever happens until then.
      writer = `${from.path}/${from.n}`
      return ''
    }
    return grow(from, answer.form, answer.text.slice(given.length))
  }

  function ofStep(event: Event | ModelRetry | TextDelta): string {
    if (event.type === 'text-delta') return write(event.text)
    if (event.type === 'model-end') return end(event)
    // What comes next is another attempt at the reply.
    if (step !== null && STARTS_AGAIN.has(event.type)) step.isHeld = true
    return ''
  }

  function ofBlock(event: Event): void {
    if (block === null) return
    if (event.type === 'model-start') ask(event)
    else if (event.type === 'tool-end') block.parts++
    else if (event.type === 'note' && event.name === 'result-checked' && isObject(event.data))
      block.sentBack ||= event.data.sentBack === true
  }

  function ofRun(event: Event): string {
    switch (event.type) {
      case 'run-start':
        configure(event)
        return ''
      case 'run-resume':
        writeAgain()
        return ''
      case 'block-start':
        begin(event)
        return ''
      case 'block-end':
        leave(event)
        return ''
      case 'run-end':
        return rest(event)
      default:
        return ''
    }
  }

  function leave({ path, outcome }: EventOf<'block-end'>): void {
    if (path === ROOT_PATH) result = outcome.result
    if (path === block?.path && block.above !== undefined) block = block.above
    if (block !== null && parentPath(path) === block.path) block.parts++
  }

  function configure({ config }: EventOf<'run-start'>): void {
    fallbacks = new Set(Object.keys(config.fallbacks ?? {}))
    // A value is asked for until it fits.
    if (config.output !== undefined) mayStream = false
  }

  function rest({ status }: EventOf<'run-end'>): string {
    if (result === null || result.startsWith(given)) return growTo(result ?? given)
    throw replaced(status === 'cancelled', result)
  }

  return {
    follow(event) {
      checkEvent('follow', event)
      if (!('seq' in event)) return isOf(event, step) ? ofStep(event) : ''
      blockViews.follow(event)
      if (isOf(event, step)) return ofStep(event)
      if (event.path === block?.path) ofBlock(event)
      return ofRun(event)
    },
    get step() {
      return writer
    },
  }
}

const STARTS_AGAIN: ReadonlySet<string> = new Set(['model-retry', 'part-end'])

function isOf(event: Event | ModelRetry | TextDelta, step: AnswerStep | null): boolean {
  return step !== null && event.path === step.path && 'n' in event && event.n === step.n
}

/** Null if the whole reply is the answer. */
function fieldsOf(forms: readonly AnswerForm[]): PartialFields | null {
  const names = forms.flatMap(({ field, when = {} }) =>
    field === undefined ? [] : [field, ...Object.keys(when)],
  )
  return names.length === 0 ? null : partialFields(new Set(names))
}

/** The form that the other fields of the reply say it has. */
function meantIn(fields: PartialFields | null, forms: readonly AnswerForm[]): AnswerForm | undefined {
  return forms.find(({ field, when = {} }) =>
    field === undefined
      ? fields === null
      : Object.entries(when).every(([name, value]) => {
          const said = fields?.field(name)
          return said?.ended === true && said.text === value
        }),
  )
}

/** A view is code of its strategy, perhaps a user's: where it breaks, the text comes at the end. */
function formsOf(view: StrategyView, asked: AnswerRequest): readonly AnswerForm[] {
  try {
    return [view.answer?.(asked) ?? []].flat()
  } catch {
    return []
  }
}

function isAnsweredBy(view: StrategyView, child: EventOf<'block-start'>): boolean {
  try {
    return view.answeredBy?.(child) === true
  } catch {
    return false
  }
}

/** How much of the text is looked at. */
const BEGINNING = 400

function isLikely(text: string, { mayBe }: AnswerForm): boolean {
  try {
    return !/^\s/.test(text) && mayBe?.(text) !== false
  } catch {
    return false
  }
}

interface WholeAnswer {
  readonly form: AnswerForm
  readonly text: string
}

/** The answer in a whole reply; null if it has none. */
function answerOf(reply: ModelReply, forms: readonly AnswerForm[]): WholeAnswer | null {
  const { text, value, toolCalls = [] } = reply
  if (toolCalls.length > 0) return null
  const fields = isObject(value) ? null : fieldsOf(forms)
  fields?.add(text)
  const form = isObject(value) ? meantByValue(value, forms) : meantIn(fields, forms)
  if (form === undefined) return null
  if (form.field === undefined) return { form, text }
  const answer = isObject(value) ? value[form.field] : fields?.take(form.field) || null
  return typeof answer === 'string' ? { form, text: answer } : null
}

function meantByValue(
  value: Readonly<Record<string, unknown>>,
  forms: readonly AnswerForm[],
): AnswerForm | undefined {
  return forms.find(({ when = {} }) => Object.entries(when).every(([name, said]) => value[name] === said))
}

function sureLength(text: string): number {
  let length = text.length
  while (length > 0 && /[\s\ud800-\udbff]/.test(text[length - 1] as string)) length--
  return length
}

function replaced(isCancelled: boolean, result: string): ThinkonError {
  return isCancelled
    ? new ThinkonError('CANCELLED', 'the run was cancelled while its answer was being written', {
        data: { result },
      })
    : new ThinkonError(
        'TEXT_REPLACED',
        'the answer broke off or could not be used while it was being written: the result is another text (data.result, and run.outcome)',
        { data: { result } },
      )
}
