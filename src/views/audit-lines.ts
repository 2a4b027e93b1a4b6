/** The audit for people: a box for each block, an entry for each event, with the event's number and time. */

import {
  goalIntent,
  goalText,
  levelOf,
  type ModelReply,
  type Result,
  type Todo,
  type ToolCall,
  type Usage,
} from '../protocol/index.ts'
import type { AuditBlock, AuditEntry, AuditEntryOf, AuditMessage, DoneItem } from './audit.ts'
import { type AuditLayout, auditLayout, type Below, type Drawn } from './audit-layout.ts'
import { type AuditWords, auditWordsOf } from './audit-words.ts'
import { MARKS } from './block-row.ts'
import { checkView } from './entrances.ts'
import { usageText } from './figures.ts'
import { type Line, type Segment, segment } from './line.ts'
import { reasonInWords, resultInWords } from './reason-words.ts'
import { choiceText } from './step-words.ts'
import { cleanLine, fitText, textWidth } from './text-width.ts'
import { type Lang, type Words, wordsOf } from './words.ts'

export interface AuditOptions {
  lang: Lang
  /** In cells; longer lines are wrapped. Null: never wrapped, for searching. */
  width: number | null
  /** Nothing is shortened. */
  full: boolean
}

/** Maximum length of a text, unless all of it is asked for. */
export const MAX_AUDIT_TEXT = 2_000
const MAX_FIRST_LINE = 160
/** A longer goal is repeated in full below the start of its block. */
const MAX_TITLE = 60
const MAX_INDENTED_LEVELS = 8

export function auditLines(block: AuditBlock, options: AuditOptions): Line[] {
  checkView('auditLines', [block, options])
  return new Audit(block, options).lines()
}

class Audit {
  private readonly block: AuditBlock
  private readonly options: AuditOptions
  private readonly words: Words
  private readonly own: AuditWords
  private readonly indent: string
  private readonly layout: AuditLayout

  constructor(block: AuditBlock, options: AuditOptions) {
    this.block = block
    this.options = options
    this.words = wordsOf(options.lang)
    this.own = auditWordsOf(options.lang)
    this.indent = '   '.repeat(Math.min(levelOf(block.path), MAX_INDENTED_LEVELS))
    this.layout = auditLayout(this.indent, options.width)
  }

  lines(): Line[] {
    const { path, goal, strategy, status, entries } = this.block
    const { mark, tone } = MARKS[status ?? 'running']
    const room =
      this.layout.room(textWidth(`${this.indent}┌─ [x] ${path} "" ‹${strategy}›`)) ?? MAX_FIRST_LINE
    const title = `"${fitText(cleanLine(goalIntent(goal)), room)}"`
    const head: Segment[] = [
      segment(`${this.indent}┌─ `, 'dim'),
      segment(mark, tone),
      segment(` ${path} `, 'dim'),
    ]
    const drawn = entries.flatMap((entry) => {
      const parts = this.draw(entry)
      return parts.flatMap((part, i) => this.layout.entry(i === 0 ? entry : null, part))
    })
    const end = status === null ? this.own.open : ''
    return [
      [...head, segment(title, 'strong'), segment(` ‹${strategy}›`, 'dim')],
      ...drawn,
      [segment(`${this.indent}└─${end === '' ? '' : ` ${end}`}`, 'dim')],
    ]
  }

  // --- the content of each entry

