/** `thinkon/ai-sdk` with the real `ai`: its loops, its streams, its schemas. */
import {
  generateText,
  type ModelMessage,
  Output,
  stepCountIs,
  streamText,
  type ToolSet,
  tool,
  type UIMessageChunk,
} from 'ai'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { z } from 'zod'
import { createThinkon, thinkon } from '../../src/ai-sdk.ts'
import type { OptionsOf } from '../../src/index.ts'
import { type ModelRequest, messageText } from '../../src/protocol/index.ts'
import { reply, ScriptedModel } from '../../src/testing/index.ts'
import { byHand } from '../streaming/by-hand.ts'

const textIn = ({ messages }: ModelRequest) => messages.map(messageText).join('\n')
const usage = (inputTokens: number, outputTokens: number) => ({ usage: { inputTokens, outputTokens } })
const done = (result: string) => reply({ do: 'return', result }, usage(10, 5))

const weather = tool({
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    if (city === 'Atlantis') throw new Error('there is no such city')
    return { city, sky: city === 'Oslo' ? 'snow' : 'sun' }
  },
})
const ask = (...cities: readonly string[]) =>
  reply({ do: 'tool', calls: cities.map((city) => ({ name: 'weather', input: { city } })) }, usage(7, 3))

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

describe('a strategy as a language model', () => {
  it('answers generateText: text, reasoning, usage of the whole tree, the run in the metadata', async () => {
    const scripted = new ScriptedModel({
      'make tea': [
        reply({ do: 'plan', todo: ['boil water', 'brew'] }, usage(3, 1)),
        reply({ do: 'call', goals: ['boil water'] }, usage(3, 1)),
        done('A cup of tea.'),
      ],
      'boil water': [done('hot water')],
    })
    const model = thinkon('minimal', { model: scripted })
    const result = await generateText({ model, prompt: 'make tea' })
    expect(result.text).toBe('A cup of tea.')
    expect(result.finishReason).toBe('stop')
    expect(result.usage).toMatchObject({ inputTokens: 26, outputTokens: 12 })
    expect(result.reasoningText).toContain('boil water\nbrew')
    expect(result.reasoningText).toContain('1-1 boil water')
    const run = result.response.id ?? ''
    expect(result.response.modelId).toBe('minimal')
    expect(result.providerMetadata?.thinkon).toMatchObject({ run, status: 'completed', calls: 4 })
    expect((await model.engine.state(run)).usage).toMatchObject({ inputTokens: 26, outputTokens: 12 })
    await model.engine.close()
  })

  it('takes instructions and earlier turns as the context of what was said last', async () => {
    const scripted = new ScriptedModel([done('Blue.')])
    const model = thinkon('minimal', { model: scripted })
    await generateText({
      model,
      instructions: 'Be brief.',
      messages: [
        { role: 'user', content: 'Write exactly 3 sentences about the sky.' },
        { role: 'assistant', content: 'It is there.\nIt is wide.\nIt is blue.' },
        { role: 'user', content: 'Which colour?' },
      ],
    })
    expect(scripted.calls[0]?.input).toHaveProperty(
      'goal',
      [
        'Which colour?',
        '',
        'Instructions for the whole conversation:',
        'Be brief.',
        '',
        'The conversation before this request, as its context:',
        '> User: Write exactly 3 sentences about the sky.',
        '> Assistant: It is there.',
        '> It is wide.',
        '> It is blue.',
      ].join('\n'),
    )
    await model.engine.close()
  })

  it('streams reasoning as it is thought, and the answer as it is written', async () => {
    const hand = byHand(({ messages }) => (messages.length > 2 ? undefined : { do: 'plan', todo: ['brew'] }))
    const model = thinkon('minimal', { model: hand.model })
    const result = streamText({ model, prompt: 'make tea' })
    const types: string[] = []
    let text = ''
    const reading = (async () => {
      for await (const part of result.stream) {
        types.push(part.type)
        if (part.type === 'text-delta') text += part.text
      }
    })()
    await hand.write('{"do":"return","result":"A cup')
    await vi.waitFor(() => expect(text).toBe('A cup'), 30_000)
    expect(types.indexOf('reasoning-delta')).toBeLessThan(types.indexOf('text-start'))
    await hand.write(' of tea."}')
    await hand.write(null)
    await reading
    expect(text).toBe('A cup of tea.')
    expect(await result.finishReason).toBe('stop')
    await model.engine.close()
  })

  it('has its callers execute their tools, several at once, in a loop of several steps with one run', async () => {
    const scripted = new ScriptedModel([
      ask('Oslo', 'Rome'),
      ask('Atlantis'),
      (request: ModelRequest) => {
        const told = textIn(request)
        const known = ['snow', 'sun', 'no such city'].filter((word) => told.includes(word))
        return done(known.join(', '))
      },
    ])
    const model = thinkon('minimal', { model: scripted })
    const result = await generateText({
      model,
      prompt: 'Compare the weather',
      tools: { weather },
      stopWhen: stepCountIs(5),
    })
    expect(result.text).toBe('snow, sun, no such city')
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'tool-calls', 'stop'])
    expect(result.steps[0]?.toolCalls.map(({ input }) => input)).toEqual([{ city: 'Oslo' }, { city: 'Rome' }])
    const runs = new Set(result.steps.map(({ providerMetadata }) => providerMetadata?.thinkon?.run))
    expect(runs.size).toBe(1)
    // The steps add up to what the whole run has spent.
    expect(result.totalUsage).toMatchObject({ inputTokens: 24, outputTokens: 11 })
    expect(await model.engine.count()).toBe(1)
    await model.engine.close()
  })

  it('does the same in streams, also for a chat', async () => {
    const scripted = new ScriptedModel([ask('Oslo'), done('Take a coat.')])
    const model = thinkon('minimal', { model: scripted })
    const result = streamText({ model, prompt: 'coat?', tools: { weather }, stopWhen: stepCountIs(3) })
    const chunks: UIMessageChunk[] = []
    for await (const chunk of result.toUIMessageStream()) chunks.push(chunk)
    const types = chunks.map(({ type }) => type)
    expect(types).toContain('tool-input-available')
    expect(types).toContain('tool-output-available')
    expect(chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? chunk.delta : [])).join('')).toBe(
      'Take a coat.',
    )
    expect((await result.steps).length).toBe(2)
    await model.engine.close()
  })

  it("shows the calls of the engine's own tools, which the run executes itself", async () => {
    const look = {
      name: 'look',
      description: 'looks',
      access: 'read' as const,
      run: () => ({ there: 'a kettle' }),
    }
    const scripted = new ScriptedModel([
      { do: 'tool', calls: [{ name: 'look', input: {} }] },
      done('A kettle.'),
    ])
    const model = thinkon('minimal', { model: scripted, tools: look })
    const result = await generateText({ model, prompt: 'What is there?' })
    expect(result.steps.length).toBe(1)
    expect(result.toolCalls).toMatchObject([{ toolName: 'look', providerExecuted: true, dynamic: true }])
    expect(result.toolResults).toMatchObject([{ output: { there: 'a kettle' } }])
    expect(result.text).toBe('A kettle.')
    await model.engine.close()
  })

  it('gives an object that fits the schema', async () => {
    const schema = z.object({ sky: z.enum(['snow', 'sun']), celsius: z.number() })
    const scripted = new ScriptedModel({
      'minimal/next': [done('It is snowing at minus four degrees')],
      'output/value': [{ value: { sky: 'snow', celsius: -4 } }, { sky: 'snow', celsius: -4 }],
    })
    const model = thinkon('minimal', { model: scripted })
    const { output } = await generateText({ model, prompt: 'Weather?', output: Output.object({ schema }) })
    expect(output).toEqual({ sky: 'snow', celsius: -4 })
    await model.engine.close()
  })

  it('stops when it is aborted, in the middle of a call', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    let aborted = 0
    const scripted = new ScriptedModel((_request, io) => {
      resolve()
      return new Promise((_, reject) =>
        io.signal.addEventListener('abort', () => {
          aborted++
          reject(io.signal.reason)
        }),
      )
    })
    const model = thinkon('minimal', { model: scripted })
    const abort = new AbortController()
    const generated = generateText({ model, prompt: 'wait', abortSignal: abort.signal })
    await asked
    abort.abort()
    await expect(generated).rejects.toThrow(/abort/i)
    await vi.waitFor(
      async () => expect(await model.engine.list({ status: 'cancelled' })).toHaveLength(1),
      30_000,
    )
    expect(aborted).toBe(1)

    const again = new AbortController()
    const streamed = streamText({ model, prompt: 'wait', abortSignal: again.signal })
    const types: string[] = []
    for await (const { type } of streamed.stream) {
      types.push(type)
      if (type === 'start-step') again.abort()
    }
    expect(types.at(-1)).toBe('abort')
    await vi.waitFor(
      async () => expect(await model.engine.list({ status: 'running' })).toHaveLength(0),
      30_000,
    )
    await model.engine.close()
  })

  it('cancels the run of a stream that is cancelled at its first part', async () => {
    const scripted = new ScriptedModel(
      (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    const model = thinkon('minimal', { model: scripted })
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'wait' }] }]
    const reader = (await model.doStream({ prompt })).stream.getReader()
    expect((await reader.read()).value?.type).toBe('stream-start')
    await reader.cancel()
    await vi.waitFor(
      async () => expect(await model.engine.list({ status: 'cancelled' })).toHaveLength(1),
      30_000,
    )
    await model.engine.close()
  })

  it('tells how a run has ended: at a limit, partly, failed', async () => {
    const replies = {
      partly: [{ do: 'return', result: 'half of it', status: 'partial' }],
      limit: (): object => ({ do: 'plan', todo: ['again'] }),
      fails: [new Error('no')],
    }
    const scripted = new ScriptedModel(replies)
    const model = thinkon('minimal', { model: scripted, budget: { calls: 3 } })
    const limit = await generateText({ model, prompt: 'limit' })
    expect([limit.finishReason, limit.rawFinishReason]).toEqual(['length', 'partial'])
    expect(limit.providerMetadata?.thinkon?.reason).toMatch(/limit/)
    await expect(generateText({ model, prompt: 'fails' })).rejects.toThrow(/run \S+ failed: .*no/)
    await model.engine.close()
  })

  it('is told what it can not read, and warns of what it does not heed', async () => {
    const model = thinkon('minimal', { model: new ScriptedModel([done('ok')]) })
    const image = { type: 'file' as const, mediaType: 'image/png', data: new Uint8Array([1]) }
    const looked = generateText({ model, messages: [{ role: 'user', content: [image] }] })
    await expect(looked).rejects.toThrow(/a goal is a text.*image\/png/)
    const { warnings } = await generateText({ model, prompt: 'x', temperature: 0.5, maxOutputTokens: 9 })
    expect(warnings).toMatchObject([{ feature: 'maxOutputTokens' }, { feature: 'temperature' }])
    await model.engine.close()
  })

  it('refuses results that nobody waits for, and gives the same for the same results', async () => {
    const scripted = new ScriptedModel([ask('Oslo'), done('A coat.')])
    const { languageModel, engine } = createThinkon({ model: scripted })
    const model = languageModel('minimal')
    const tools = { weather: tool({ inputSchema: z.object({ city: z.string() }) }) } as unknown as ToolSet
    const first = await generateText({ model, prompt: 'coat?', tools })
    const [call] = first.toolCalls
    const id = call?.toolCallId ?? ''
    const result: ModelMessage = {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: id, toolName: 'weather', output: { type: 'text', value: 'snow' } },
      ],
    }
    const messages: ModelMessage[] = [{ role: 'user', content: 'coat?' }, ...first.response.messages, result]
    const go = (as: string) =>
      generateText({ model, tools, messages: JSON.parse(JSON.stringify(messages).replaceAll(id, as)) })
    expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    await expect(go('call_1')).rejects.toThrow(/none that Thinkon has made/)
    await expect(go(id.replace(/\d+$/, '99'))).rejects.toThrow(/has not made it/)
    await expect(go('call_nobody_1')).rejects.toThrow(/no run "nobody"/)
    const both = await Promise.all([go(id), go(id)])
    const later = await go(id)
    expect([...both, later].map(({ text }) => text)).toEqual(['A coat.', 'A coat.', 'A coat.'])
    scripted.assertComplete()
    await engine.close()
  })

  it('is typed by the name of the strategy, and refuses settings that are none', () => {
    expectTypeOf(thinkon<never, 'tot'>)
      .parameter(1)
      .extract<{ options?: unknown }>()
      .toHaveProperty('options')
      .toEqualTypeOf<OptionsOf<'tot'> | undefined>()
    // @ts-expect-error: an option of cot
    expect(() => thinkon('tot', { options: { beamWidht: 3 } })).not.toThrow()
    expect(() => thinkon('tot', { modle: 'x' } as never)).toThrow(
      /unknown option "modle": did you mean "model"/,
    )
  })
})
