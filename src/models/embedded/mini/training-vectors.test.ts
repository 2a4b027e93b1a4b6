// The weights that ship say here what they say in the training framework.

import { describe, expect, it } from 'vitest'
import { missing, readVectors, WEIGHTS } from '../../../../tests/mini/vectors.ts'
import { openTextModel } from './text-model.ts'

const reason = missing.length > 0 ? ` (skipped: there is no ${missing.join(', no ')})` : ''

describe.skipIf(missing.length > 0)(`the weights that ship${reason}`, () => {
  it('say what they say in the training framework, to the last token', async () => {
    const vectors = readVectors()
    expect(vectors).toHaveLength(300)
    const model = await openTextModel(WEIGHTS)
    const completions = await Promise.all(vectors.map(([prompt]) => model.complete({ prompt })))
    await model.close()
    const said = completions.map(({ text }, i) => [vectors[i]![0], text])
    expect(said).toEqual(vectors)
  })
})
