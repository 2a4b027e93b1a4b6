// The weights of embedded:mini are a file that llama.cpp reads, too: with it, `gguf:` gives the same texts.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readGguf } from '../../../src/models/embedded/mini/inference/read-gguf.ts'
import { blockNumbers, readWeights } from '../../../src/models/embedded/mini/inference/weights.ts'
import { openTextModel } from '../../../src/models/embedded/mini/text-model.ts'
import { ggufModel } from '../../../src/models/gguf/gguf-model.ts'
import { DecodingBudget } from '../../../src/protocol/decoding-budget.ts'
import { F32, ggufBytes } from '../../gguf-bytes.ts'
import { missing, readVectors, WEIGHTS } from '../../mini/vectors.ts'
import { metadataOf } from '../../mini/write-model.ts'
import { ask, testIo } from '../../models/model-io.ts'

/** A prompt is all that the model sees. */
const chatTemplate = '{% for message in messages %}{{ message.content }}{% endfor %}'

const lacking = [
  ...missing,
  ...(process.env.THINKON_LLAMA ? [] : ['node-llama-cpp: npm run soak -- --only gguf installs it']),
]
const reason = lacking.length > 0 ? ` (skipped: there is no ${lacking.join(', no ')})` : ''

interface Different {
  readonly prompt: string
  readonly answer: string
  readonly text: string
}

async function differentIn(file: string): Promise<Different[]> {
  const model = await ggufModel(file, { settings: { chatTemplate, threads: 1 } })
  const different: Different[] = []
  for (const [prompt, answer] of readVectors()) {
    const { text } = await model.call(ask(prompt, { settings: { temperature: 0 } }), testIo())
    if (text !== answer) different.push({ prompt, answer, text })
  }
  await model.close()
  return different
}

describe.skipIf(lacking.length > 0)(`the weights of embedded:mini${reason}`, () => {
  /**
   * llama.cpp rounds to 8 bits also what it multiplies such weights with. So where two tokens are as likely as each other, it may take
   * the other one; nowhere else.
   */
  it('say the same in llama.cpp, unless two answers are equally likely', async () => {
    const different = await differentIn(WEIGHTS)
    const model = await openTextModel(WEIGHTS)
    for (const { prompt, answer, text } of different) {
      const [ours, theirs] = [`${answer}\n`, `${text}\n`]
      const at = [...ours].findIndex((character, i) => character !== theirs[i])
      const shares = await model.weigh(prompt + ours.slice(0, at), [ours.charAt(at), theirs.charAt(at)])
      expect(shares[1], JSON.stringify({ prompt, answer, text })).toBeGreaterThan(0.45)
    }
    await model.close()
    expect(different.length, JSON.stringify(different)).toBeLessThanOrEqual(2)
  })

  it('say the same in llama.cpp when it need not round: the same numbers in 32 bits', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'thinkon-mini-'))
    const file = join(folder, 'mini-f32.gguf')
    const bytes = readFileSync(WEIGHTS)
    const tensors = [...readGguf(bytes, WEIGHTS, new DecodingBudget(WEIGHTS)).tensors].map(
      ([name, { shape, type, bytes }]) => ({
        name,
        shape,
        type: F32,
        data: type === 'F32' ? Buffer.from(bytes) : Buffer.from(blockNumbers(bytes).buffer),
      }),
    )
    writeFileSync(file, ggufBytes(metadataOf({ ...readWeights(bytes, WEIGHTS).shape, seed: 0 }), tensors))
    const different = await differentIn(file)
    rmSync(folder, { recursive: true })
    expect(different.length, JSON.stringify(different)).toBeLessThanOrEqual(2)
  })
})
