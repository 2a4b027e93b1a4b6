// The weights of embedded:mini are a file that llama.cpp reads, too: with it, `gguf:` gives the same texts.

import { describe, expect, it } from 'vitest'
import { ggufModel } from '../../../src/models/gguf/gguf-model.ts'
import { missing, readVectors, WEIGHTS } from '../../mini/vectors.ts'
import { ask, testIo } from '../../models/model-io.ts'

/** llama.cpp rounds what goes into its products to 8 bits, so that an answer that hangs by a hair may differ. */
const MOST_DIFFERENT = 2
/** A prompt is all that the model sees. */
const chatTemplate = '{% for message in messages %}{{ message.content }}{% endfor %}'

const lacking = [
  ...missing,
  ...(process.env.THINKON_LLAMA ? [] : ['node-llama-cpp: npm run soak -- --only gguf installs it']),
]
const reason = lacking.length > 0 ? ` (skipped: there is no ${lacking.join(', no ')})` : ''

describe.skipIf(lacking.length > 0)(`the weights of embedded:mini${reason}`, () => {
  it('say the same in llama.cpp', async () => {
    const model = await ggufModel(WEIGHTS, { settings: { chatTemplate, threads: 1 } })
    const different: unknown[] = []
    for (const [prompt, answer] of readVectors()) {
      const { text } = await model.call(ask(prompt, { settings: { temperature: 0 } }), testIo())
      if (text !== answer) different.push({ prompt, answer, text })
    }
    await model.close()
    expect(different.length, JSON.stringify(different)).toBeLessThanOrEqual(MOST_DIFFERENT)
  })
})
