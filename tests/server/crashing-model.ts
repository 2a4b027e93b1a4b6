/** A model that ends its process for some goals, and takes its time for others. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Model } from '../../src/index.ts'

const model: Model = {
  id: 'crashing-model',
  async call(request) {
    const { goal } = request.input as { goal: string }
    if (goal.startsWith('exit')) setTimeout(() => process.exit(7), 100)
    if (goal.startsWith('reject'))
      setTimeout(() => {
        void Promise.reject(new Error('from a timer'))
      }, 100)
    if (goal.startsWith('allocate')) setTimeout(allocate, 100)
    if (goal.startsWith('steps')) {
      await pause(50)
      const value = { do: 'plan', todo: [`${performance.now()}`] }
      return { text: JSON.stringify(value), value, usage: { inputTokens: 10, outputTokens: 5 } }
    }
    // Others are still at work then.
    if (!goal.startsWith('quick')) await pause(goal.startsWith('slow') ? 7_000 : 60_000)
    const value = { do: 'return', result: `done ${goal}` }
    return { text: JSON.stringify(value), value, usage: { inputTokens: 10, outputTokens: 5 } }
  },
}

/** Until V8 ends the process, which calls no exit handler. */
function allocate(): void {
  const kept: string[][] = []
  for (;;) kept.push(Array.from({ length: 1_000_000 }, (_, i) => `${i}`))
}

export default model
