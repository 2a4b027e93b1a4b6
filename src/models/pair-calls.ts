import type { Message } from '../protocol/index.ts'
import { inWords } from './tools-in-words.ts'

/** Keeps native only calls whose results follow, and results of such calls: providers refuse any other. */
export function pairCalls(messages: readonly Message[]): Message[] {
  const paired: Message[] = []
  let open = new Set<string>()
  for (const [i, message] of messages.entries()) {
    if (message.role === 'tool') {
      paired.push(open.has(message.answers?.id ?? '') ? message : inWords(message))
      continue
    }
    const answered = answersAfter(messages, i)
    const { toolCalls = [] } = message
    const isWhole = toolCalls.every(({ id }) => answered.has(id))
    open = new Set(isWhole ? toolCalls.map(({ id }) => id) : [])
    paired.push(isWhole ? message : inWords(message))
  }
  return paired
}

function answersAfter(messages: readonly Message[], at: number): Set<string> {
  const answered = new Set<string>()
  for (let i = at + 1; messages[i]?.role === 'tool'; i++) answered.add(messages[i]?.answers?.id ?? '')
  return answered
}
