import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { modelBytes } from '../../../../tests/mini/write-model.ts'
import { openTextModel, type TextModel } from './text-model.ts'

let folder: string
let file: string
const opened: TextModel[] = []
const workers: Worker[] = []
const onWorker = (worker: Worker) => workers.push(worker)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'thinkon-mini-'))
  file = join(folder, 'tiny.gguf')
  writeFileSync(file, modelBytes())
})
beforeEach(() => process.on('worker', onWorker))
afterEach(async () => {
  process.off('worker', onWorker)
  workers.length = 0
  for (const model of opened.splice(0)) await model.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

async function open(path = file): Promise<TextModel> {
  const model = await openTextModel(path)
  opened.push(model)
  return model
}

/** Goes on until it is stopped: the context is full before an abort arrives unless it is asked again and again. */
const endless = { prompt: 'T|(3+4)>', temperature: 2 }

describe('a text model', () => {
  it('answers in a worker, and says what it took', async () => {
    const model = await open()
    const parts: string[] = []
    const asked = { prompt: 'T|(3+4)>', maxTokens: 10, temperature: 1, seed: 7 }
    const first = await model.complete({ ...asked, onText: (text) => parts.push(text) })
    expect(first).toMatchObject({ inputTokens: 8, cachedTokens: 0 })
    expect(parts.join('')).toBe(first.text)
    expect(parts.length).toBeGreaterThan(1)
    expect(await model.complete(asked)).toEqual({ ...first, cachedTokens: 8 })
    const shares = await model.weigh('V|24|4 6>', ['s', 'i'])
    expect(shares[0]! + shares[1]!).toBeCloseTo(1, 6)
    expect(workers).toHaveLength(1)
  })

  it('answers many at once with the same texts as one after the other', async () => {
    const model = await open()
    const asks = Array.from({ length: 40 }, (_, i) => ({
      prompt: `P|24|${i % 7} 4>`,
      maxTokens: i % 20,
      temperature: i % 3,
      seed: i,
    }))
    const together = await Promise.all(asks.map((ask) => model.complete(ask)))
    for (const [i, ask] of asks.entries())
      expect({ ...(await model.complete(ask)), cachedTokens: 0 }).toEqual({ ...together[i], cachedTokens: 0 })
    // Not more than there are cores, and a second only for so many.
    expect(workers.length).toBeLessThanOrEqual(2)
  })

  it('refuses what makes no sense', async () => {
    const model = await open()
    const { prompt } = endless
    for (const wrong of [
      { maxTokens: -1 },
      { maxTokens: 1.5 },
      { stop: 'ab' },
      { stop: '' },
      { temperature: Number.NaN },
      { temperature: -1 },
      { topK: 0 },
      { seed: Number.NaN },
    ])
      await expect(model.complete({ prompt, ...wrong })).rejects.toMatchObject({
        code: 'BAD_INPUT',
        data: { key: Object.keys(wrong)[0] },
      })
    await expect(model.complete({ prompt: '' })).rejects.toMatchObject({ code: 'BAD_INPUT' })
    await expect(model.complete({ prompt: '1'.repeat(65) })).rejects.toMatchObject({
      code: 'CONTEXT_OVERFLOW',
    })
    expect((await model.complete({ prompt, maxTokens: 3 })).outputTokens).toBeLessThanOrEqual(3)
  })

  it('refuses a file that it can not use', async () => {
    const problem = async (path: string) => {
      await expect(open(path)).rejects.toMatchObject({ code: 'NO_MODEL', data: { file: path } })
    }
    await problem(join(folder, 'missing.gguf'))
    await problem(folder)
    const damaged = join(folder, 'damaged.gguf')
    writeFileSync(damaged, modelBytes().subarray(0, 100_000))
    await problem(damaged)
  })

  it('stops with the reason of a signal, and answers the others', async () => {
    const model = await open()
    const stop = new AbortController()
    const reason = new Error('enough')
    const parts: string[] = []
    const stopped = model.complete({
      ...endless,
      signal: stop.signal,
      onText: (text) => {
        if (parts.push(text) === 1) stop.abort(reason)
      },
    })
    const other = model.complete({ ...endless, maxTokens: 40 })
    await expect(stopped).rejects.toBe(reason)
    const heard = parts.length
    expect((await other).inputTokens).toBe(8)
    expect(parts).toHaveLength(heard)
    await expect(model.complete({ ...endless, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await expect(model.weigh('V|24|', ['s', 'i'], AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  it('waits for what is asked when it is closed, and then answers no more', async () => {
    const model = await open()
    const asked = Promise.all([1, 2, 3].map((seed) => model.complete({ ...endless, seed })))
    await model.close()
    expect(await asked).toHaveLength(3)
    await expect(model.complete(endless)).rejects.toMatchObject({ code: 'NO_MODEL' })
    await model.close()
  })

  it('says that its worker has died, and starts another', async () => {
    const model = await open()
    const before = await model.complete(endless)
    const failed = Promise.allSettled([1, 2, 3].map((seed) => model.complete({ ...endless, seed })))
    await workers[0]!.terminate()
    for (const result of await failed)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'MODEL_ERROR', retryable: true } })
    expect(await model.complete(endless)).toEqual({ ...before, cachedTokens: 0 })
    expect(workers).toHaveLength(2)
  })

  it('does not keep a process alive that has used it, and is waited for', () => {
    const program = `
      import { openTextModel } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'text-model.ts')).href)}
      const model = await openTextModel(${JSON.stringify(file)})
      const texts = await Promise.all(Array.from({ length: 12 }, (_, seed) =>
        model.complete({ prompt: 'T|(3+4)>', temperature: 1, seed, maxTokens: 9 })))
      process.stdout.write(String(texts.length))
      model.complete({ prompt: 'P|24|', temperature: 1 }).then(() => process.stdout.write(' and one more'))
    `
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
    expect(child).toMatchObject({ status: 0, stdout: '12 and one more', stderr: '' })
  })
})
