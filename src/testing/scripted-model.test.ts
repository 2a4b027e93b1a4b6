import { describe, expect, it } from 'vitest'
import type { ModelIo } from '../kernel/model.ts'
import { type ModelRequest, ThinkonError } from '../protocol/index.ts'
import { reply, ScriptedModel } from './scripted-model.ts'

function request(kind = 'test/ask', goal?: string): ModelRequest {
  const messages = [{ role: 'user' as const, content: 'What next?' }]
  return { kind, version: 1, role: 'plan', messages, ...(goal && { input: { goal } }) }
}

function io(signal = new AbortController().signal, deltas: string[] = []): ModelIo {
  return {
    path: '1',
    n: 1,
    signal,
    onDelta: (text) => deltas.push(text),
    part: async (run) => (await run()).value,
  }
}

describe('a scripted model', () => {
  it('replies in order: texts as they are, values as JSON with the value beside it', async () => {
    const model = new ScriptedModel(['plain text', { do: 'return', result: 'yes' }])
    expect(await model.call(request(), io())).toMatchObject({ text: 'plain text' })
    expect(await model.call(request(), io())).toMatchObject({
      text: '{"do":"return","result":"yes"}',
      value: { do: 'return', result: 'yes' },
    })
    expect(model.calls.map((call) => call.kind)).toEqual(['test/ask', 'test/ask'])
    model.assertComplete()
  })

  it('throws errors, and asks functions, which may take their time and fail', async () => {
    const model = new ScriptedModel([
      new ThinkonError('MODEL_ERROR', 'out of order'),
      (asked: ModelRequest) => `you asked ${asked.kind}`,
      async () => ({ late: true }),
      () => new Error('no'),
    ])
    await expect(model.call(request(), io())).rejects.toMatchObject({ code: 'MODEL_ERROR' })
    expect((await model.call(request('k'), io())).text).toBe('you asked k')
    expect((await model.call(request(), io())).value).toEqual({ late: true })
    await expect(model.call(request(), io())).rejects.toThrow('no')
  })

  it('finds replies by goal, then by kind, whatever the order of the calls', async () => {
    const model = new ScriptedModel({
      north: ['n1', 'n2'],
      'test/ask': ['any'],
      south: ({ kind }) => `${kind} south`,
    })
    const say = async (goal?: string) => (await model.call(request('test/ask', goal), io())).text
    expect([await say('south'), await say('north'), await say(), await say('north')]).toEqual([
      'test/ask south',
      'n1',
      'any',
      'n2',
    ])
    model.assertComplete()
  })

  it('estimates what a reply costs, unless it is told', async () => {
    const model = new ScriptedModel([
      'four',
      reply('five', { usage: { inputTokens: 7, outputTokens: 8, costUsd: 1 } }),
    ])
    expect((await model.call(request(), io())).usage).toEqual({ inputTokens: 4, outputTokens: 2 })
    expect((await model.call(request(), io())).usage).toEqual({ inputTokens: 7, outputTokens: 8, costUsd: 1 })
  })

  it('sends pieces before the reply', async () => {
    const deltas: string[] = []
    const model = new ScriptedModel([reply('whole', { deltas: ['wh', 'ole'] })])
    await model.call(request(), io(undefined, deltas))
    expect(deltas).toEqual(['wh', 'ole'])
  })

  it('refuses a call beyond the script, and names the request', async () => {
    const model = new ScriptedModel([])
    await expect(model.call(request('fractal/think', 'find it'), io())).rejects.toThrow(
      /no reply for call 1: fractal\/think for the goal "find it"/,
    )
    expect(() => model.assertComplete()).toThrow(/unexpected: call 1, fractal\/think/)
  })

  it('lists what was not used', () => {
    const model = new ScriptedModel({
      north: [{ do: 'plan' }],
      south: [new Error('unused'), function later() {}],
    })
    expect(() => model.assertComplete()).toThrow(
      /unused for "north": {"do":"plan"}\nunused for "south": Error: unused\nunused for "south": a function later/,
    )
  })

  it('stops when it is told to, in the middle of a reply', async () => {
    const aborting = new AbortController()
    const model = new ScriptedModel([() => new Promise(() => {}), 'next'])
    const call = model.call(request(), io(aborting.signal))
    aborting.abort(new Error('stop'))
    await expect(call).rejects.toThrow('stop')
    await expect(model.call(request(), io(aborting.signal))).rejects.toThrow('stop')
  })
})