  private draw(entry: AuditEntry): Drawn[] {
    const { words, own } = this
    const { lang } = this.options
    switch (entry.type) {
      case 'run-start':
        return [this.runStart(entry)]
      case 'run-resume':
        return [{ head: [segment(`${own.runResumed} (${entry.epoch})`, 'warn')] }]
      case 'run-wait':
        return entry.steps.map(({ path, n, message }) => ({
          head: [
            segment(
              `${words.waitsForModel} (${path} #${n}): ${reasonInWords(cleanLine(message), lang)}`,
              'warn',
            ),
          ],
        }))
      case 'run-fork':
        return [{ head: [segment(`${words.forkOf} ${entry.from} @${entry.at}`, 'warn')] }]
      case 'run-end':
        return [{ head: [segment(`${own.runEnds}: `, 'dim'), segment(words.status[entry.status], 'dim')] }]
      case 'block-start':
        return [this.start(entry)]
      case 'block-end':
        return this.end(entry)
      case 'model-start':
        return [this.given(entry)]
      case 'model-end':
        return [this.answered(entry)]
      case 'part-start':
        return []
      case 'part-end':
        return this.part(entry)
      case 'tool-start': {
        const head = [
          segment(`→ ${own.tool} ${entry.name}`, 'active'),
          segment(` #${entry.n} (${entry.access})`, 'dim'),
        ]
        const denied =
          entry.denied === undefined
            ? []
            : [{ label: own.denied, text: reasonInWords(entry.denied, lang), tone: 'bad' as const }]
        return [{ head, below: [{ text: this.cut(pretty(entry.input)) }, ...denied] }]
      }
      case 'tool-end':
        return [{ head: this.ended(entry, `${own.tool} ${entry.name}`), below: [this.result(entry.result)] }]
      case 'todo-set':
        return [{ head: [segment('todo =', 'strong')], below: [{ text: this.cut(todoText(entry.todo)) }] }]
      case 'call': {
        const other = entry.strategy === this.block.strategy ? [] : [segment(`‹${entry.strategy}› `, 'dim')]
        return [
          {
            head: [segment(`${own.calls} [${entry.to}] `, 'strong'), ...other],
            text: this.cut(goalText(entry.goal)),
          },
        ]
      }
      case 'done-add':
        return entry.items.map((item) => this.archived(item))
      case 'signal-asked': {
        const { text = entry.name, choices = [] } = entry.question ?? {}
        const asked = `${text}${choices.length === 0 ? '' : ` (${choices.map((choice) => choiceText(choice, lang)).join(' / ')})`}`
        return [{ head: [segment(`${words.asks} #${entry.n}: `, 'ask')], text: this.cut(asked), tone: 'ask' }]
      }
      case 'signal-answered': {
        if (entry.number === 0 && entry.result.ok && entry.result.value === undefined)
          return [{ head: [segment(`${words.noAnswer} #${entry.n}: ${own.timeUp}`, 'dim')] }]
        const { text, tone = 'plain' } = this.result(entry.result)
        return [{ head: [segment(`${words.answered} #${entry.n}: `, 'ask')], text, tone }]
      }
      case 'signal-taken': {
        const to = entry.to === this.block.path ? '' : ` (${own.to} ${entry.to})`
        return [
          {
            head: [segment(`${words.took}: ${entry.name}${to} `, 'ask')],
            text: this.cut(pretty(entry.value)),
          },
        ]
      }
      case 'first-won':
        return [{ head: [segment(own.winner(entry.winner), 'dim')] }]
      case 'loop-found':
        return [
          {
            head: [segment(`${words.loops(entry.times)}: `, 'warn')],
            text: this.cut(entry.what),
            tone: 'warn',
          },
        ]
      case 'note':
        return [
          {
            head: [segment(`${own.note} ${entry.name} `, 'warn')],
            below: [{ text: this.cut(pretty(entry.data)) }],
          },
        ]
    }
  }

  /** Includes routes, fallbacks and options, if they are configured. */
  private runStart({ config }: AuditEntryOf<'run-start'>): Drawn {
    const { model = '?', routes, fallbacks, strategyOptions } = config
    const below = Object.entries({ routes, fallbacks, strategyOptions }).flatMap(([label, given]) =>
      given === undefined ? [] : [{ label, text: JSON.stringify(given), tone: 'dim' as const }],
    )
    return { head: [segment(`${this.own.runBegins} `, 'dim')], text: model, tone: 'dim', below }
  }

