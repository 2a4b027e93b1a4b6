/** A model for the strategy of example 16: `--model module:examples/models/outliner.ts`. It splits at commas. */
import type { Model } from 'thinkon'

const model: Model = {
  id: 'outliner',
  async call({ kind, input }) {
    const { goal, done } = input as { goal: string; done: readonly string[] }
    const parts = goal.split(/,\s*/)
    const value =
      kind !== 'outline/draft'
        ? { text: done.join(' ') }
        : parts.length > 1
          ? { parts }
          : { text: `About ${goal}.` }
    return { text: JSON.stringify(value), value, usage: { inputTokens: 20, outputTokens: 10 } }
  },
}

export default model
