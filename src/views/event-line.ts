/** Events as lines: all of them for reading a journal, the noteworthy ones for following a run in a pipe. */

import {
  type BlockState,
  changeText,
  type ErrorData,
  type Event,
  type EventOf,
  goalIntent,
  type ModelRetry,
  parentPath,
  type Result,
  type RunState,
  type Status,
} from '../protocol/index.ts'
import { elapsedMs, MARKS, NOT_BEGUN, questionText, reasonText } from './block-row.ts'
import type { Details } from './details.ts'
import { checkView } from './entrances.ts'
import { countText, durationText, usageText } from './figures.ts'
import { type Line, type Segment, segment } from './line.ts'
import { reasonInWords, resultInWords } from './reason-words.ts'
import { retryText } from './retries.ts'
import { choiceText } from './step-words.ts'
import { strategyNews, strategyTag } from './strategy-news.ts'
import { outagesText } from './summary.ts'
import { cleanLine, fitText, resultLine } from './text-width.ts'
import { type Lang, type Words, wordsOf } from './words.ts'

/**
 * The event as a line for a person who follows the run; null if it is not noteworthy. `state` and `details`, which explains
 * the notes of strategies, already include the event.
 */
export function newsLine(state: RunState, event: Event, lang: Lang, details?: Details): Line | null {
  checkView('newsLine', [state, event, lang, details])
  const words = wordsOf(lang)
  const block = state.blocks.get(event.path)
  switch (event.type) {
    case 'block-start':
      return marked('running', event.path, [
        segment(quoted(goalIntent(event.goal))),
        ...otherName(details?.rowOf(event.path, lang)?.name, event.path),
        ...changedStrategy(state, event),
      ])
    case 'block-end':
      return endLine(event, block, lang)
    case 'todo-set':
      return details?.tellsPlan(event.path) ? null : planLine(event, words)
    case 'model-end':
    case 'tool-end':
      return stepLine(event, details, lang)
    case 'signal-asked':
      if (event.timeoutMs === 0 || event.question === undefined) return null
      return marked('waiting', event.path, [segment(`${words.asks}: ${askedText(event, lang)}`, 'ask')])
    case 'signal-answered':
      if (!hasAnswer(event)) return null
      return marked('running', event.path, [segment(`${words.answered}: ${answerText(event.result, lang)}`)])
    case 'signal-taken':
      return marked('running', event.to, [segment(`${words.took}: ${event.name} ${valueText(event.value)}`)])
    case 'run-resume':
      if (event.changes === undefined) return null
      return [segment(`    ${words.changed(event.changes)}`, 'warn')]
    case 'run-wait':
      return marked('waiting', event.path, [segment(outagesText(event.steps, lang), 'warn')])
    case 'loop-found':
      return marked('running', event.path, [
        segment(`${words.loops(event.times)}: ${cleanLine(event.what)}`, 'warn'),
      ])
    case 'note': {
      const news = details?.newsOf(event, lang) ?? strategyNews(event, lang)
      return news === null ? null : marked('running', event.path, news)
    }
    default:
      return null
  }
}

/** What went wrong with a model call, for a person who follows the run. */
export function retryLine(retry: ModelRetry, lang: Lang): Line {
  return [segment(`    ${retry.path} ${retryText(retry, lang)}`, 'warn')]
}

/** Any event on one line: number, time, type, path and content. */
export function eventLine(event: Event, width: number, lang: Lang = 'en'): Line {
  checkView('eventLine', [event, width, lang])
  const head = `${String(event.seq).padStart(5)}  ${event.ts.slice(11, 23)}  `
  const type = event.type.padEnd(15)
  const used = head.length + type.length + event.path.length + 4
  return [
    segment(head, 'dim'),
    segment(type, toneOf(event)),
    segment(`  ${event.path}  `, 'strong'),
    segment(fitText(contentText(event, lang), Math.max(20, width - used))),
  ]
}

function stepLine(
  event: EventOf<'model-end' | 'tool-end'>,
  details: Details | undefined,
  lang: Lang,
): Line | null {
  const words = wordsOf(lang)
  const { path, result } = event
  const isTool = event.type === 'tool-end'
  const call = isTool ? (details?.callOf(event) ?? null) : null
  if (!result.ok) {
    const what = call ?? (isTool ? words.toolCall : words.modelCall)
    return [segment(`    ${path} ${what}: ${failureText(result.error, lang)}`, 'warn')]
  }
  if (call === null) return null
  const got = fitText(resultLine(plainText(result.value)), MAX_GOT)
  const isNew = got !== '' && !call.includes(got)
  return [segment(`    ${path} ${call}`, 'active'), ...(isNew ? [segment(` → ${got}`, 'dim')] : [])]
}

