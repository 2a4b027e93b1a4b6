import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ggufBytes } from '../../../../../tests/gguf-bytes.ts'
import { metadataOf, modelBytes, TINY, tensorsOf } from '../../../../../tests/mini/write-model.ts'
import { repetitions } from '../../../../../tests/repetitions.ts'
import { DecodingBudget } from '../../../../protocol/decoding-budget.ts'
import { ThinkonError } from '../../../../protocol/index.ts'
import { readGguf } from './read-gguf.ts'
import { createTextEngine } from './text-engine.ts'
import { readWeights } from './weights.ts'

const SEED = Number(process.env.THINKON_PROPERTY_SEED ?? 20_261)
const SMALL = { ...TINY, width: 32, layers: 1, hidden: 32, context: 16 }
const whole = modelBytes(SMALL)

function problemOf(bytes: Uint8Array): string {
  try {
    readWeights(bytes, 'some.gguf')
  } catch (thrown) {
    expect(ThinkonError.isInstance(thrown) && thrown.code).toBe('NO_MODEL')
    return (thrown as Error).message
  }
  return ''
}

describe('a file of weights', () => {
  it('has metadata of every type, and tensors', () => {
    const { metadata, tensors } = readGguf(whole, 'some.gguf', new DecodingBudget('some.gguf'))
    expect(metadata.get('general.architecture')).toBe('llama')
    expect(metadata.get('llama.embedding_length')).toBe(32)
    expect(metadata.get('tokenizer.ggml.add_bos_token')).toBe(false)
    expect(metadata.get('tokenizer.ggml.tokens')).toContain('▁')
    expect(tensors.get('blk.0.ffn_down.weight')).toMatchObject({ shape: [32, 32], type: 'Q8_0' })
    expect(tensors.get('output_norm.weight')?.bytes).toHaveLength(32 * 4)
    expect(problemOf(whole)).toBe('')
  })

  it('takes its metadata from the budget, before there is a list', () => {
    const read = (limit: number) => () => readGguf(whole, 'some.gguf', new DecodingBudget('it', { limit }))
    expect(read(100_000)).not.toThrow()
    expect(read(1_000)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
  })

  it('may begin anywhere in memory', () => {
    const moved = new Uint8Array(whole.length + 3).subarray(3)
    moved.set(whole)
    expect(problemOf(moved)).toBe('')
  })

  it('is refused if it is something else', () => {
    expect(problemOf(Buffer.from(''))).toMatch(
      /some\.gguf as the weights of embedded:mini: it is not a GGUF file/,
    )
    expect(problemOf(Buffer.from('GGML and more'))).toMatch('not a GGUF file')
    expect(problemOf(Buffer.from('GGUF\x02\0\0\0'))).toMatch('version 2')
    expect(problemOf(ggufBytes([], []))).toMatch('architecture is undefined')
  })

  it.each([
    ['another width', 'token_embd.weight is', { ...SMALL, width: 64 }],
    ['another number of layers', 'no blk.1.attn_norm.weight', { ...SMALL, layers: 2 }],
    ['heads of a size that is not computed', 'heads have 24', { ...SMALL, width: 96, heads: 4 }],
    ['more heads than there is room for', 'head_count is 4', { ...SMALL, heads: 4 }],
    ['a width that is no multiple', 'embedding_length is 40', { ...SMALL, width: 40 }],
    ['an enormous context', 'context_length is 4000000000', { ...SMALL, context: 4_000_000_000 }],
  ])('is refused if it claims %s', (_, problem, claimed) => {
    expect(problemOf(ggufBytes(metadataOf(claimed), tensorsOf(SMALL)))).toMatch(problem)
  })

  it('is refused with a vocabulary of its own', () => {
    const strange = Buffer.from(whole)
    strange[strange.indexOf('<0x7F>') + 3] = 0x38
    expect(problemOf(strange)).toMatch('token 130 is not that of tokens.ts')
  })

  it('is refused if numbers in it are none', () => {
    const tensors = (name: string, data: number[]) =>
      tensorsOf(SMALL).map((tensor) =>
        tensor.name === name
          ? { ...tensor, data: Buffer.concat([Buffer.of(...data), tensor.data.subarray(data.length)]) }
          : tensor,
      )
    expect(problemOf(ggufBytes(metadataOf(SMALL), tensors('output.weight', [0, 0x7c])))).toMatch(
      'output.weight is damaged',
    )
    expect(
      problemOf(ggufBytes(metadataOf(SMALL), tensors('output_norm.weight', [0, 0, 0xc0, 0x7f]))),
    ).toMatch('output_norm.weight is damaged')
  })

  it('is refused if it is cut off, wherever', () => {
    // The last bytes may fill up the alignment.
    const cut = fc.oneof(fc.integer({ min: 0, max: 12_000 }), fc.integer({ min: 0, max: whole.length - 32 }))
    fc.assert(
      fc.property(cut, (length) => {
        expect(problemOf(whole.subarray(0, length))).not.toBe('')
      }),
      { numRuns: repetitions(300, 20_000), seed: SEED },
    )
  })

  it('is read or refused, and never more than that, when bytes of it are others', () => {
    const change = fc.tuple(fc.integer({ min: 0, max: 12_000 }), fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const bytes = Buffer.from(whole)
        for (const [at, byte] of changes) bytes[at] = byte
        if (problemOf(bytes) !== '') return
        const engine = createTextEngine(readWeights(bytes, 'some.gguf'))
        let ended = false
        const ask = { prompt: '(3+4)', maxTokens: 5, stop: undefined, temperature: 1, topK: 5, seed: 1 }
        engine.ask({ type: 'complete', ...ask }, ({ type }) => {
          ended ||= type === 'completion'
        })
        while (engine.step());
        expect(ended).toBe(true)
      }),
      { numRuns: repetitions(300, 20_000), seed: SEED },
    )
  })
})
