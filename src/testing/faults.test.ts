import { describe, expect, it } from 'vitest'
import type { ModelIo } from '../kernel/model.ts'
import type { Tool } from '../kernel/tool.ts'
import { faultyModel, faultyTool } from './faults.ts'
import { manualClock } from './manual-clock.ts'
import { ScriptedModel } from './scripted-model.ts'
import { toolIo } from './tool-io.ts'

const request = { kind: 'k', version: 1, role: 'plan', messages: [] } as const
const signal = new AbortController().signal

function io(deltas: string[] = [], given = signal): ModelIo {
  return {
    path: '1',
    n: 1,
    signal: given,
    onDelta: (text) => deltas.push(text),
    part: async (run) => (await run()).value,
  }
}

describe('a faulty model', () => {
  const model = () => new ScriptedModel(() => 'fine')

  it('is fine but for the calls that have a fault', async () => {
    const faulty = faultyModel(model(), { 2: { fault: 'malformed', text: '{"do":' } })
    const texts = [
      await faulty.call(request, io()),
      await faulty.call(request, io()),
      await faulty.call(request, io()),
    ]
    expect(texts.map((reply) => reply.text)).toEqual(['fine', '{"do":', 'fine'])
  })

  it('is out', async () => {
    const faulty = faultyModel(model(), { 1: { fault: 'outage' }, 2: { fault: 'outage', message: 'no key' } })
    const outage = { code: 'MODEL_OUTAGE', message: 'the model is out' }
    await expect(faulty.call(request, io())).rejects.toMatchObject(outage)
    await expect(faulty.call(request, io())).rejects.toMatchObject({ ...outage, message: 'no key' })
    expect((await faulty.call(request, io())).text).toBe('fine')
  })

  it('says 429 with the time after which to try again', async () => {
    const faulty = faultyModel(model(), { 1: { fault: 'rate-limit', retryAfterMs: 3_000 } })
    await expect(faulty.call(request, io())).rejects.toMatchObject({
      code: 'MODEL_ERROR',
      retryable: true,
      data: { status: 429, retryAfterMs: 3_000 },
    })
  })

  it('cuts a stream after its first pieces', async () => {
    const deltas: string[] = []
    const faulty = faultyModel(model(), { 1: { fault: 'cut-stream', text: 'half of it' } })
    await expect(faulty.call(request, io(deltas))).rejects.toMatchObject({
      code: 'MODEL_ERROR',
      retryable: true,
    })
    expect(deltas.join('')).toBe('half of it')
  })

  it('times out and comes late by the clock it is given, and heeds the signal', async () => {
    const clock = manualClock()
    const faulty = faultyModel(
      model(),
      (_request, call) =>
        call === 1 ? { fault: 'timeout', afterMs: 1_000 } : { fault: 'slow', delayMs: 1_000 },
      clock,
    )
    const timeout = expect(faulty.call(request, io())).rejects.toMatchObject({
      code: 'TIMEOUT',
      retryable: true,
    })
    const late = faulty.call(request, io())
    await clock.advance(1_000)
    await timeout
    expect((await late).text).toBe('fine')
    const aborting = new AbortController()
    const stopped = expect(faulty.call(request, io([], aborting.signal))).rejects.toThrow('stop')
    aborting.abort(new Error('stop'))
    await stopped
    expect(clock.timers).toBe(0)
  })
})

describe('a faulty tool', () => {
  it('crashes, times out and comes late when it is told to', async () => {
    const clock = manualClock()
    const tool: Tool = { name: 'look', description: '', access: 'read', run: async (input) => input }
    const faulty = faultyTool(
      tool,
      { 1: { fault: 'crash' }, 2: { fault: 'timeout' }, 3: { fault: 'slow', delayMs: 5 } },
      clock,
    )
    const run = () => faulty.run('x', toolIo())
    await expect(run()).rejects.toThrow('look crashed')
    const timeout = expect(run()).rejects.toMatchObject({ code: 'TIMEOUT' })
    const late = run()
    await clock.advance(5)
    await timeout
    expect(await late).toBe('x')
    expect(await run()).toBe('x')
  })
})