  private start({ goal, options, limits }: AuditEntryOf<'block-start'>): Drawn {
    const given = typeof options === 'object' && options !== null && Object.keys(options).length > 0
    const below: Below[] = []
    if (typeof goal !== 'string' || goal.length > MAX_TITLE || goal.includes('\n'))
      below.push({ text: this.cut(goalText(goal)) })
    if (given) below.push({ label: this.own.options, text: JSON.stringify(options), tone: 'dim' })
    if (limits !== undefined)
      below.push({ label: this.own.limits, text: JSON.stringify(limits), tone: 'dim' })
    return { head: [segment(this.own.begins, 'dim')], below }
  }

  private end({ outcome, outside, redo, archived = [] }: AuditEntryOf<'block-end'>): Drawn[] {
    const { status, value, limit, usage } = outcome
    const { lang } = this.options
    const reason = reasonInWords(outcome.reason ?? '', lang, outcome.code)
    const result = resultInWords(outcome.result, lang)
    const details = outcome.details === undefined ? undefined : resultInWords(outcome.details, lang)
    const { mark, tone } = MARKS[status]
    const isShort = reason.length <= MAX_FIRST_LINE && !reason.includes('\n')
    const why = `${reason !== '' && isShort ? `: ${reason}` : ''}${limit === undefined ? '' : ` [${limit}]`}`
    const facts = [...(outside ? [this.own.outside] : []), usageText(usage, this.words)]
    const below: Below[] = [{ text: this.cut(result) || this.own.nothing }]
    if (!isShort) below.unshift({ label: this.own.reason, text: this.cut(reason), tone })
    if (value !== undefined) below.push({ label: this.own.value, text: this.cut(pretty(value)) })
    if (details !== undefined) below.push({ label: this.own.details, text: this.cut(details), tone: 'dim' })
    if (redo !== undefined) below.push({ label: this.own.redo, text: this.cut(redo.message), tone: 'warn' })
    return [
      {
        head: [
          segment(`${mark} ${this.words.status[status]}${why}`, tone),
          segment(` · ${facts.join(' · ')}`, 'dim'),
        ],
        below,
      },
      ...archived.map((item) => this.archived(item)),
    ]
  }

  private given({ n, request, closing, edited }: AuditEntryOf<'model-start'>): Drawn {
    const { own } = this
    const about = ` v${request.version} · ${request.role} #${n}${closing ? ` · ${own.closing}` : ''}`
    const below = request.messages.flatMap((message) => this.message(message))
    const { tools = [], settings } = request
    if (tools.length > 0)
      below.push({ label: own.tools, text: tools.map(({ name }) => name).join(', '), tone: 'dim' })
    if (settings !== undefined)
      below.push({ label: own.settings, text: JSON.stringify(settings), tone: 'dim' })
    const head = [segment(`→ ${request.kind}`, 'active'), segment(about, 'dim')]
    if (edited) head.push(segment(` · ${own.edited}`, 'warn'))
    return { head, below }
  }

  private message({ role, text, toolCalls = [], answers }: AuditMessage): Below[] {
    if (role === 'system') return [{ label: role, text: this.fold(text), tone: 'dim' }]
    const label = answers === undefined ? role : `${role} ${answers.name}`
    const calls = toolCalls.map((call) => this.wanted(call))
    return text === '' && calls.length > 0
      ? calls
      : [{ label, text: this.cut(text) || this.own.nothing }, ...calls]
  }

  private wanted({ name, input }: ToolCall): Below {
    return { label: this.own.wants, text: this.cut(`${name} ${JSON.stringify(input)}`) }
  }

  private answered(entry: AuditEntryOf<'model-end'>): Drawn {
    const head = this.ended(entry, entry.kind)
    if (!entry.result.ok) return { head, below: [this.result(entry.result)] }
    const { own } = this
    const reply: ModelReply = entry.result.value
    const { repairs = [], asks = 1, toolCalls = [] } = reply
    const odd = [
      repairs.length > 0 ? `${own.repaired}: ${repairs.join(', ')}` : '',
      asks > 1 ? own.asks(asks) : '',
      reply.cutOff ? own.cutOff : '',
    ].filter((text) => text !== '')
    if (reply.model !== undefined) head.push(segment(` · ${reply.model}`, 'dim'))
    if (reply.usageEstimated) head.push(segment(` (${own.estimated})`, 'dim'))
    if (odd.length > 0) head.push(segment(` · ${odd.join(' · ')}`, 'warn'))
    const below: Below[] = toolCalls.map((call) => this.wanted(call))
    const text = reply.value === undefined ? reply.text : pretty(reply.value)
    if (text !== '' || below.length === 0) below.unshift({ text: this.cut(text) || own.nothing })
    if (repairs.length > 0) below.push({ label: own.raw, text: this.cut(reply.text), tone: 'dim' })
    return { head, below }
  }

