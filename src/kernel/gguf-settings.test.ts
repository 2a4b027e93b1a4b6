import { expect, it } from 'vitest'
import { openModel } from '../models/open-model.ts'
import { ggufProblem } from './gguf-settings.ts'

it('says which setting of a local model file is wrong, and what it must be', () => {
  expect(ggufProblem({})).toBeUndefined()
  const all = {
    contextSize: 8192,
    sequences: 4,
    chatTemplate: 'chatML',
    gpu: false,
    gpuLayers: 'max',
    threads: 2,
  }
  expect(ggufProblem(all)).toBeUndefined()
  expect(ggufProblem('fast')).toEqual({ problem: expect.stringContaining('must be an object') })
  expect(ggufProblem({ contextsize: 1 })).toEqual({
    key: 'contextsize',
    problem: 'is unknown: did you mean "contextSize"?',
  })
  const wrong = {
    contextSize: 100,
    sequences: 0,
    chatTemplate: ' ',
    gpu: 'nvidia',
    gpuLayers: -1,
    threads: 1.5,
  }
  for (const [key, value] of Object.entries(wrong))
    expect(ggufProblem({ [key]: value })).toEqual({
      key,
      problem: expect.stringMatching(/^must be .*, not /),
    })
})

it('refuses wrong settings, and those of another kind of model, before anything is loaded', async () => {
  const error = { code: 'BAD_INPUT', data: { key: 'gguf.gpu' } }
  await expect(
    openModel({ model: 'gguf:none.gguf', gguf: { gpu: 'nvidia' as never } }),
  ).rejects.toMatchObject(error)
  await expect(openModel({ model: 'embedded:abacus', gguf: {} })).rejects.toThrow(
    'gguf of a model is for gguf: models; this one is embedded:abacus',
  )
})
