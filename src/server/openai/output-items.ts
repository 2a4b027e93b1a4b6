/** The output of a response, item by item: reasoning with a summary of several parts, the message, function calls; and their events. */
export interface ResponseEvent {
  readonly type: string
  readonly sequence_number: number
}

export interface FunctionCall {
  readonly call_id: string
  readonly name: string
  readonly arguments: string
}

type Item =
  | { type: 'reasoning'; id: string; summary: { type: 'summary_text'; text: string }[] }
  | { type: 'message'; id: string; role: 'assistant'; status: ItemStatus; content: TextPart[] }
  | ({ type: 'function_call'; id: string; status: ItemStatus } & FunctionCall)

type ItemStatus = 'in_progress' | 'completed'

interface TextPart {
  type: 'output_text'
  text: string
  annotations: []
  logprobs: []
}

type Emit = (type: string, fields: object) => ResponseEvent

export class OutputItems {
  private readonly items: Item[] = []
  private readonly place: () => string
  private readonly emit: Emit
  /** The last item still grows. */
  private isOpen = false
  private isInStep = false

  /** `place` is part of the items' ids. */
  constructor(place: () => string, emit: Emit) {
    this.place = place
    this.emit = emit
  }

  list(): object[] {
    return structuredClone(this.items)
  }

  beginStep(): ResponseEvent[] {
    const events = this.endStep()
    if (this.open('reasoning') === null)
      events.push(...this.close(), this.add({ type: 'reasoning', id: this.id('rs'), summary: [] }))
    const item = this.open('reasoning')
    item?.summary.push({ type: 'summary_text', text: '' })
    this.isInStep = true
    return [
      ...events,
      this.tell('response.reasoning_summary_part.added', this.summaryPart({ part: SUMMARY })),
    ]
  }

  addToStep(delta: string): ResponseEvent[] {
    const part = this.open('reasoning')?.summary.at(-1)
    if (part === undefined) return []
    part.text += delta
    return [this.tell('response.reasoning_summary_text.delta', this.summaryPart({ delta }))]
  }

  endStep(): ResponseEvent[] {
    const part = this.open('reasoning')?.summary.at(-1)
    if (part === undefined || !this.isInStep) return []
    this.isInStep = false
    return [
      this.tell('response.reasoning_summary_text.done', this.summaryPart({ text: part.text })),
      this.tell('response.reasoning_summary_part.done', this.summaryPart({ part })),
    ]
  }

  addText(delta: string): ResponseEvent[] {
    const events: ResponseEvent[] = []
    if (this.open('message') === null) {
      const item = { type: 'message', id: this.id('msg'), role: 'assistant', status: 'in_progress' } as const
      events.push(...this.close(), this.add({ ...item, content: [] }))
      this.open('message')?.content.push({ ...TEXT, annotations: [], logprobs: [] })
      events.push(this.tell('response.content_part.added', { content_index: 0, part: TEXT }))
    }
    const part = this.open('message')?.content[0]
    if (part !== undefined) part.text += delta
    return [...events, this.tell('response.output_text.delta', { content_index: 0, delta, logprobs: [] })]
  }

  call(call: FunctionCall): ResponseEvent[] {
    const item = { type: 'function_call', status: 'in_progress', ...call } as const
    const { arguments: given } = call
    return [
      ...this.close(),
      this.add({ ...item, id: this.id('fc') }, { arguments: '' }),
      this.tell('response.function_call_arguments.delta', { delta: given }),
      this.tell('response.function_call_arguments.done', { arguments: given, name: call.name }),
      ...this.close(),
    ]
  }

  /** Ends the item that grows. */
  close(): ResponseEvent[] {
    const item = this.items.at(-1)
    if (item === undefined || !this.isOpen) return []
    const events = this.endStep()
    if (item.type === 'message') {
      const [part] = item.content
      const text = part?.text ?? ''
      events.push(
        this.tell('response.output_text.done', { content_index: 0, text, logprobs: [] }),
        this.tell('response.content_part.done', { content_index: 0, part }),
      )
    }
    if (item.type !== 'reasoning') item.status = 'completed'
    this.isOpen = false
    return [...events, this.emit('response.output_item.done', { output_index: this.items.length - 1, item })]
  }

  private add(item: Item, shown: object = {}): ResponseEvent {
    this.items.push(item)
    this.isOpen = true
    const output_index = this.items.length - 1
    return this.emit('response.output_item.added', {
      output_index,
      item: { ...structuredClone(item), ...shown },
    })
  }

  private open<T extends Item['type']>(type: T): Extract<Item, { type: T }> | null {
    const item = this.isOpen ? this.items.at(-1) : undefined
    return item?.type === type ? (item as Extract<Item, { type: T }>) : null
  }

  private tell(type: string, fields: object): ResponseEvent {
    return this.emit(type, {
      item_id: this.items.at(-1)?.id,
      output_index: this.items.length - 1,
      ...structuredClone(fields),
    })
  }

  private summaryPart(fields: object): object {
    return { summary_index: (this.open('reasoning')?.summary.length ?? 1) - 1, ...fields }
  }

  private id(kind: string): string {
    return `${kind}_${this.place()}_${this.items.length}`
  }
}

const SUMMARY = { type: 'summary_text', text: '' } as const
const TEXT = { type: 'output_text', text: '', annotations: [], logprobs: [] } as const