const MAX_GOT = 100

/** What a tool gave, as a person would read it: a text as it is, of an object its longest text. */
function plainText(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return valueText(value)
  const texts = Object.values(value).filter((part) => typeof part === 'string')
  return texts.length === 0 ? valueText(value) : texts.reduce((a, b) => (b.length > a.length ? b : a))
}

/** What its parent calls the block, where its path would not say: the lines that follow have the path. */
function otherName(name: string | undefined, path: string): Segment[] {
  return name === undefined || name === path ? [] : [segment(` ‹${name}›`, 'dim')]
}

/** The strategy, if it differs from the parent's. */
function changedStrategy({ blocks }: RunState, { path, strategy }: EventOf<'block-start'>): Segment[] {
  const parent = blocks.get(parentPath(path) ?? '')
  return parent === undefined || parent.strategy === strategy
    ? []
    : [segment(` ${strategyTag(strategy)}`, 'dim')]
}

function planLine({ path, todo }: EventOf<'todo-set'>, words: Words): Line | null {
  const items = typeof todo === 'string' ? [todo] : todo
  if (items.length === 0) return null
  const text = items.map((item) => cleanLine(item, 120)).join(' · ')
  return [segment(`${NOT_BEGUN} ${path} `, 'dim'), segment(`${words.plan}: ${text}`)]
}

/** A choice is recorded by its name. */
function answerText(result: Result, lang: Lang): string {
  if (!result.ok || typeof result.value !== 'string') return resultText(result, lang)
  return choiceText(valueText(result.value), lang)
}

/** False if the wait timed out or was only a poll. */
function hasAnswer({ number, result }: EventOf<'signal-answered'>): boolean {
  return number !== 0 || (result.ok && result.value !== undefined)
}

function endLine(event: EventOf<'block-end'>, block: BlockState | undefined, lang: Lang): Line {
  const words = wordsOf(lang)
  const { status, result, usage } = event.outcome
  const took = block === undefined ? '' : `${durationText(elapsedMs(block, Date.parse(event.ts)))} · `
  const reason = reasonText(event.path, event.outcome, lang)
  const why = reason === '' ? '' : `: ${reason}`
  const got = result === '' ? '' : ` → ${fitText(resultLine(resultInWords(result, lang)), 200)}`
  return marked(status, event.path, [
    segment(`${words.status[status]}${why}${got}`),
    segment(` (${took}${usageText(usage, words)})`, 'dim'),
  ])
}

function contentText(event: Event, lang: Lang): string {
  const words = EVENT_WORDS[lang]
  switch (event.type) {
    case 'run-start':
      return `${words.on(event.strategy, event.config.model ?? '?')}  ${quoted(goalIntent(event.goal))}`
    case 'run-resume':
      return [words.epoch(event.epoch), ...resumeTexts(event, words), ...changeTexts(event, lang)].join(' · ')
    case 'run-wait':
      return event.steps
        .map(({ path, n, message }) => `${path} #${n} ${reasonInWords(cleanLine(message), lang)}`)
        .join(' · ')
    case 'run-fork':
      return words.fork(event.from, event.at, event.edited)
    case 'run-end':
      return words.status(event.status)
    case 'block-start':
      return `${event.strategy}  ${quoted(goalIntent(event.goal))}`
    case 'block-end': {
      const { status, reason, code, result } = event.outcome
      const why = reason ? `: ${reasonInWords(cleanLine(reason), lang, code)}` : ''
      return `${words.status(status)}${why}${result ? ` → ${resultLine(resultInWords(result, lang))}` : ''}`
    }
    case 'todo-set':
      return typeof event.todo === 'string'
        ? cleanLine(event.todo)
        : event.todo.map((item) => cleanLine(item)).join(' · ')
    case 'done-add':
      return event.from.join(', ')
    case 'model-start':
      return `#${event.n} ${event.request.kind}${event.edited ? words.edited : ''}`
    case 'tool-start':
      return `#${event.n} ${event.name} ${valueText(event.input)}`
    case 'model-end':
      return `#${event.n} ${replyText(event.result, lang)}`
    case 'tool-end':
      return `#${event.n} ${resultText(event.result, lang)}`
    case 'part-start':
    case 'part-end':
      return `#${event.n} ${words.part(event.part)}`
    case 'signal-asked':
      return `#${event.n} ${event.name}  ${askedText(event, lang)}`
    case 'signal-answered':
      return `#${event.n} ${event.name}  ${resultText(event.result, lang)}`
    case 'signal-taken':
      return `${words.signal(event.name, event.to)} ${valueText(event.value)}`
    case 'first-won':
      return `#${event.n} ${words.operation(event.winner)}`
    case 'loop-found':
      return `${event.kind} ×${event.times}: ${cleanLine(event.what)}`
    case 'note':
      return `${event.name} ${valueText(event.data)}`
    default:
      return ''
  }
}

