/**
 * The model of the command line's tests: a program that goes by the words of the goal. It has one default export, as
 * `module:` wants it.
 */
import { existsSync } from 'node:fs'
import type { Model } from '../../src/index.ts'
import type { Result } from '../../src/protocol/index.ts'

interface Input {
  goal: string
  path: string
  level: number
  done: readonly string[]
  timeline: string
  results: readonly { name: string; result: Result }[]
}

/** A child that ticks until it is told to hurry, skipped, done again or cancelled. */
const PATIENT = 'wait for a word'
// Not faster: a busy machine would spend the budget while a test gets round to it.
const TICK_MS = 60
/** Longer than a line, and with what would drive a terminal. After each part it waits for the file `seen-<part>`. */
const STREAMED = [
  ['first ', 'words\n\u001b[2J\u001b', '[31m'],
  ['lorem ipsum '.repeat(50), 'the very last\u0007', ' words'],
]

const model: Model = {
  id: 'cli-model',
  async call(request, io) {
    const input = request.input as Input
    const value = request.kind === 'minimal/close' ? { do: 'return', result: 'closed' } : nextMove(input)
    if (input.goal.startsWith(PATIENT)) await pause(TICK_MS, io.signal)
    if (input.goal === 'crash') await crash()
    const text = JSON.stringify(value)
    if (input.goal === 'stream') {
      for (const [i, words] of STREAMED.entries()) {
        for (const word of words) io.onDelta(word)
        while (!existsSync(`seen-${i + 1}`)) await pause(TICK_MS, io.signal)
      }
    }
    return { text, value, usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.001 } }
  },
}

export default model

function nextMove({ goal, path, done, timeline, results }: Input): unknown {
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
      const answer = timeline.match(/Go on\? → (.*)/)?.[1]
      if (answer !== undefined) return { do: 'return', result: `answer: ${answer}` }
      return { do: 'ask', question: { text: 'Go on?', choices: ['yes', 'no', 'maybe later'] } }
    }
    case 'wait':
    case '等待': {
      const goals = [`${PATIENT} a`, `${PATIENT} b`]
      return done.length === 0 ? { do: 'call', goals } : { do: 'return', result: done.join(' | ') }
    }
    case 'two files':
      if (results.length < 2) {
        const name = results.length === 0 ? 'a.txt' : 'b.txt'
        return { do: 'tool', calls: [{ name: 'write_file', input: { path: name, content: 'one\ntwo\n' } }] }
      }
      return {
        do: 'return',
        result: results.map(({ result }) => (result.ok ? 'written' : result.error.message)).join(' | '),
      }
    case 'ask by tool': {
      const [asked] = results
      if (asked === undefined)
        return { do: 'tool', calls: [{ name: 'ask_user', input: { question: 'Red or blue?' } }] }
      const { result } = asked
      return { do: 'return', result: result.ok ? `answer: ${result.value}` : result.error.message }
    }
    case 'echo over MCP':
      if (results[0] === undefined)
        return { do: 'tool', calls: [{ name: 'everything__echo', input: { message: 'hello' } }] }
      return { do: 'return', result: JSON.stringify(results[0].result) }
    case 'escape':
      return { do: 'return', result: 'a\u001b[31mred\u001b[0m' }
    default:
      return { do: 'return', result: `reached: ${goal}` }
  }
}

/** As code of a user might: it prints, and then throws where nobody catches it. */
function crash(): Promise<never> {
  console.log('printed by a model')
  setTimeout(() => {
    throw new Error('thrown by a timer')
  }, 1_000)
  return new Promise(() => {})
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
