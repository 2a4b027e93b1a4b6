/** A model that asks for calls which are long enough to hide something. */
import type { Model } from '../../src/index.ts'
import { script } from '../whole-calls.ts'

const model: Model = {
  id: 'whole-model',
  async call(request) {
    const value = script(request)
    return { text: JSON.stringify(value), value, usage: { inputTokens: 1, outputTokens: 1 } }
  },
}

export default model
