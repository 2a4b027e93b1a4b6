/**
 * The model of the command line's tests: a program that goes by the words of the goal. It has one default export, as
 * `module:` wants it.
 */
import type { Model } from '../../src/index.ts'

interface Input {
  goal: string
  path: string
  level: number
  done: readonly string[]
  timeline: string
}

/** A child that ticks until it is told to hurry, skipped, done again or cancelled. */
const PATIENT = 'wait for a word'
const TICK_MS = 30

const model: Model = {
  id: 'cli-model',
  async call(request, { signal }) {
    const input = request.input as Input
    const value = request.kind === 'minimal/close' ? { do: 'return', result: 'closed' } : nextMove(input)
    if (input.goal.startsWith(PATIENT)) await pause(TICK_MS, signal)
    const text = JSON.stringify(value)
    return { text, value, usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.001 } }
  },
}

export default model

function nextMove({ goal, path, done, timeline }: Input): unknown {
  if (goal.startsWith(PATIENT)) {
    if (path.includes('#'))
      return { do: 'return', result: `again: ${timeline.match(/please \w+/)?.[0] ?? ''}` }
    if (timeline.includes('hurry')) return { do: 'return', result: 'hurried' }
    return { do: 'note', name: 'tick', data: null }
  }
  switch (goal) {
    case 'fail':
      return { do: 'return', result: 'what there is', status: 'failed', reason: 'it can not be done' }
    case 'garbage':
      return { do: 'dance' }
    case 'spend':
      return { do: 'note', name: 'spent', data: null }
    case 'ask': {
      const answer = timeline.match(/→ "(.*)"/)?.[1]
      if (answer !== undefined) return { do: 'return', result: `answer: ${answer}` }
      return { do: 'ask', question: { text: 'Go on?', choices: ['yes', 'no', 'maybe later'] } }
    }
    case 'wait':
    case '等待': {
      const goals = [`${PATIENT} a`, `${PATIENT} b`]
      return done.length === 0 ? { do: 'call', goals } : { do: 'return', result: done.join(' | ') }
    }
    case 'escape':
      return { do: 'return', result: 'a\u001b[31mred\u001b[0m' }
    default:
      return { do: 'return', result: `reached: ${goal}` }
  }
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
