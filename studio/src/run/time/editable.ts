/** What of an event can be edited in a fork: the goal of the run's start, the value of a reply, a tool's result or an answer. */
import type { Event, ModelReply } from 'thinkon/protocol'

export interface Editable {
  readonly what: 'goal' | 'reply' | 'result' | 'answer'
  /** As it is, for a text field. */
  readonly text: string
  read(text: string): { readonly edit: Record<string, unknown> } | { readonly problem: string }
}

export function editableOf(event: Event): Editable | null {
  switch (event.type) {
    case 'run-start':
      return editable('goal', event.goal, 'goal')
    case 'model-end':
      return event.result.ok ? editableReply(event.result.value) : null
    case 'tool-end':
      return event.result.ok ? editable('result', event.result.value, 'value') : null
    case 'signal-answered':
      return event.result.ok ? editable('answer', event.result.value, 'value') : null
    default:
      return null
  }
}

/** A reply that calls tools is what it says and what it calls: with the text alone, an edit would drop the calls unseen. */
function editableReply(reply: ModelReply): Editable {
  const { text, value, toolCalls = [] } = reply
  if (toolCalls.length === 0) return editable('reply', value ?? text, 'value')
  const said = editable('reply', { text, toolCalls }, 'value')
  return {
    ...said,
    read(typed) {
      const read = said.read(typed)
      if ('problem' in read) return read
      const given = read.edit.value
      if (typeof given !== 'object' || given === null || !('toolCalls' in given)) return read
      return { edit: { value: { ...reply, ...given } } }
    },
  }
}

/** A text is edited as it is, anything else as JSON. */
function editable(what: Editable['what'], value: unknown, field: string): Editable {
  const isText = typeof value === 'string'
  return {
    what,
    text: isText ? value : JSON.stringify(value ?? null, null, 2),
    read(text) {
      if (isText) return { edit: { [field]: text } }
      try {
        return { edit: { [field]: JSON.parse(text) } }
      } catch (error) {
        return { problem: error instanceof Error ? error.message : String(error) }
      }
    },
  }
}