interface EventWords {
  status(status: Status): string
  on(strategy: string, model: string): string
  epoch(n: number): string
  fork(from: string, at: number, edited: boolean): string
  edited: string
  part(n: number): string
  signal(name: string, to: string): string
  operation(n: number): string
  lost(steps: number, tokens: string): string
  limits(now: string): string
}

const EVENT_WORDS: Readonly<Record<Lang, EventWords>> = {
  en: {
    status: (status) => status,
    on: (strategy, model) => `${strategy} on ${model}`,
    epoch: (n) => `epoch ${n}`,
    edited: ', edited by a person',
    fork: (from, at, edited) => `of ${from} at ${at}${edited ? ', edited' : ''}`,
    part: (n) => `part ${n}`,
    signal: (name, to) => `${name} for ${to}`,
    operation: (n) => `operation ${n}`,
    lost: (steps, tokens) => `${steps} under way lost, ${tokens} tokens charged`,
    limits: (now) => `limits now ${now}`,
  },
  zh: {
    status: (status) => wordsOf('zh').status[status],
    on: (strategy, model) => `${strategy}，模型 ${model}`,
    epoch: (n) => `第 ${n} 次执行`,
    edited: '，由人改过',
    fork: (from, at, edited) => `分叉自 ${from} @${at}${edited ? '，有改动' : ''}`,
    part: (n) => `第 ${n} 部分`,
    signal: (name, to) => `${name}，发给 ${to}`,
    operation: (n) => `操作 ${n}`,
    lost: (steps, tokens) => `中断损失 ${steps} 步，计 ${tokens} token`,
    limits: (now) => `上限改为 ${now}`,
  },
}

function toneOf(event: Event): Segment['tone'] {
  if (event.type === 'block-end') return MARKS[event.outcome.status].tone
  if (event.type === 'run-end') return MARKS[event.status].tone
  if ('result' in event && !event.result.ok) return 'bad'
  if (event.type.startsWith('signal')) return 'ask'
  if (event.type === 'run-wait') return 'warn'
  return event.type.endsWith('-start') ? 'active' : 'plain'
}

function marked(status: BlockState['status'], path: string, rest: readonly Segment[]): Line {
  const { mark, tone } = MARKS[status]
  return [segment(mark, tone), segment(` ${path} `, 'dim'), ...rest]
}

function quoted(text: string): string {
  return `"${fitText(cleanLine(text), 120)}"`
}

function resultText(result: Result, lang: Lang): string {
  return result.ok ? valueText(result.value) : failed(result, lang)
}

function replyText(result: EventOf<'model-end'>['result'], lang: Lang): string {
  if (!result.ok) return failed(result, lang)
  const { model, text } = result.value
  return `${model === undefined ? '' : `${model}: `}${cleanLine(text)}`
}

function failed({ error }: Result & { ok: false }, lang: Lang): string {
  return `${error.code}: ${failureText(error, lang)}`
}

function failureText({ message, code }: ErrorData, lang: Lang): string {
  return reasonInWords(cleanLine(message), lang, code)
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return cleanLine(typeof value === 'string' ? value : JSON.stringify(value))
}

/** What a kill lost, and limits that were raised. */
function resumeTexts({ lost = [], limits }: EventOf<'run-resume'>, words: EventWords): string[] {
  const texts: string[] = []
  const tokens = lost.reduce((sum, { usage }) => sum + (usage.lostTokens ?? 0), 0)
  if (lost.length > 0) texts.push(words.lost(lost.length, countText(tokens)))
  if (limits !== undefined) texts.push(words.limits(JSON.stringify(limits)))
  return texts
}

function changeTexts({ changes = [] }: EventOf<'run-resume'>, lang: Lang): string[] {
  if (lang === 'en') return changes.map(changeText)
  return changes.length === 0 ? [] : [wordsOf(lang).changed(changes)]
}

/** Without a question the block only listens. */
function askedText({ question, name }: EventOf<'signal-asked'>, lang: Lang): string {
  return question === undefined ? `“${cleanLine(name)}”?` : questionText(question, lang)
}
