/**
 * What a client asks for with the messages of a conversation: a new goal, or that a run goes on with the results of the client's tools.
 *
 * The goal is what the user said last. Instructions and earlier turns come with it as context: instructions as they are, turns as quoted
 * lines, so that what was asked for earlier is not taken for what is asked for now.
 */
import { type Language, languageOf, shorten, ThinkonError } from '../../protocol/index.ts'
import { type CallPlace, readCallId } from './call-id.ts'

export type SaidTurn =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls?: readonly SaidCall[] }
  | { readonly role: 'tool'; readonly call: string; readonly output: unknown }

export interface SaidCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export type Asked =
  | { readonly kind: 'goal'; readonly goal: string }
  /** `message`: what the user said besides. */
  | {
      readonly kind: 'results'
      readonly run: string
      readonly results: readonly GivenResult[]
      readonly message: string
    }

export interface GivenResult extends Omit<CallPlace, 'run'> {
  readonly output: unknown
}

export function readConversation(turns: readonly SaidTurn[]): Asked {
  const last = turns.findLastIndex(({ role }) => role === 'assistant')
  const news = turns.slice(last + 1)
  const said = news.flatMap((turn) => (turn.role === 'user' ? turn.text : [])).join('\n\n')
  const results = news.flatMap((turn) => (turn.role === 'tool' ? [givenResult(turn)] : []))
  const [first] = results
  if (first === undefined) return { kind: 'goal', goal: goalOf(turns.slice(0, last + 1), turns, said) }
  const other = results.find(({ run }) => run !== first.run)
  if (other !== undefined)
    throw badRequest(`the results are of tools that two runs have called, ${first.run} and ${other.run}`)
  return {
    kind: 'results',
    run: first.run,
    results: results.map(({ question, output }) => ({ question, output })),
    message: said,
  }
}

function givenResult({ call, output }: SaidTurn & { role: 'tool' }) {
  const place = readCallId(call)
  if (place === null)
    throw badRequest(`no tool call "${shorten(call, 100)}" is waited for: it is none that Thinkon has made`)
  return { ...place, output }
}

function goalOf(earlier: readonly SaidTurn[], turns: readonly SaidTurn[], said: string): string {
  const system = turns.flatMap((turn) => (turn.role === 'system' ? turn.text.trim() : [])).join('\n\n')
  if (said.trim() === '') {
    if (system !== '' && earlier.length === 0) return system
    throw badRequest('the conversation must end with a message of the user that says what is wanted')
  }
  const words = WORDS[languageOf(said)]
  const names = new Map(earlier.flatMap((turn) => namesIn(turn)))
  const context = earlier.flatMap((turn) => quoted(turn, names, words)).join('\n')
  return [
    said,
    ...(system === '' ? [] : [`${words.instructions}\n${system}`]),
    ...(context === '' ? [] : [`${words.earlier}\n${context}`]),
  ].join('\n\n')
}

/**
 * The goal of an earlier request without its instructions, which hold for that request only: OpenAI does not carry them over to a
 * response that names it as the previous one.
 */
export function withoutInstructions(goal: string): string {
  for (const { instructions, earlier } of Object.values(WORDS)) {
    const begin = goal.indexOf(`\n\n${instructions}\n`)
    if (begin === -1) continue
    const context = goal.lastIndexOf(`\n\n${earlier}\n> `)
    return goal.slice(0, begin) + (context > begin ? goal.slice(context) : '')
  }
  return goal
}

function namesIn(turn: SaidTurn): [id: string, name: string][] {
  return turn.role === 'assistant' ? (turn.calls ?? []).map(({ id, name }) => [id, name]) : []
}

function quoted(turn: SaidTurn, names: ReadonlyMap<string, string>, words: Words): string[] {
  const lines = (who: string, text: string) =>
    text.trim() === '' ? [] : `${who}: ${text.trim()}`.split('\n').map((line) => `> ${line}`)
  switch (turn.role) {
    case 'system':
      return []
    case 'user':
      return lines(words.user, turn.text)
    case 'assistant': {
      const calls = (turn.calls ?? []).map(({ name, input }) => `${name} ${JSON.stringify(input)}`)
      return [...lines(words.assistant, turn.text), ...calls.flatMap((call) => lines(words.called, call))]
    }
    case 'tool': {
      const text = typeof turn.output === 'string' ? turn.output : (JSON.stringify(turn.output) ?? '')
      return lines(words.resultOf(names.get(turn.call) ?? turn.call), text)
    }
  }
}

interface Words {
  readonly instructions: string
  readonly earlier: string
  readonly user: string
  readonly assistant: string
  readonly called: string
  resultOf(tool: string): string
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    instructions: 'Instructions for the whole conversation:',
    earlier: 'The conversation before this request, as its context:',
    user: 'User',
    assistant: 'Assistant',
    called: 'Assistant called',
    resultOf: (tool) => `Result of ${tool}`,
  },
  zh: {
    instructions: '整个对话的说明：',
    earlier: '此请求之前的对话，作为背景：',
    user: '用户',
    assistant: '助手',
    called: '助手调用了',
    resultOf: (tool) => `${tool} 的结果`,
  },
}

function badRequest(message: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', message)
}
