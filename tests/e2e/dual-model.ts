/**
 * The dual engine's model for tests of the command line: a program that plans the tasks a goal lists ("do a, b, c") and does
 * each at once, but for one named `slow`, which goes on until it is skipped, done again or told to hurry.
 */
import type { Model } from '../../src/index.ts'
import { messageText } from '../../src/protocol/index.ts'

interface Input {
  goal: string
  request: string
  name?: string
  redo?: string
  done?: readonly string[]
  iteration?: number
  revise?: { words: string }
}

const TICK_MS = 100

const model: Model = {
  id: 'dual-model',
  async call(request, io) {
    const input = request.input as Input
    const said = request.messages.map(messageText).join('\n')
    if (request.kind === 'dual/decide' && input.name === 'slow') await pause(TICK_MS, io.signal)
    const value = answer(request.kind, input, said)
    return { text: JSON.stringify(value), value, usage: { inputTokens: 10, outputTokens: 5 } }
  },
}

export default model

function answer(kind: string, input: Input, said: string): unknown {
  switch (kind) {
    case 'dual/plan': {
      const names = input.request.replace(/^do /, '').split(', ')
      const all = input.revise === undefined ? names : [...names, input.revise.words.replace(/^\w+: /, '')]
      return {
        action: 'plan',
        main_task: input.request,
        main_task_goal: 'every task is done',
        tasks: all.map((name) => ({ subtask_name: name, subtask_goal: `${name} is done` })),
      }
    }
    case 'dual/decide':
      if (input.redo !== undefined) return finish(`again: ${input.redo}`)
      if (input.name === 'slow' && !said.includes('hurry'))
        return {
          action: 'require_tool',
          human_readable_thought: `Not yet, try ${input.iteration}.`,
          tool: 'calculate',
          params: { expression: `${input.iteration} + 1` },
        }
      return finish(`${input.name} done`, memoriesOf(input.name ?? ''))
    case 'dual/judge-risk':
      return input.goal.includes('risky')
        ? { risk: 0.9, reason: 'it says so' }
        : { risk: 0.1, reason: 'harmless' }
    case 'dual/summarize':
      return { result: (input.done ?? []).join(' | ') }
    default:
      return { advice: '', spinning: false, summary: '', result: '' }
  }
}

function finish(result: string, memories: readonly object[] = []) {
  return { action: 'finish', human_readable_thought: 'That is it.', result, memories }
}

/** Who was fed. */
function memoriesOf(name: string): object[] {
  const [, animal] = /^feed the (\w+)$/.exec(name) ?? []
  if (animal === undefined) return []
  return [{ text: `The ${animal} is fed at noon.`, kind: 'fact', relevance: 0.9, importance: 0.8 }]
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