  /** If a step asked only once, that is its reply, which is shown anyway. */
  private part(entry: AuditEntryOf<'part-end'>): Drawn[] {
    const end = this.block.entries.find(
      (other): other is AuditEntryOf<'model-end'> => other.type === 'model-end' && other.n === entry.n,
    )
    if (end?.result.ok && end.parts === 1) return []
    const reply = entry.value as { text?: unknown } | null
    const text = typeof reply?.text === 'string' ? reply.text : pretty(entry.value)
    const label = `${entry.kind} ${this.own.ask(entry.part)}`
    return [
      {
        head: this.ended({ ...entry, result: { ok: true, value: null } }, label),
        below: [{ text: this.cut(text), tone: 'dim' }],
      },
    ]
  }

  private archived({ from, status, text }: DoneItem): Drawn {
    return {
      head: [segment(`done += [${from}] `, MARKS[status].tone)],
      text: this.cut(resultInWords(text, this.options.lang)) || this.own.nothing,
    }
  }

  private ended({ n, usage, result }: { n: number; usage: Usage; result: Result }, what: string): Segment[] {
    const failed = result.ok ? '' : ` ${this.own.failed}`
    const spent =
      usage.calls === 0 && usage.inputTokens + usage.outputTokens === 0
        ? ''
        : ` · ${usageText(usage, this.words)}`
    return [segment(`← ${what}${failed}`, result.ok ? 'good' : 'bad'), segment(` #${n}${spent}`, 'dim')]
  }

  private result(result: Result): Below {
    if (result.ok) return { text: this.cut(pretty(result.value)) || this.own.nothing }
    const { code, message } = result.error
    return { text: this.cut(`${code}: ${reasonInWords(message, this.options.lang, code)}`), tone: 'bad' }
  }

  // --- shortening

  private cut(text: string): string {
    if (this.options.full || text.length <= MAX_AUDIT_TEXT) return text
    const kept = text.slice(0, MAX_AUDIT_TEXT).replace(/[\ud800-\udbff]$/, '')
    return `${kept}\n${this.own.leftOut(text.length - kept.length)}`
  }

  private fold(text: string): string {
    if (this.options.full) return text
    const lines = text.trimEnd().split('\n')
    const first = (lines[0] as string).slice(0, MAX_FIRST_LINE)
    const left = text.trimEnd().length - first.length
    return left === 0 ? first : `${first} ${this.own.folded(lines.length - 1, left)}`
  }
}

function todoText(todo: Todo): string {
  return typeof todo === 'string' ? todo : todo.map((item) => `- ${item}`).join('\n')
}

/** A value with a line for each field, and texts verbatim: JSON would escape their line breaks. */
function pretty(value: unknown): string {
  if (value === undefined || value === null) return value === null ? 'null' : ''
  if (typeof value !== 'object') return String(value)
  const isList = Array.isArray(value)
  const fields = isList ? value.map((part) => ['-', part] as const) : Object.entries(value)
  if (fields.length === 0) return isList ? '[]' : '{}'
  return fields
    .map(([name, part]) => {
      const text = pretty(part)
      const label = isList ? '-' : `${name}:`
      const nested = text.includes('\n') || (typeof part === 'object' && part !== null && !/^[[{]/.test(text))
      if (!nested) return `${label} ${text}`.trimEnd()
      const inner = text.replace(/^(?=.)/gm, '  ')
      return isList ? `- ${inner.trimStart()}` : `${label}\n${inner}`
    })
    .join('\n')
}
