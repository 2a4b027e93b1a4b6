import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createEngine, type Run, solve, type ThoughtStep, tool, type UIMessageChunk } from '../../index.ts'
import { type ModelRequest, messageText } from '../../protocol/index.ts'
import { manualClock, ScriptedModel } from '../../testing/index.ts'

const weather = {
  name: 'get_weather',
  description: 'The weather of a city.',
  input: z.object({ city: z.string() }),
}

const ask = (...cities: readonly string[]) => ({
  do: 'tool',
  calls: cities.map((city) => ({ name: 'get_weather', input: { city } })),
})
const lastText = (request: ModelRequest) => request.messages.map(messageText).join('\n')

/** The calls that wait for the caller, when there are so many of them. */
async function waiting(run: Run, count: number): Promise<readonly (ThoughtStep & { kind: 'tool' })[]> {
  const open = new Map<string, ThoughtStep & { kind: 'tool' }>()
  for await (const step of run.thoughts) {
    if (step.kind !== 'tool' || step.question === undefined) continue
    if (step.done) open.delete(step.id)
    else open.set(step.id, step)
    if (open.size === count) return [...open.values()]
  }
  throw new Error('the run has ended')
}

const folders: string[] = []
function storeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-caller-'))
  folders.push(folder)
  return join(folder, 'runs.db')
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

describe("tools that the run's caller executes", () => {
  it('are called with their input, and the run goes on with the results, in whatever order they come', async () => {
    const model = new ScriptedModel([
      ask('Paris', 'Oslo'),
      (request: ModelRequest) => ({
        do: 'return',
        result: lastText(request).includes('snow') ? 'both' : 'none',
      }),
    ])
    const engine = createEngine({ model })
    const run = await engine.start('Compare the weather', { strategy: 'minimal', callerTools: [weather] })
    const [paris, oslo] = await waiting(run, 2)
    expect(paris).toMatchObject({ tool: 'get_weather', input: { city: 'Paris' }, path: '1' })
    expect(oslo).toMatchObject({ input: { city: 'Oslo' }, text: 'get_weather Oslo' })
    const question = oslo?.question ?? 0
    await run.answer({ sky: 'snow' }, { question })
    await expect(run.answer({ sky: 'a second answer' }, { question })).rejects.toMatchObject({
      code: 'QUESTION_NOT_OPEN',
    })
    await run.answer('sun', { question: paris?.question ?? 0 })
    expect(await run.outcome).toMatchObject({ status: 'completed', result: 'both' })
    const told = lastText(model.calls[1] as ModelRequest)
    expect(told).toContain('sun')
    expect(told).not.toContain('second answer')
    expect((await engine.replay(run.id)).differences).toEqual([])
    await engine.close()
  })

  it('wait in the store: another process, which knows nothing of the tool, goes on with the result', async () => {
    const store = storeFile()
    const first = createEngine({ model: new ScriptedModel([ask('Paris')]), store })
    const begun = await first.start('How is the weather?', { strategy: 'minimal', callerTools: [weather] })
    const [call] = await waiting(begun, 1)
    await first.close()

    const second = createEngine({
      model: new ScriptedModel([{ do: 'return', result: 'It is sunny' }]),
      store,
    })
    await second.answer(begun.id, 'sun', { question: call?.question ?? 0 })
    const run = await second.resume(begun.id)
    expect(await run.outcome).toMatchObject({ status: 'completed', result: 'It is sunny' })
    await second.close()
  })

  it('fail when no result comes in time, also if the run was resumed meanwhile', async () => {
    const store = storeFile()
    const clock = manualClock()
    const callerTools = [{ ...weather, timeoutMs: 60_000 }]
    const first = createEngine({ model: new ScriptedModel([ask('Paris')]), store, clock })
    const begun = await first.start('How is the weather?', { strategy: 'minimal', callerTools })
    await waiting(begun, 1)
    await first.close()

    const model = new ScriptedModel([{ do: 'return', result: 'nobody knows' }])
    const second = createEngine({ model, store, clock })
    const run = await second.resume(begun.id)
    await waiting(run, 1)
    await clock.advance(60_000)
    expect(await run.outcome).toMatchObject({ status: 'completed', result: 'nobody knows' })
    expect(lastText(model.calls[0] as ModelRequest)).toMatch(/TIMEOUT[\s\S]*no result came in time/)
    const steps: ThoughtStep[] = []
    for await (const step of run.thoughts) if (step.kind === 'tool' && step.done) steps.push(step)
    expect(steps).toMatchObject([{ error: 'no result was given in time' }])
    expect((await second.replay(run.id)).differences).toEqual([])
    await second.close()
  })

  it("take the place of the engine's tool of the same name, in this run alone", async () => {
    const own = tool({ name: 'get_weather', description: 'ours', access: 'read', run: () => 'ours' })
    const model = new ScriptedModel({
      ours: [
        { do: 'tool', calls: [{ name: 'get_weather', input: {} }] },
        { do: 'return', result: 'done' },
      ],
      theirs: [ask('Rome'), { do: 'return', result: 'done' }],
    })
    const engine = createEngine({ model, tools: own })
    const theirs = await engine.start('theirs', { strategy: 'minimal', callerTools: [weather] })
    const [call] = await waiting(theirs, 1)
    await theirs.answer('theirs', { question: call?.question ?? 0 })
    const ours = await engine.start('ours', { strategy: 'minimal' })
    expect([await theirs.outcome, await ours.outcome]).toMatchObject([{ result: 'done' }, { result: 'done' }])
    const ends = [...(await engine.events(ours.id))].filter(({ type }) => type === 'tool-end')
    expect(ends).toMatchObject([{ result: { value: 'ours' } }])
    await engine.close()
  })

  it('are parts of a UI message that the page executes', async () => {
    const engine = createEngine({ model: new ScriptedModel([ask('Paris'), { do: 'return', result: 'sun' }]) })
    const run = await engine.start('How is the weather?', { strategy: 'minimal', callerTools: [weather] })
    const [call] = await waiting(run, 1)
    await run.answer('sun', { question: call?.question ?? 0 })
    const chunks: UIMessageChunk[] = []
    for await (const chunk of run.toUIMessageStream({ tree: false })) chunks.push(chunk)
    const parts = chunks.filter(({ type }) => type.startsWith('tool-'))
    expect(parts).toMatchObject([
      { type: 'tool-input-available', toolName: 'get_weather', providerMetadata: { thinkon: { path: '1' } } },
      { type: 'tool-output-available', output: 'sun' },
    ])
    for (const part of parts) expect(part).not.toHaveProperty('providerExecuted')
    await engine.close()
  })

  it('are refused where nobody could give a result, and where they are not tools', async () => {
    await expect(solve('a goal', { callerTools: [weather] })).rejects.toThrow(
      /no run to give their results to/,
    )
    const engine = createEngine()
    const start = (callerTools: object[]) => engine.start('1 + 1', { callerTools: callerTools as never })
    await expect(start([{ name: 'a b', description: '' }])).rejects.toThrow(
      /callerTools\[0\].name must be a name/,
    )
    await expect(start([weather, weather])).rejects.toThrow(/the same name/)
    await expect(start([{ name: 'read_result', description: 'x' }])).rejects.toThrow(/another name/)
    await expect(start([{ ...weather, input: z.string() }])).rejects.toThrow(/must be an object/)
    await engine.close()
  })
})
