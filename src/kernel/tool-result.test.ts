import { describe, expect, it } from 'vitest'
import { MAX_RESULT_BYTES, ThinkonError } from '../protocol/index.ts'
import type { EffectIo } from './durable.ts'
import { performTool } from './perform-tool.ts'
import type { KernelServices } from './services.ts'
import type { Tool } from './tool.ts'

const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

describe("a tool's result with all its parts", () => {
  it.each<[string, unknown]>([
    ['a text', 'x'.repeat(MAX_RESULT_BYTES)],
    ['a text in bytes, not in characters', '語'.repeat(MAX_RESULT_BYTES / 3)],
    ['many parts', Array(1_000_000).fill('part')],
    ['a long name', { ['x'.repeat(MAX_RESULT_BYTES)]: 1 }],
  ])('may have 4 MiB: %s', async (_, value) => {
    const call = perform(async () => value)
    await expect(call).rejects.toMatchObject({ code: 'TOOL_ERROR' })
    await expect(call).rejects.toThrow(/^"look" was run, but its result is .* may have 4 MiB: ask for less/)
  })

  it('is whole up to there', async () => {
    const value = 'x'.repeat(MAX_RESULT_BYTES - 2)
    expect(await perform(async () => value)).toMatchObject({ value })
  })

  it.each([
    ['100,000 levels', () => deep(100_000)],
    ['within an object', () => ({ a: { b: deep(300) } })],
    ['itself', () => circular()],
  ])('may be nested 200 levels deep: %s', async (_, value) => {
    const call = perform(async () => value())
    await expect(call).rejects.toThrow(/its result is nested deeper than 200 levels/)
    expect(await perform(async () => deep(200))).toMatchObject({ value: deep(200) })
  })

  it('longer than a string can be', async () => {
    const part = 'x'.repeat(2 ** 24)
    const call = perform(async () => Array(40).fill(part))
    await expect(call).rejects.toThrow(/may have 4 MiB/)
  })

  it('is JSON; otherwise the model is told that the tool was run', async () => {
    const broken = {
      toJSON() {
        throw new Error('no text')
      },
    }
    await expect(perform(async () => ({ left: 1n }))).rejects.toThrow(
      /^"look" was run, but its result is not JSON: .*BigInt/,
    )
    await expect(perform(async () => broken)).rejects.toThrow(
      '"look" was run, but its result is not JSON: no text',
    )
  })

  it('a program of a strategy may return what it needs', async () => {
    const value = 'x'.repeat(MAX_RESULT_BYTES)
    expect(await perform(async () => value, 'own/look')).toMatchObject({ value })
  })
})

describe("a tool's error", () => {
  it('has a message of 64 KiB at most, with its beginning and its end', async () => {
    const long = `begin ${'x'.repeat(1_000_000)} end`
    for (const error of [new Error(long), new ThinkonError('TIMEOUT', long, { retryable: true })]) {
      const thrown = await perform(() => Promise.reject(error)).catch((caught) => caught)
      expect(thrown.message.length).toBeLessThan(66_000)
      expect(thrown.message).toMatch(/^begin .*\[… \d+ characters …\].* end$/s)
      expect(thrown.code).toBe('code' in error ? 'TIMEOUT' : 'TOOL_ERROR')
    }
  })

  it('loses data that is too large or too deep', async () => {
    for (const data of [{ all: 'x'.repeat(MAX_RESULT_BYTES) }, { all: deep(100_000) }]) {
      const error = new ThinkonError('TOOL_ERROR', 'failed', { data })
      const thrown = await perform(() => Promise.reject(error)).catch((caught) => caught)
      expect(thrown.toJSON()).toEqual({ code: 'TOOL_ERROR', message: 'failed' })
    }
  })

  it('is what the tool threw otherwise', async () => {
    const error = new ThinkonError('TOOL_ERROR', 'failed', { data: { a: 1 } })
    const thrown = await perform(() => Promise.reject(error)).catch((caught) => caught)
    expect(thrown.toJSON()).toEqual(error.toJSON())
  })
})

function circular() {
  const value: Record<string, unknown> = {}
  value.self = value
  return value
}

async function perform(run: Tool['run'], name = 'look') {
  const tool: Tool = { name, description: '', access: 'read', run }
  const services = { tools: new Map([[name, tool]]), journal: null } as unknown as KernelServices
  const reserve = { calls: 1, tokens: 0, costUsd: 0 }
  const effect = { kind: 'tool', name, input: {}, access: 'read', reserve } as const
  return performTool(effect, { run: 'r', path: '1', n: 1 } as EffectIo, services)
}
