import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { NodeLlamaCpp } from './llama-api.ts'
import { type Gguf, openGguf } from './open-gguf.ts'

// A stand-in for node-llama-cpp, for what is ours: who shares a model, who frees it, and whose turn it is. The real one is tried by
// `npm run soak -- --only gguf`.

const folder = mkdtempSync(join(tmpdir(), 'thinkon-gguf-'))
const file = join(folder, 'model.gguf')
writeFileSync(file, 'GGUF')
afterAll(() => rmSync(folder, { recursive: true }))

const seen = { loaded: 0, freed: 0 }
beforeEach(() => Object.assign(seen, { loaded: 0, freed: 0 }))

/** Each sequence has read as many tokens of any prompt as its number says. */
function standIn(): NodeLlamaCpp {
  const template = { generateContextState: () => ({ contextText: { tokenize: () => [] } }) }
  const context = () => {
    let sequences = 0
    const getSequence = () => {
      const firstDifferentIndex = sequences++
      return {
        tokenMeter: { usedOutputTokens: 0 },
        compareContextTokens: () => ({ firstDifferentIndex }),
      }
    }
    return { contextSize: 512, getSequence }
  }
  const model = () => ({
    tokenizer: () => [],
    trainContextSize: 512,
    createContext: async () => context(),
    dispose: async () => void seen.freed++,
  })
  return {
    getLlama: async () => ({
      gpu: false,
      loadModel: async () => {
        seen.loaded++
        return model()
      },
      createGrammarForJsonSchema: async () => ({}),
    }),
    LlamaChat: class {
      generateResponse = async () => ({ response: '', metadata: { stopReason: 'eogToken' } })
    },
    resolveChatWrapper: () => template,
    resolvableChatWrapperTypeNames: ['chatML'],
  }
}

describe('a model file', () => {
  it('is loaded once for all who give the same settings, and freed by the last of them', async () => {
    const [first, second] = await Promise.all([
      openGguf(standIn(), file, { sequences: 2 }),
      openGguf(standIn(), file, { sequences: 2 }),
    ])
    const other = await openGguf(standIn(), file, { sequences: 1 })
    expect(first.gguf).toBe(second.gguf)
    expect(seen).toEqual({ loaded: 2, freed: 0 })
    await first.close()
    await first.close()
    expect(seen.freed).toBe(0)
    await second.close()
    expect(seen.freed).toBe(1)
    await other.close()
    expect(seen.freed).toBe(2)
    await (await openGguf(standIn(), file, { sequences: 2 })).close()
    expect(seen).toEqual({ loaded: 3, freed: 3 })
  })

  it('that is refused is freed, and can be tried again', async () => {
    const tooLarge = openGguf(standIn(), file, { contextSize: 4096 })
    await expect(tooLarge).rejects.toMatchObject({ code: 'BAD_INPUT', data: { key: 'gguf.contextSize' } })
    expect(seen).toEqual({ loaded: 1, freed: 1 })
    const unknown = openGguf(standIn(), file, { chatTemplate: 'chatMl' })
    await expect(unknown).rejects.toThrow('gguf.chatTemplate: "chatMl" is unknown: did you mean "chatML"?')
    await (await openGguf(standIn(), file, { contextSize: 512 })).close()
  })

  it('serves as many calls as it has sequences, best first; the next waits, and may give up', async () => {
    const { gguf, close } = await openGguf(standIn(), file, { sequences: 2 })
    const { signal } = new AbortController()
    const first = await gguf.take([], signal)
    const second = await gguf.take([], signal)
    expect([first, second].map(readBy)).toEqual([1, 0])
    const leaving = new AbortController()
    const left = gguf.take([], leaving.signal)
    const waiting = gguf.take([], signal)
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    second.release()
    expect((await waiting).slot).toBe(second.slot)
    await close()
  })
})

function readBy({ slot }: Awaited<ReturnType<Gguf['take']>>): number {
  return slot.sequence.compareContextTokens([] as never).firstDifferentIndex
}
