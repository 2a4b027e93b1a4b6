/**
 * The audit of a run: its journal by block, in the order of the tree, for any strategy.
 *
 * 1. Every event is an entry of its block, in the order of the journal, with its `seq` and time.
 * 2. In addition, a block has a `call` for each child that began (`seq` is that of the child's `block-start`).
 * 3. What an event only refers to is resolved: the text that went into `done` and the child it is from, the step an end
 *    belongs to, its cost over all asks.
 */

import { checkEvent } from '../protocol/check-event.ts'
import {
  accumulate,
  attemptOf,
  type BlockEnd,
  type DoneAdd,
  defined,
  doneText,
  type Event,
  type EventBody,
  type EventOf,
  type Goal,
  type Message,
  type ModelEnd,
  type ModelStart,
  messageText,
  NO_USAGE,
  type Outcome,
  type PartEnd,
  parentPath,
  placeOf,
  type Status,
  type ToolEnd,
  type Usage,
} from '../protocol/index.ts'
import { checkView } from './entrances.ts'

export interface AuditBlock {
  path: string
  goal: Goal
  /** `name@version` */
  strategy: string
  /** Null until it has ended. */
  status: Status | null
  entries: AuditEntry[]
}

export type AuditEntry = { seq: number; ts: string } & AuditBody
export type AuditEntryOf<T extends AuditBody['type']> = Extract<AuditEntry, { type: T }>

type AuditBody =
  | Exclude<EventBody, ModelStart | ModelEnd | ToolEnd | PartEnd | DoneAdd | BlockEnd>
  | AuditGiven
  | AuditAnswered
  | (ToolEnd & { name: string })
  | (PartEnd & { kind: string })
  | AuditArchived
  | AuditEnd
  | AuditCall

/** A request to a model; the parts of a message are joined. */
type AuditGiven = Omit<ModelStart, 'request'> & {
  request: Omit<ModelStart['request'], 'messages'> & { messages: AuditMessage[] }
}

export type AuditMessage = Pick<Message, 'role' | 'toolCalls' | 'answers'> & { text: string }

/** The reply. `usage` covers all asks. */
type AuditAnswered = ModelEnd & { kind: string; parts: number }

/** What went into `done`, and its size afterwards. */
interface AuditArchived extends Omit<DoneAdd, 'from'> {
  items: DoneItem[]
  size: number
}

export interface DoneItem {
  from: string
  status: Status
  text: string
}

type AuditEnd = Omit<BlockEnd, 'archived' | 'timeline'> & { archived?: DoneItem[] }

/** A child began. */
interface AuditCall {
  type: 'call'
  to: string
  goal: Goal
  /** `name@version` */
  strategy: string
}

export function auditBlocks(events: Iterable<Event>): AuditBlock[] {
  checkView('auditBlocks', [events])
  const fold = new AuditFold()
  for (const event of events) {
    checkEvent('auditBlocks', event)
    fold.take(event)
  }
  return [...fold.blocks.values()].sort((a, b) => byTree(a.path, b.path))
}

class AuditFold {
  readonly blocks = new Map<string, AuditBlock>()
  private readonly outcomes = new Map<string, Outcome>()
  private readonly sizes = new Map<string, number>()
  private readonly steps = new Map<string, Step>()

  take(event: Event): void {
    if (event.type === 'block-start') this.begin(event)
    if (event.type === 'block-end') this.outcomes.set(event.path, event.outcome)
    const { seq, ts } = event
    const block = this.blockAt(event.path)
    if (event.type === 'block-end') block.status = event.outcome.status
    block.entries.push({ seq, ts, ...this.bodyOf(event) })
  }

  private begin({ path, goal, strategy, seq, ts }: EventOf<'block-start'>): void {
    Object.assign(this.blockAt(path), { goal, strategy })
    const parent = parentPath(path)
    if (parent !== null)
      this.blockAt(parent).entries.push({ seq, ts, type: 'call', to: path, goal, strategy })
  }

  private bodyOf(event: Event): AuditBody {
    const { seq: _seq, ts: _ts, run: _run, path, ...body } = event
    switch (body.type) {
      case 'model-start': {
        const { messages, ...request } = body.request
        this.steps.set(`${path} ${body.n}`, stepOf(request.kind))
        const texts = messages.map((message) => {
          const { role, toolCalls, answers } = message
          return { role, text: messageText(message), ...defined({ toolCalls, answers }) }
        })
        return { ...body, request: { ...request, messages: texts } }
      }
      case 'tool-start':
        this.steps.set(`${path} ${body.n}`, stepOf(body.name))
        return body
      case 'part-end': {
        const step = this.stepAt(path, body.n)
        accumulate(step.usage, body.usage)
        step.parts++
        return { ...body, kind: step.name }
      }
      case 'model-end': {
        const { name, usage, parts } = this.stepAt(path, body.n)
        accumulate(usage, body.usage)
        return { ...body, kind: name, parts, usage }
      }
      case 'tool-end':
        return { ...body, name: this.stepAt(path, body.n).name }
      case 'done-add': {
        const { from, ...rest } = body
        const items = this.archive(path, from)
        return { ...rest, items, size: this.sizes.get(path) ?? 0 }
      }
      case 'block-end': {
        const { archived, timeline: _, ...rest } = body
        return archived === undefined ? rest : { ...rest, archived: this.archive(path, archived) }
      }
      default:
        return body
    }
  }

  private archive(path: string, from: readonly string[]): DoneItem[] {
    const items = from.flatMap((child) => {
      const outcome = this.outcomes.get(child)
      return outcome === undefined
        ? []
        : [{ from: child, status: outcome.status, text: doneText(outcome) } satisfies DoneItem]
    })
    this.sizes.set(path, (this.sizes.get(path) ?? 0) + items.length)
    return items
  }

  private stepAt(path: string, n: number): Step {
    return this.steps.get(`${path} ${n}`) ?? stepOf('?')
  }

  private blockAt(path: string): AuditBlock {
    const known = this.blocks.get(path)
    if (known !== undefined) return known
    const block: AuditBlock = { path, goal: '', strategy: '', status: null, entries: [] }
    this.blocks.set(path, block)
    return block
  }
}

interface Step {
  name: string
  usage: Usage
  parts: number
}

function stepOf(name: string): Step {
  return { name, usage: { ...NO_USAGE }, parts: 0 }
}

/** A block comes before its children; attempts at the same place follow each other. */
function byTree(a: string, b: string): number {
  const [left, right] = [a.split('-'), b.split('-')]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i] as string, right[i] as string]
    const order = Number(placeOf(x)) - Number(placeOf(y)) || attemptOf(x) - attemptOf(y)
    if (order !== 0) return order
  }
  return left.length - right.length
}
