/**
 * The model of the tests that start `thinkon serve`: a program that goes by the words of the goal. It has one default export, as `module:`
 * wants it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Model } from '../../src/index.ts'
import type { ModelIo } from '../../src/kernel/model.ts'
import { type ModelRequest, messageText } from '../../src/protocol/index.ts'

const model: Model = {
  id: 'words-model',
  async call(request, io) {
    const value = await moveFor(request, io)
    const text = JSON.stringify(value)
    for (let at = 0; at < text.length; at += 8) {
      io.onDelta(text.slice(at, at + 8))
      await pause(5)
    }
    return { text, value, usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.001 } }
  },
}

export default model

async function moveFor(request: ModelRequest, { signal }: ModelIo): Promise<unknown> {
  if (request.kind === 'output/value') return { sky: 'snow' }
  const { goal } = request.input as { goal: string }
  const said = request.messages.map(messageText).join('\n')
  if (goal.startsWith('wait')) await new Promise((_, reject) => signal.addEventListener('abort', reject))
  if (goal.startsWith('weather') && !said.includes('seen from the window'))
    return { do: 'tool', calls: [{ name: 'weather', input: { city: 'Oslo' } }] }
  if (goal.startsWith('plan') && !said.includes('boil water'))
    return { do: 'plan', todo: ['boil water', 'brew'] }
  if (goal.startsWith('fail'))
    return { do: 'return', status: 'failed', result: '', reason: 'it can not be done' }
  return { do: 'return', result: `the answer to ${goal.split('\n')[0]}` }
}
