/**
 * The embedded demonstration: a script, not a language model, and it says so. It plays a small run through the minimal
 * strategy so that someone who has just installed Thinkon sees a tree grow.
 */
import type { Model } from '../../kernel/model.ts'
import type { ModelReply } from '../../protocol/index.ts'

interface Input {
  goal: string
  level: number
  todo: string | readonly string[]
  done: readonly string[]
}

const PARTS = ['find out what is asked', 'work out two ways', 'write the answer down']
const WAYS = ['the short way', 'the careful way']
const DELAY_MS = 250

export function demoModel(delayMs = DELAY_MS): Model {
  return {
    id: 'embedded:demo',
    async call(request, io) {
      await pause(delayMs, io.signal)
      const value = nextMove(request.input as Input)
      const text = JSON.stringify(value)
      const chars = request.messages.reduce((sum, message) => sum + String(message.content).length, 0)
      return {
        text,
        value,
        usage: { inputTokens: Math.ceil(chars / 4), outputTokens: Math.ceil(text.length / 4) },
      } satisfies ModelReply
    },
  }
}

function nextMove({ goal, level, todo, done }: Input): unknown {
  if (level === 0) {
    if (todo.length === 0) return { do: 'plan', todo: PARTS }
    if (done.length === 0) return { do: 'call', goals: PARTS }
    return {
      do: 'return',
      result: `A demonstration on a scripted model: no language model was asked about "${goal}".`,
    }
  }
  if (level === 1 && goal === PARTS[1] && done.length === 0) return { do: 'call', goals: WAYS }
  return { do: 'return', result: `${goal}: shown` }
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
