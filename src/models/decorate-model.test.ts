import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createEngine } from '../engine.ts'
import type { Model } from '../kernel/model.ts'
import { ThinkonError } from '../protocol/index.ts'
import { faultyModel } from '../testing/faults.ts'
import { openModel, withSettings } from './open-model.ts'
import { recordingModel } from './recording/recording-model.ts'
import { withResilience } from './resilience/with-resilience.ts'

const folder = mkdtempSync(join(tmpdir(), 'thinkon-decorators-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A class with private state: what is taken out of it must still be called on it. */
class Picky implements Model {
  readonly id = 'test:picky'
  readonly maxOutputTokens = 700
  readonly thinkingTokens = 300
  readonly #price = 2

  async call() {
    return { text: 'a reply', usage: { inputTokens: 1, outputTokens: 1 } }
  }

  refusal(goal: string): ThinkonError | null {
    return this.#price > 0 && goal === 'no' ? new ThinkonError('NO_MODEL', 'not that') : null
  }

  cost({ inputTokens }: { inputTokens: number }): number {
    return inputTokens * this.#price
  }
}

const decorators: [name: string, decorate: (model: Model) => Model | Promise<Model>][] = [
  ['settings', (model) => withSettings(model, { temperature: 0.5 })],
  ['recording', (model) => recordingModel(model, join(folder, 'traffic.jsonl'))],
  ['resilience', (model) => withResilience(model, { provider: 'test' })],
  ['faults', (model) => faultyModel(model, {})],
  ['a price', (model) => openModel({ model, price: { input: 1_000_000, output: 0 } })],
]

describe('a model with more around it keeps what it has', () => {
  it.each(decorators)('%s', async (name, decorate) => {
    const model = await decorate(new Picky())
    expect(model).toMatchObject({ id: 'test:picky', maxOutputTokens: 700, thinkingTokens: 300 })
    expect(model.refusal?.('no')).toMatchObject({ code: 'NO_MODEL', message: 'not that' })
    expect(model.refusal?.('yes')).toBeNull()
    expect(model.cost?.({ inputTokens: 3, outputTokens: 0 })).toBe(name === 'a price' ? 3 : 6)
  })

  it.each(decorators)('%s adds nothing that it has not', async (name, decorate) => {
    const call = new Picky().call
    const model = await decorate({ id: 'test:plain', call })
    expect(Object.keys(model).sort()).toEqual(name === 'a price' ? ['call', 'cost', 'id'] : ['call', 'id'])
  })

  it('also in an engine with settings and a recording: a goal that it refuses begins no run', async () => {
    const engine = createEngine({
      model: { model: 'embedded:abacus', temperature: 0.5 },
      record: join(folder, 'engine.jsonl'),
    })
    await expect(engine.start('write an essay about autumn')).rejects.toMatchObject({ code: 'NO_MODEL' })
    expect(await engine.list()).toEqual([])
    await engine.close()
  })
})
