/**
 * A prompt that a person edits in a fork: what of it may be edited. The record of the call then has the edited request, and says so. It
 * holds nothing: what the request takes is reserved when it is asked (as-edited.ts).
 */
import {
  amount,
  anyText,
  type Check,
  either,
  type Fields,
  fields,
  isList,
  isText,
  json,
  list,
  must,
  oneOf,
  record,
  refused,
  text,
  whole,
} from '../protocol/check-arguments.ts'
import {
  type EventOf,
  isObject,
  type Message,
  type ModelSettings,
  messageText,
  type ReasoningPart,
  stableJson,
  ThinkonError,
  type ToolCall,
} from '../protocol/index.ts'
import { keyText } from '../protocol/key-text.ts'
import { type Problem, problemAt } from '../protocol/problem.ts'
import { NOTHING } from './budget.ts'

const REQUEST = ['messages', 'settings']
const EXAMPLE = '{"request": {"messages": [{"role": "user", "content": "…"}]}}'

/** The call with the edited request. Throws BAD_INPUT for what is no request, or may not be edited. */
export function editRequest(
  start: EventOf<'model-start'>,
  edit: Record<string, unknown>,
): EventOf<'model-start'> {
  const where = `event ${start.seq} of run ${start.run} (model-start)`
  const { request: given, ...others } = changedIn(edit, start)
  requireOnly(where, [], others)
  if (given === undefined)
    throw new ThinkonError(
      'BAD_INPUT',
      `${where}: the edit changes nothing: say what is asked, as ${EXAMPLE}`,
    )
  const { request: was } = start
  const changed = isObject(given) ? changedIn(given, was) : null
  if (changed === null)
    throw refused(where, [problemAt([], `"request" must be an object such as ${EXAMPLE}`)])
  const { messages = was.messages, settings, ...fixed } = changed as Changed
  requireOnly(where, ['request'], fixed)
  const checks = { messages: messagesLike(was.messages), settings: settingsFields }
  const problems = fields(checks)(changed, ['request'])
  if (problems.length > 0) throw refused(where, problems)
  const request = { ...was, messages, ...(settings && { settings: { ...was.settings, ...settings } }) }
  return { ...start, request, reserve: NOTHING, edited: true }
}

type Changed = { messages?: Message[]; settings?: ModelSettings }

/** What is not as it was. The whole event may be given, as it was printed, with the edit in it. */
function changedIn(given: object, was: object): Record<string, unknown> {
  const changed = Object.entries(given).filter(([key, value]) => !isSame(value, was[key as never]))
  return Object.fromEntries(changed)
}

function isSame(a: unknown, b: unknown): boolean {
  return stableJson(a) === stableJson(b)
}

function requireOnly(where: string, path: readonly string[], others: object): void {
  const [key] = Object.keys(others)
  if (key === undefined) return
  throw new ThinkonError(
    'BAD_INPUT',
    `${where}: "${keyText([...path, key])}" can't be edited; of the request these can: ${REQUEST.join(', ')}`,
    { data: { key, allowed: REQUEST } },
  )
}

const provider = record(json, 'what the provider wants back')
const toolCalls = list(
  fields({ id: text, name: text, input: json, provider } satisfies Fields<ToolCall>, {
    needs: { id: 'what its result refers to', name: 'the tool' },
  }),
  'calls {id, name, input}',
)
const messageFields = fields(
  {
    role: oneOf(['system', 'user', 'assistant', 'tool']),
    content: either('a text, or a list of its parts', [isText, anyText], [isList, list(anyText, 'texts')]),
    toolCalls,
    reasoning: list(
      fields({ text: anyText, provider } satisfies Fields<ReasoningPart>, {
        needs: { text: 'what was thought' },
      }),
      'parts {text}',
    ),
    answers: fields({ id: text, name: text }, { needs: { id: "the call's id", name: 'the tool' } }),
  } satisfies Fields<Message>,
  { needs: { role: 'who says it', content: 'what it says' } },
)

/** A message that was asked before may be asked again, whatever it is. */
function messagesLike(was: readonly Message[]): Check {
  const known = new Set(was.map(stableJson))
  const each = list((value, path) => {
    if (known.has(stableJson(value))) return []
    const problems = messageFields(value, path)
    return problems.length > 0 ? problems : messageProblems(value as Message, path)
  }, 'messages {role, content}')
  return (value, path) =>
    Array.isArray(value) && value.length === 0
      ? [problemAt(path, `${keyText(path)} is empty: a model is asked with at least one message`)]
      : each(value, path)
}

function messageProblems(message: Message, path: Problem['path']): readonly Problem[] {
  const { role, answers, toolCalls = [] } = message
  const place = keyText(path)
  if (role === 'tool' && answers === undefined)
    return [problemAt(path, `${place}.answers is missing: the call {id, name} that it is the result of`)]
  if (role !== 'assistant' && toolCalls.length > 0)
    return [problemAt(path, `${place}.toolCalls: only a message of role "assistant" calls tools`)]
  // What a tool gave, and what a model said, may be nothing.
  const says = role === 'tool' || role === 'assistant' || messageText(message).trim() !== ''
  return says ? [] : [problemAt(path, `${place}.content says nothing: write it, or leave the message out`)]
}

const settingsFields = fields({
  temperature: amount(),
  seed: must('a whole number', Number.isInteger),
  maxOutputTokens: whole(1),
} satisfies Fields<ModelSettings>)
