/**
 * The texts behind references in prompts, from the journal: `1-2/4` is the result of operation 4 of block 1-2, `1-2` the result
 * of the block, `1-2 goal` and `1-2 plan` what it worked on, `1-2 task` both, `1-2 results` the list of all that it has found,
 * `1-2/4 input` the tool call that operation 4 was, `1-2 node_1_3` a thought of its search.
 */
import { valueText } from '../../kernel/brief/value-text.ts'
import {
  doneText,
  type Event,
  goalText,
  isObject,
  oneLine,
  parentPath,
  shorten,
} from '../../protocol/index.ts'

export function recordedText(ref: string): TextSearch {
  const [, path = '', n, input, what, id] = REF.exec(ref) ?? []
  if (id !== undefined) return lastOf((event) => nodeText(event, path, id))
  if (input !== undefined) return lastOf((event) => inputText(event, path, Number(n)))
  if (n !== undefined) return lastOf((event) => operationText(event, path, Number(n)))
  if (what === 'results') return listOf(path)
  if (what === 'task') return taskText(path)
  return lastOf((event) => blockText(event, path, what))
}

/** A fold over the journal. */
export interface TextSearch {
  follow(event: Event): void
  /** Undefined where there is none. */
  text(): string | undefined
}

const REF = /^([^/ ]+)(?:\/(\d+)( input)?| (goal|plan|task|results)| (\S+))?$/

/** A thought that a search keeps under an id, in a note with `nodes`. */
function nodeText(event: Event, path: string, id: string): string | undefined {
  if (event.type !== 'note' || event.path !== path || !isObject(event.data)) return undefined
  const { nodes } = event.data
  if (!Array.isArray(nodes)) return undefined
  const node: unknown = nodes.find((one: unknown) => isObject(one) && one.id === id)
  return isObject(node) && typeof node.content === 'string' ? node.content : undefined
}

function taskText(path: string): TextSearch {
  const goal = lastOf((event) => blockText(event, path, 'goal'))
  const plan = lastOf((event) => blockText(event, path, 'plan'))
  return {
    follow(event) {
      goal.follow(event)
      plan.follow(event)
    },
    text() {
      if (goal.text() === undefined) return undefined
      const goalPart = `Goal:\n${goal.text()}`
      return plan.text() === undefined ? goalPart : `${goalPart}\n\nPlan:\n${plan.text()}`
    },
  }
}

function inputText(event: Event, path: string, n: number): string | undefined {
  if (event.type !== 'tool-start' || event.path !== path || event.n !== n) return undefined
  return `${event.name} ${JSON.stringify(event.input)}`
}

function lastOf(textOf: (event: Event) => string | undefined): TextSearch {
  let text: string | undefined
  return {
    follow(event) {
      text = textOf(event) ?? text
    },
    text: () => text,
  }
}

function operationText(event: Event, path: string, n: number): string | undefined {
  if (event.path !== path || (event.type !== 'tool-end' && event.type !== 'model-end') || event.n !== n)
    return undefined
  const { result } = event
  if (!result.ok) return result.error.message
  return event.type === 'model-end'
    ? event.result.ok
      ? event.result.value.text
      : ''
    : valueText(result.value)
}

function blockText(event: Event, path: string, what: string | undefined): string | undefined {
  if (event.path !== path) return undefined
  if (what === 'goal') return event.type === 'block-start' ? goalText(event.goal) : undefined
  if (what === 'plan') {
    if (event.type !== 'todo-set') return undefined
    return typeof event.todo === 'string' ? event.todo : event.todo.join('\n')
  }
  return event.type === 'block-end' ? doneText(event.outcome) : undefined
}

const MAX_LINE = 200

/** A line for each child, each tool call and each reply of a block, with its reference. */
function listOf(path: string): TextSearch {
  const lines: string[] = []
  const begun = new Map<number, string>()
  const followOwn = (event: Event) => {
    if (event.type === 'tool-start')
      begun.set(event.n, `${event.name} ${shorten(JSON.stringify(event.input), MAX_LINE)}`)
    if (event.type === 'tool-end') lines.push(`"${path}/${event.n}": ${begun.get(event.n) ?? ''}`)
    if (event.type === 'model-end' && event.result.ok && event.result.value.text.trim() !== '')
      lines.push(`"${path}/${event.n}": you: ${shorten(oneLine(event.result.value.text), MAX_LINE)}`)
  }
  return {
    follow(event) {
      if (event.type === 'block-start' && parentPath(event.path) === path)
        lines.push(`"${event.path}": ${shorten(oneLine(goalText(event.goal)), MAX_LINE)}`)
      if (event.path === path) followOwn(event)
    },
    text: () => (lines.length === 0 ? undefined : lines.join('\n')),
  }
}
