import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { builtinTools, createEngine, type EngineOptions, type ToolOpener, tool } from '../../index.ts'
import { ScriptedModel } from '../../testing/index.ts'

const one = tool({ name: 'one', description: 'first', access: 'read', run: () => 1 })
const two = tool({ name: 'two', description: 'second', access: 'read', run: () => 2 })
const sdk = { three: { description: 'third', inputSchema: z.object({}), execute: async () => 3 } }

/** An opener that says when it is opened and closed. */
function opener(
  log: string[],
  name: string,
  tools: Awaited<ReturnType<ToolOpener>>['tools'] = [],
): ToolOpener {
  return async () => {
    log.push(`open ${name}`)
    return { tools, close: async () => void log.push(`close ${name}`) }
  }
}

async function offered(tools: EngineOptions['tools']): Promise<string> {
  const engine = createEngine({ model: new ScriptedModel(['done']), ...(tools && { tools }) })
  try {
    const run = await engine.start('a goal', { strategy: 'minimal' })
    await run.outcome
    const start = [...(await engine.events(run.id))].find((event) => event.type === 'run-start')
    return (
      start?.config.tools
        ?.filter(({ hidden }) => hidden !== true)
        .map(({ name }) => name)
        .join() ?? ''
    )
  } finally {
    await engine.close()
  }
}

describe('the tools of an engine', () => {
  it('come from one source, or from a list of sources of any kind', async () => {
    expect(await offered(one)).toBe('one,read_result')
    expect(await offered(sdk)).toBe('three,read_result')
    expect(await offered([])).toBe('')
    const workspace = mkdtempSync(join(tmpdir(), 'thinkon-sources-'))
    const all = [builtinTools({ workspace, only: ['calculate'] }), one, sdk, opener([], 'x', [two])]
    expect(await offered(all)).toBe('calculate,one,three,two,read_result')
    rmSync(workspace, { recursive: true })
  })

  it('may be opened by a function that has nothing to close, or that opens others', async () => {
    const log: string[] = []
    expect(await offered(() => ({ tools: one }))).toBe('one,read_result')
    expect(await offered(() => ({ tools: [opener(log, 'inner', sdk), two] }))).toBe('three,two,read_result')
    expect(log).toEqual(['open inner', 'close inner'])
  })

  it('are closed with the engine, all of them, also if one can not be closed', async () => {
    const log: string[] = []
    const broken: ToolOpener = () => ({ tools: [], close: () => Promise.reject(new Error('stuck')) })
    const engine = createEngine({
      model: new ScriptedModel(['done']),
      tools: [opener(log, 'a'), broken, opener(log, 'b')],
    })
    await (await engine.start('a goal', { strategy: 'minimal' })).outcome
    await expect(engine.close()).rejects.toThrow('stuck')
    await engine.close()
    expect(log.sort()).toEqual(['close a', 'close b', 'open a', 'open b'])
  })

  it.each<[string, EngineOptions['tools'], string]>([
    ['an opener that fails', () => Promise.reject(new Error('no server')), 'no server'],
    ['an opener that gives nothing', (() => {}) as never, 'tools[1] must return { tools, close }'],
    [
      'a function that was not called',
      (() => () => ({ tools: [] })) as never,
      'call it, such as builtinTools()',
    ],
    ['a tool of the same name', { ...one, name: 'mine' }, 'there are two tools named mine'],
    [
      'a schema that is none',
      (() => ({ tools: { ...one, input: 'text' } })) as never,
      'tools[1].tools.input must be',
    ],
  ])('are closed again if one can not be had: %s', async (_, bad, message) => {
    const log: string[] = []
    const sources = [opener(log, 'a', { ...two, name: 'mine' }), bad as ToolOpener, opener(log, 'b')]
    await expect(offered(sources)).rejects.toThrow(message)
    expect(log.sort()).toEqual(['close a', 'close b', 'open a', 'open b'])
  })

  it.each<[unknown, RegExp]>([
    ['shell', /tools must be a/],
    [[one, null], /tools\[1\] must be/],
    [[sdk.three], /tools\[0\] is an AI SDK tool, which has no name/],
    [{ one: () => 3 }, /tools\.one is a function: make a tool of it/],
    [{ one }, /tools\.one is a tool: give tools in a list/],
    [[{ three: 3 }], /tools\[0\]\.three must be an AI SDK tool/],
    [() => ({ tools: 7 }), /tools\.tools must be/],
  ])('are refused where they are none: %j', async (tools, message) => {
    await expect((async () => offered(tools as never))()).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringMatching(message),
    })
  })

  it('that can not be opened leave the store closed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'thinkon-sources-'))
    const store = join(folder, 'runs.sqlite')
    const failing = createEngine({
      model: new ScriptedModel([]),
      store,
      tools: () => Promise.reject(new Error('no server')),
    })
    await expect(failing.list()).rejects.toThrow('no server')
    await failing.close()
    const engine = createEngine({ model: new ScriptedModel([]), store })
    // Nobody may work on a store that is compacted.
    await expect(engine.compact()).resolves.toBeTypeOf('number')
    await engine.close()
    rmSync(folder, { recursive: true })
  })
})
