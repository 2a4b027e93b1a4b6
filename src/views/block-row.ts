/** A block in one row, for the terminal's tree and the page's cards: what it is called, what it does, what came out of it. */
import {
  attemptOf,
  type BlockState,
  goalIntent,
  type OutageStep,
  type Outcome,
  parentPath,
  type Question,
  type RunState,
  type Standing,
} from '../protocol/index.ts'
import type { Details } from './details.ts'
import { type Segment, segment, type Tone } from './line.ts'
import { reasonInWords, resultInWords } from './reason-words.ts'
import { choiceText, doingText } from './step-words.ts'
import { strategyTag } from './strategy-news.ts'
import type { ChildRow } from './strategy-view.ts'
import { cleanLine, resultLine } from './text-width.ts'
import { type Lang, wordsOf } from './words.ts'

export interface BlockRow {
  /** As its parent's strategy calls it; its path otherwise. */
  readonly name: string
  readonly title: string
  /** Empty if it is its parent's. */
  readonly strategy: string
  /** What its strategy says of it, further attempts, loops. */
  readonly tags: readonly string[]
  /** What it does now or waits for; how it has ended and with what. */
  readonly note: Note | null
}

/** `tail`: if it has to be cut, its end is kept. */
export type Note = Segment & { readonly tail?: true }

export interface BlockRowOptions {
  readonly lang: Lang
  readonly details?: Details
  /** Text that the block's model is streaming. */
  readonly incoming?: string
  /** Why its model call is tried again, or waits. */
  readonly retrying?: string
}

export const MARKS: Record<Standing, { mark: string; tone: Tone }> = {
  running: { mark: '[-]', tone: 'active' },
  waiting: { mark: '[?]', tone: 'ask' },
  stopped: { mark: '[-]', tone: 'warn' },
  completed: { mark: '[x]', tone: 'good' },
  partial: { mark: '[~]', tone: 'warn' },
  skipped: { mark: '[/]', tone: 'dim' },
  failed: { mark: '[!]', tone: 'bad' },
  cancelled: { mark: '[!]', tone: 'bad' },
}
export const NOT_BEGUN = '[ ]'

export function blockRow(block: BlockState, state: RunState, options: BlockRowOptions): BlockRow {
  const { details, lang, incoming = '', retrying = '' } = options
  const { path, strategy, loops } = block
  const above = parentPath(path)
  const inherited = above === null ? undefined : state.blocks.get(above)?.strategy
  const { name, tags: own, doing } = details?.rowOf(path, lang) ?? plainRow(block)
  const words = wordsOf(lang)
  const tags = [...own]
  if (attemptOf(path) > 1) tags.push(words.attempt(attemptOf(path)))
  if (loops > 0) tags.push(words.loops(loops))
  return {
    name,
    title: cleanLine(goalIntent(block.goal)),
    strategy: strategy === inherited ? '' : strategyTag(strategy),
    tags,
    note: outageNote(block, state, lang, retrying) ?? noteOf(block, incoming, doing, lang),
  }
}

/** Why its model call does not go on, if it does not. */
function outageNote(block: BlockState, { outages }: RunState, lang: Lang, retrying: string): Note | null {
  if (block.outcome !== null || block.questions.length > 0) return null
  const out = outages.find(({ path }) => path === block.path)
  if (out !== undefined) return segment(`${wordsOf(lang).waitsForModel}: ${shortReason(out, lang)}`, 'warn')
  return retrying === '' ? null : segment(retrying, 'warn')
}

/** What the provider said, without the model's name before it: a row is narrow. */
export function shortReason({ model, message }: Pick<OutageStep, 'model' | 'message'>, lang: Lang): string {
  const text = cleanLine(message)
  const said = text.startsWith(`${model}: `) ? text.slice(model.length + 2) : text
  return reasonInWords(said, lang)
}

function plainRow({ path }: BlockState): ChildRow {
  return { name: path, tags: [], doing: '' }
}

function noteOf(block: BlockState, incoming: string, doing: string, lang: Lang): Note | null {
  const { outcome, status } = block
  const words = wordsOf(lang)
  if (outcome === null) {
    const asked = block.questions.at(-1)
    if (asked !== undefined) return segment(questionText(asked, lang), 'ask')
    if (incoming !== '') return { ...segment(incoming, 'active'), tail: true }
    const does = doing || doingText(block.doing, lang)
    return does === '' ? null : segment(does, 'active')
  }
  const result = resultLine(resultInWords(outcome.result, lang))
  if (status === 'completed') return result === '' ? null : segment(`→ ${result}`, 'dim')
  const reason = reasonText(block.path, outcome, lang)
  const got = status === 'partial' && result !== '' ? ` → ${result}` : ''
  return segment(`${words.status[status]}${reason === '' ? '' : `: ${reason}`}${got}`, MARKS[status].tone)
}

/** A reason often begins with the path of its block, which the line already has. */
export function reasonText(
  path: string,
  { reason = '', code }: Pick<Outcome, 'reason' | 'code'>,
  lang: Lang,
): string {
  const text = reasonInWords(cleanLine(reason), lang, code)
  return text.startsWith(`${path}: `) ? text.slice(path.length + 2) : text
}

export function questionText(question: Question, lang: Lang): string {
  const choices = question.choices?.map((choice) => cleanLine(choiceText(choice, lang), 60)).join(' / ')
  // The other lines are details; whoever is asked sees the whole question.
  const [first = ''] = question.text.trim().split('\n')
  return `${cleanLine(first)}${choices ? ` (${choices})` : ''}`
}

export function elapsedMs(block: BlockState, nowMs: number): number {
  const until = block.endedAt === null ? nowMs : Date.parse(block.endedAt)
  return Math.max(0, until - Date.parse(block.startedAt))
}
